"""Mention entropy: where the model is least sure what is a mention (Yuan et al. 2022).

The entropy of the detector's label for each token, by its marginal probabilities,
averaged over the document's tokens.
"""

from __future__ import annotations

from coindex.active import Question, Scored
from coindex.active._doubt import doubts

ABOUT = "where the model is least sure what is a mention"


def score(question: Question) -> Scored:
    """Mean entropy of labels, in nats a token."""
    digest, found = doubts(question)
    return Scored(tuple(each.mentions / max(each.tokens, 1) for each in found), (digest,))
