"""Joint entropy: mentions and their antecedents together (Yuan et al. 2022).

H(mention, antecedent) = H(mention) + p(mention) H(antecedent | mention): the entropy
of the labels, and for each detected mention the entropy over its antecedents and "none",
weighted by the probability of the mention; summed, and divided by the number of tokens.
"""

from __future__ import annotations

from coindex.active.strategies.protocol import Query, Scores
from coindex.active.uncertainty import uncertainties

ABOUT = "where the model is least sure of mentions and antecedents together"


def score(query: Query) -> Scores:
    """Joint entropy, in nats per token."""
    digest, result = uncertainties(query)
    values = tuple((each.mentions + each.antecedents) / max(each.tokens, 1) for each in result)
    return Scores(values, (digest,))
