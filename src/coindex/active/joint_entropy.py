"""Joint entropy: mentions and their antecedents together (Yuan et al. 2022).

H(mention, antecedent) = H(mention) + p(mention) H(antecedent | mention): the entropy
of the labels, and for each mention found the entropy over its antecedents and "none",
weighed by the probability of the mention; summed, and divided by the tokens.
"""

from __future__ import annotations

from coindex.active import Question, Scored
from coindex.active._doubt import doubts

ABOUT = "where the model is least sure of mentions and antecedents together"


def score(question: Question) -> Scored:
    """Joint entropy, in nats a token."""
    digest, found = doubts(question)
    values = tuple((each.mentions + each.antecedents) / max(each.tokens, 1) for each in found)
    return Scored(values, (digest,))
