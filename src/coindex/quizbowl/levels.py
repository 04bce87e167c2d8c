"""Nested mentions as one label for each token: a BIO scheme with levels.

A label has one letter for each mention around the token, from the outermost to
the innermost: `B` where it begins, `I` within it; `O` where there is none. So
`[[his] uncle]` is `BB I`. A mention within another can only begin inside it, which
is why a whole stack of levels fits into few labels, and why one CRF decodes all of
them at once. What crosses an earlier mention, or lies deeper than `depth`, cannot
be written so; it is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

OUTSIDE = "O"
DEPTH = 3

Place = tuple[int, int]
"""First token, token after the last."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels of some tokens, and how many mentions they could not hold."""

    labels: tuple[str, ...]
    lost: int


def encode(places: Iterable[Place], size: int, depth: int = DEPTH) -> Labelled:
    """The labels of `size` tokens with mentions at these places.

    >>> encode([(0, 2), (0, 1)], 3).labels
    ('BB', 'I', 'O')
    """
    ordered = sorted(set(places), key=lambda place: (place[0], -place[1]))
    stacks: list[list[str]] = [[] for _ in range(size)]
    open_: list[Place] = []
    lost = 0
    for start, end in ordered:
        open_ = [place for place in open_ if place[1] > start]
        if len(open_) >= depth or any(end > place[1] for place in open_):
            lost += 1
            continue
        open_.append((start, end))
        for token in range(start, end):
            stacks[token].append("B" if token == start else "I")
    return Labelled(tuple("".join(stack) or OUTSIDE for stack in stacks), lost)


def decode(labels: Sequence[str]) -> list[Place]:
    """The mentions that labels stand for, in reading order, outer before inner.

    Labels need not be well formed: an `I` without a mention to continue begins one.
    """
    found: list[Place] = []
    open_: list[int] = []
    for at, label in enumerate(labels):
        if label == OUTSIDE and not open_:
            continue
        stack = "" if label == OUTSIDE else label
        kept = 0
        while kept < min(len(open_), len(stack)) and stack[kept] == "I":
            kept += 1
        found += [(start, at) for start in open_[kept:]]
        open_ = open_[:kept] + [at] * (len(stack) - kept)
    found += [(start, len(labels)) for start in open_]
    return sorted(set(found), key=lambda place: (place[0], -place[1]))
