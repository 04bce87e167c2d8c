"""Antecedent switching while deciding: a passage is read both ways round.

KnowRef's authors exchange the two candidates of a passage to teach a model that names do
not matter (Emami et al. 2019, section 4.2). The same copy helps when a problem is decided:

    s(a) = (s(a | S) + s(b | S')) / 2

S' being S with a and b exchanged, where b stands for what a did. What a model thinks of
the names themselves is in both terms, and goes. Decisions are then the same for S and S' by
construction, so consistency says nothing more of such a model; the figure to look at is
accuracy. It takes twice the time. Problems that cannot be switched, and those of found or
of more than two candidates, are read one way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from coindex.core.switch import Refused, switch
from coindex.pronoun.asked import Asked, Phrase

Score = Callable[[Iterable[Asked]], Iterator[list[float]]]
"""The scores of the phrases of each problem, in their order."""


def both_ways(score: Score) -> Score:
    """A scorer that reads each problem both ways, where that can be done."""

    def scored(asked: Iterable[Asked]) -> Iterator[list[float]]:
        copied: deque[bool] = deque()

        def every() -> Iterator[Asked]:
            for each in asked:
                copy = copy_of(each)
                copied.append(copy is not None)
                yield each
                if copy is not None:
                    yield copy

        found = score(every())
        for told in found:
            yield mean(told, next(found)) if copied.popleft() else told

    return scored


def copy_of(asked: Asked) -> Asked | None:
    """The problem with its two candidates exchanged; None if it cannot be."""
    if asked.found or len(asked.phrases) != 2 or len(asked.problem.candidates) != 2:
        return None
    copy = switch(asked.problem)
    if isinstance(copy, Refused):
        return None
    phrases = (Phrase(c.text, c.chars, (at,)) for at, c in enumerate(copy.candidates))
    return Asked(copy, tuple(phrases))


def mean(told: list[float], other: list[float]) -> list[float]:
    """The scores of a problem and of its switched copy, as those of the problem."""
    return [(a + b) / 2 for a, b in zip(told, reversed(other), strict=True)]
