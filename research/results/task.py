"""Tasks: a split of a benchmark, with candidates given or found, and its problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from coindex import benchmarks
from coindex.errors import InputError, UnknownName
from coindex.evaluate.options import check_plugin
from coindex.evaluate.results import switched_copies
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """A split of a benchmark, with candidates given or found; as text `gap:test:found`."""

    benchmark: str
    split: str
    candidates: str = "given"

    def __str__(self) -> str:
        return f"{self.benchmark}:{self.split}:{self.candidates}"


def task_of(name: str) -> Task:
    """A task by its name: `gap:test:found`, `dpr:test` (given), `pdp` (its default split)."""
    first, *rest = name.split(":")
    check_plugin("benchmarks", first)
    benchmark = benchmarks.load(first)
    if len(rest) > 2:
        raise InputError(f"expected benchmark:split:candidates, found {name!r}")
    split, way = [*rest, *("", "")][:2]
    split, way = split or benchmark.DEFAULT, way or "given"
    if split not in benchmark.SPLITS:
        raise UnknownName(f"split of {first}", split, benchmark.SPLITS)
    if way not in benchmark.CANDIDATES:
        raise UnknownName(f"way to candidates of {first}", way, benchmark.CANDIDATES)
    return Task(first, split, way)


@dataclass(slots=True)
class Corpora:
    """The problems of tasks and their switched copies, each read once."""

    _problems: dict[tuple[str, str], tuple[Problem, ...]] = field(default_factory=dict)
    _copies: dict[tuple[str, str], tuple[Problem, ...]] = field(default_factory=dict)

    def problems(self, task: Task) -> tuple[Problem, ...]:
        """The problems, in their order."""
        key = task.benchmark, task.split
        if key not in self._problems:
            self._problems[key] = benchmarks.load(task.benchmark).problems(task.split)
        return self._problems[key]

    def copies(self, task: Task) -> tuple[Problem, ...]:
        """Those that can be switched, switched, in the order of the problems."""
        key = task.benchmark, task.split
        if key not in self._copies:
            self._copies[key] = switched_copies(self.problems(task)).problems
        return self._copies[key]


def digest(problems: Sequence[Problem]) -> str:
    """A short name for exactly these problems in this order, whatever their answers.

    It covers all that an index of a candidate depends on, not only the ids: a corpus
    that lists its candidates in another order would turn every decision around.
    """
    total = sha256()
    for each in problems:
        content = (each.id, each.text, each.target, each.candidates)
        total.update(repr(content).encode("utf-8", "surrogatepass"))
    return total.hexdigest()[:16]
