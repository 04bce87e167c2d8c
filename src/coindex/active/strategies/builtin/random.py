"""Random: any document. What every other strategy is compared with."""

from __future__ import annotations

from coindex.active.strategies.protocol import Query, Scores
from coindex.text.seeded_hash import seeded_draw

ABOUT = "any document, drawn from the seed"


def score(query: Query) -> Scores:
    """A number drawn for each document."""
    return Scores(tuple(seeded_draw(query.seed, each.key, "random") for each in query.pool))
