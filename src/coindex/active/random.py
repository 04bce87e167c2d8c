"""Random: any document. What every other strategy is compared with."""

from __future__ import annotations

from coindex.active import Question, Scored
from coindex.active._chance import draw

ABOUT = "any document, drawn from the seed"


def score(question: Question) -> Scored:
    """A number drawn for each document."""
    return Scored(tuple(draw(question.seed, each.key, "random") for each in question.pool))
