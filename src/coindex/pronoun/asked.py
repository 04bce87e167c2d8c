"""A problem with the phrases that may be its answer, given or found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.core.span import Chars

NEVER = -1e6
"""The score of a candidate that none of the phrases stands for; no model's is as low."""


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

        scores  of the phrases, if they are known; what is told are those of the candidates
        """
        told = self._told(scores) if scores else None
        if at is None:
            return Decision(self.problem.id, (), told)
        phrase = self.phrases[at]
        picked = phrase.chars if self.found else None
        return Decision(self.problem.id, phrase.stands, told, picked=picked)

    def _told(self, scores: Sequence[float]) -> tuple[float, ...] | None:
        """The best score of the phrases that stand for each candidate; None if none does.

        A found phrase that stands for no candidate may have a better score than all of these.
        """
        best = [NEVER] * len(self.problem.candidates)
        for phrase, score in zip(self.phrases, scores, strict=True):
            for index in phrase.stands:
                best[index] = max(best[index], score)
        return tuple(best) if any(phrase.stands for phrase in self.phrases) else None


Ask = Callable[[Iterable[Problem]], Iterator[Asked]]
"""Finds the phrases of problems; `coindex.resolvers` has them for given and found candidates."""


def given(problems: Iterable[Problem]) -> Iterator[Asked]:
    """Problems with their own candidates, where the corpus says that they are."""
    for problem in problems:
        phrases = (Phrase(c.text, c.chars, (at,)) for at, c in enumerate(problem.candidates))
        yield Asked(problem, tuple(phrases))


def decided(asked: Asked, told: Sequence[float], cut: float | None) -> Decision:
    """The best phrase; none of them if its score is below the cut."""
    at = best(told)
    if at is not None and cut is not None and told[at] < cut:
        at = None
    return asked.decision(at, told)


def best(scores: Sequence[float]) -> int | None:
    """The index of the highest score, the first of several; None if there is none."""
    return max(range(len(scores)), key=scores.__getitem__) if scores else None
