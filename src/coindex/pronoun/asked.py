"""A problem with the phrases that may be its answer, given or found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.core.span import Chars


@dataclass(frozen=True, slots=True)
class Phrase:
    """What the pronoun may mean.

    chars   where it stands; None if it is not in the passage
    stands  the problem's candidates that it stands for: itself, if it is one of them; for
            a name found in the passage those that it matches, which may be none
    """

    text: str
    chars: Chars | None
    stands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A problem and the phrases to choose from; there may be none.

    found   whether the phrases were looked for in the passage
    """

    problem: Problem
    phrases: tuple[Phrase, ...]
    found: bool = False

    def decision(self, at: int | None, scores: Sequence[float] = ()) -> Decision:
        """The decision for the phrase at an index, or for none of them.

        scores  of the phrases; told only where each phrase is a candidate of the problem
        """
        told = tuple(scores) if not self.found and len(scores) == len(self.phrases) else None
        if told is not None and len(told) != len(self.problem.candidates):
            told = None
        if at is None:
            return Decision(self.problem.id, (), told)
        phrase = self.phrases[at]
        picked = phrase.chars if self.found else None
        return Decision(self.problem.id, phrase.stands, told, picked=picked)


Ask = Callable[[Iterable[Problem]], Iterator[Asked]]
"""Finds the phrases of problems; `coindex.resolvers` has them for given and found candidates."""


def given(problems: Iterable[Problem]) -> Iterator[Asked]:
    """Problems with their own candidates, where the corpus says that they are."""
    for problem in problems:
        phrases = (Phrase(c.text, c.chars, (at,)) for at, c in enumerate(problem.candidates))
        yield Asked(problem, tuple(phrases))


def best(scores: Sequence[float]) -> int | None:
    """The index of the highest score, the first of several; None if there is none."""
    return max(range(len(scores)), key=scores.__getitem__) if scores else None
