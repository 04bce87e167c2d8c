"""Longest: the document with the most words, which mostly has the most mentions."""

from __future__ import annotations

from coindex.active import Question, Scored

ABOUT = "the document with the most words"


def score(question: Question) -> Scored:
    """The number of words of each document."""
    return Scored(tuple(float(len(document)) for document in question.pool))
