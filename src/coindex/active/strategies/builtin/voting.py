"""Voting (the paper's): the document on which a committee disagrees most.

The paper takes the document with "the most variance in results"; here that is 1 minus
the mean B³ F1 between the members' predictions, which does not grow with the length of a
document. The variance of links between mentions is logged as well.
"""

from __future__ import annotations

from coindex.active.committee import committee, disagreement, link_variance, votes
from coindex.active.strategies.protocol import Query, Scores

ABOUT = "where the models of a committee disagree most (the paper's)"


def score(query: Query) -> Scores:
    """Disagreement for each document."""
    members = committee(query)
    predictions = votes(members, query.pool)
    return Scores(
        tuple(map(disagreement, predictions)),
        tuple(member.digest for member in members),
        (("link-variance", tuple(map(link_variance, predictions))),),
    )
