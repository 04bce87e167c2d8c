"""Where two systems are right together, and where one helps the other.

GAP (Webster et al. 2018), Table 9. Its shares fit the yes or no to each name (4,000
on the development set): with the F1 of its Table 6 about 70 % of these are right for
PARALLELISM and 62 % for TRANSFORMER-SINGLE, as its rows and columns add up to. So
each candidate of each problem counts. Opposing are the problems where both choose
one candidate, and not the same (section 4.3: "Name A vs. Name B").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from coindex.errors import InvalidValue
from coindex.report.table import Table, text_notes
from coindex.types.decision import Decision, MatchedDecisions, answer_of
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two systems: how many names both judge rightly, one of them, neither.

    opposing    problems where each chooses one candidate, and they differ
    """

    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    neither: int
    opposing: int

    @property
    def total(self) -> int:
        """How many names were judged."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def either(self) -> float | None:
        """The share that one at least has right: what the two could reach together."""
        return 100 * (self.total - self.neither) / self.total if self.total else None


def agreements(systems: Mapping[str, MatchedDecisions]) -> tuple[Agreement, ...]:
    """Every pair of systems; all must have the same problems."""
    return tuple(
        agreement(one, two, systems[one], systems[two]) for one, two in combinations(systems, 2)
    )


def agreement(first: str, second: str, one: MatchedDecisions, two: MatchedDecisions) -> Agreement:
    """Two systems on the same problems."""
    if one.problems != two.problems:
        raise InvalidValue(f"expected {first} and {second} on the same problems, found others")
    counts = Counter[tuple[bool, bool]]()
    opposing = 0
    for problem, a, b in zip(one.problems, one.decisions, two.decisions, strict=True):
        for index in range(len(problem.candidates)):
            counts[_right(problem, a, index), _right(problem, b, index)] += 1
        opposing += len(a.chosen) == len(b.chosen) == 1 and a.chosen != b.chosen
    return Agreement(
        first,
        second,
        both=counts[True, True],
        only_first=counts[True, False],
        only_second=counts[False, True],
        neither=counts[False, False],
        opposing=opposing,
    )


def _right(problem: Problem, decision: Decision, index: int) -> bool:
    correct = index in answer_of(problem)
    return (index in decision.chosen) == correct and index not in decision.undecided


def agreement_table(pairs: tuple[Agreement, ...], title: str) -> Table:
    """A row for each pair of systems, shares in percent as in GAP's Table 9."""

    def share(part: int, whole: int) -> float | None:
        return 100 * part / whole if whole else None

    rows = tuple(
        (
            each.first,
            each.second,
            share(each.both, each.total),
            share(each.only_first, each.total),
            share(each.only_second, each.total),
            share(each.neither, each.total),
            each.either,
            each.opposing,
        )
        for each in pairs
    )
    columns = ("first", "second", "both right", "only first", "only second", "neither")
    notes = text_notes(
        "Percent of names judged rightly, yes or no; either: by one of the two at least.",
        "Opposing: problems where both choose one name, and not the same.",
    )
    return Table(f"Agreement on {title}", (*columns, "either", "opposing"), rows, notes)


def agreement_json(pairs: tuple[Agreement, ...]) -> list[dict[str, Any]]:
    """Counts of names, and of problems with opposing choices."""
    return [
        {
            "first": each.first,
            "second": each.second,
            "names": each.total,
            "both": each.both,
            "only_first": each.only_first,
            "only_second": each.only_second,
            "neither": each.neither,
            "either": each.either,
            "opposing": each.opposing,
        }
        for each in pairs
    ]
