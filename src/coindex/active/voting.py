"""Voting (the paper's): the document on which a committee disagrees most.

The paper takes the document with "the most variance in results"; here that is 1 less
the mean B³ F1 between the members' answers, which does not grow with the length of a
document. The variance of links between mentions is logged beside it.
"""

from __future__ import annotations

from coindex.active import Question, Scored
from coindex.active._committee import answers, committee, disagreement, link_variance

ABOUT = "where the models of a committee disagree most (the paper's)"


def score(question: Question) -> Scored:
    """Disagreement for each document."""
    members = committee(question)
    votes = list(zip(*answers(members, question.pool), strict=True))
    return Scored(
        tuple(map(disagreement, votes)),
        tuple(member.digest for member in members),
        (("link-variance", tuple(map(link_variance, votes))),),
    )
