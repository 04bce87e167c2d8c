"""The problems that choose the best epoch, and the figure of decisions on them; no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coindex import benchmarks
from coindex.core.decision import Decision, match
from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.pronoun.asked import Ask, Asked
from coindex.pronoun.read import problems_of
from coindex.pronoun.recipe import Dev

_RESAMPLES = 100  # the intervals are not looked at


@dataclass(frozen=True, slots=True)
class Side:
    """One dev set, ready to be scored.

    bench   the benchmark whose first figure counts; accuracy for other files
    """

    name: str
    bench: str
    asked: tuple[Asked, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems themselves."""
        return tuple(each.problem for each in self.asked)

    @property
    def lost(self) -> float:
        """The share, in percent, of right candidates that no phrase stands for.

        Nothing is lost where candidates are given; with found ones these cannot be answered.
        """
        right = [(each, index) for each in self.asked for index in each.problem.answer or ()]
        gone = [index for each, index in right if not any(index in p.stands for p in each.phrases)]
        return round(100 * len(gone) / max(len(right), 1), 2)


def sides(devs: Sequence[Dev], ways: Mapping[str, Ask]) -> list[Side]:
    """The dev sets of a recipe, with the phrases to choose from."""
    found = []
    for dev in devs:
        if dev.candidates not in ways:
            raise InputError(f"{', '.join(dev.files)}: candidates cannot be found without spaCy")
        problems = [problem for name in dev.files for problem in problems_of(name)]
        if not problems:
            raise InputError(f"{', '.join(dev.files)}: expected problems, found none")
        first = dev.files[0].partition(":")[0]
        bench = first if first in benchmarks.names() else "dpr"
        name = ", ".join(dev.files) + (" (found)" if dev.candidates == "found" else "")
        found.append(Side(name, bench, tuple(ways[dev.candidates](problems))))
    return found


def figure(side: Side, decisions: Sequence[Decision]) -> float:
    """The first figure of the side's benchmark, in percent."""
    matched = match(side.problems, decisions)
    value = benchmarks.load(side.bench).score(matched, _RESAMPLES)[0].value
    return round(value or 0.0, 2)
