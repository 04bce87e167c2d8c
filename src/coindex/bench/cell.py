"""What came of a run: one cell for each system on each benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from coindex import __version__
from coindex.benchmarks import Benchmark
from coindex.benchmarks._accuracy import Consistency, consistency
from coindex.benchmarks._figures import share
from coindex.benchmarks._spec import CONSISTENCY, Figure
from coindex.core.decision import Decision, Matched, match
from coindex.core.problem import Problem
from coindex.core.switch import Refused, switch

SWITCHED = "switched"


@dataclass(frozen=True, slots=True)
class Switched:
    """Decisions on the problems with their candidates exchanged.

    figures  those of the benchmark, on the copies
    refused  how many problems cannot be switched, by reason
    """

    matched: Matched
    figures: tuple[Figure, ...]
    consistency: Consistency
    refused: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one benchmark.

    system      a resolver's name, or that of a file
    kind        "resolver", "predictions" or "clusters"
    candidates  "given", "found", or "unknown" for a file of predictions
    context     what the system looked at, "snippet" or "page"; "unknown" for a file
    notes       what was odd, in words
    """

    benchmark: str
    split: str
    system: str
    kind: str
    candidates: str
    context: str
    matched: Matched
    figures: tuple[Figure, ...]
    signature: str
    switched: Switched | None = None
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Figure:
        """The figure to rank by."""
        return self.figures[0]

    @property
    def all_figures(self) -> tuple[Figure, ...]:
        """The benchmark's figures, and those of the switched copies."""
        if self.switched is None:
            return self.figures
        first = self.switched.figures[0]
        return (
            *self.figures,
            replace(first, name=f"{first.name}, {SWITCHED}"),
            share(CONSISTENCY, self.switched.consistency.share),
        )


@dataclass(frozen=True, slots=True)
class Table:
    """All systems on one split of one benchmark."""

    name: str
    split: str
    benchmark: Benchmark
    problems: tuple[Problem, ...]
    cells: tuple[Cell, ...]

    def label(self, cell: Cell) -> str:
        """What a system is called: with its candidates, if it is there twice."""
        twice = Counter(each.system for each in self.cells)[cell.system] > 1
        return f"{cell.system} ({cell.candidates})" if twice else cell.system


@dataclass(frozen=True, slots=True)
class Run:
    """All benchmarks that were run, and those that were not, with the reason."""

    tables: tuple[Table, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    resamples: int = 0
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Copies:
    """The switched copies of problems, and why some have none."""

    problems: tuple[Problem, ...]
    refused: tuple[tuple[str, int], ...]


def copies_of(problems: tuple[Problem, ...]) -> Copies:
    """Every problem that can be switched, switched."""
    kept, refused = [], Counter[str]()
    for problem in problems:
        found = switch(problem)
        if isinstance(found, Refused):
            refused[found.reason] += 1
        else:
            kept.append(found)
    return Copies(tuple(kept), tuple(refused.most_common()))


def missing_notes(matched: Matched) -> tuple[str, ...]:
    """How many problems have no decision, if there are any."""
    missing = len(matched.missing)
    return (f"{missing:,} of {len(matched):,} problems have no decision.",) if missing else ()


def reasons(refused: tuple[tuple[str, int], ...]) -> str:
    """Why problems have no copy, in words."""
    return "; ".join(f"{number:,} because {reason}" for reason, number in refused)


def switched_cell(
    cell: Cell,
    copies: Copies,
    decisions: list[Decision],
    benchmark: Benchmark,
    draws: tuple[int, int],
) -> Cell:
    """The cell, with what the system says of the copies."""
    after = match(copies.problems, decisions)
    found = Switched(
        after,
        benchmark.score(after, *draws),
        consistency(cell.matched, after),
        copies.refused,
    )
    return replace(cell, switched=found)


def signature(parts: dict[str, str], items: int, system: str = "") -> str:
    """All that a number depends on, such as `gap|split:development|...|v:0.1.0`."""
    (_, name), *others = parts.items()
    told = [name, *(f"{key}:{value}" for key, value in others)]
    said = {*told, *parts.values()}  # what a resolver says again is left out
    told += [part for part in system.split("|") if part and part not in said]
    return "|".join([*told, f"items:{items}", f"v:{__version__}"])
