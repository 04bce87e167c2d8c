"""Mention entropy: where the model is least sure what is a mention (Yuan et al. 2022).

The entropy of the detector's label for each token, by its marginal probabilities,
averaged over the document's tokens.
"""

from __future__ import annotations

from coindex.active.strategies.protocol import Query, Scores
from coindex.active.uncertainty import uncertainties

ABOUT = "where the model is least sure what is a mention"


def score(query: Query) -> Scores:
    """Mean entropy of labels, in nats per token."""
    digest, result = uncertainties(query)
    return Scores(tuple(each.mentions / max(each.tokens, 1) for each in result), (digest,))
