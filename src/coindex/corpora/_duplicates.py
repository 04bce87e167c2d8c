"""The same item twice: pages copy from each other, and tables of results from templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from coindex.core.problem import Problem
from coindex.corpora._disk import Seen
from coindex.corpora._items import Dropped


def once(problems: Iterable[Problem]) -> Iterator[Problem | Dropped]:
    """Each item once, the first one; the others, alike in text, pronoun and names, dropped."""
    with closing(Seen()) as seen:
        for problem in problems:
            names = (candidate.text for candidate in problem.candidates)
            if seen.add(problem.text, str(problem.target.start), *names):
                yield problem
            else:
                yield Dropped(problem.id, "collect", "the same item again", problem.text)


@dataclass(frozen=True, slots=True)
class Single:
    """Each item once, as often as one goes over them."""

    problems: Iterable[Problem]

    def __iter__(self) -> Iterator[Problem]:
        return (each for each in once(self.problems) if isinstance(each, Problem))
