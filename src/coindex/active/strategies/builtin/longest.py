"""Longest: the document with the most words, which mostly has the most mentions."""

from __future__ import annotations

from coindex.active.strategies.protocol import Query, Scores

ABOUT = "the document with the most words"


def score(query: Query) -> Scores:
    """The number of words of each document."""
    return Scores(tuple(float(len(document)) for document in query.pool))
