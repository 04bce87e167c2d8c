"""All kept runs, scored when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from coindex.bench._parts import Counted, counted
from coindex.bench.plan import Column
from coindex.bench.runs import SUFFIX, Facts, KeptRun, read_run
from coindex.bench.seeds import Summary, differences, summaries
from coindex.bench.task import Corpora, Task
from coindex.errors import InvalidValue, UnknownName
from coindex.scoring.significance import RESAMPLES, SEED


@dataclass(slots=True)
class Board:
    """Systems by tasks; one that was not run has no figures."""

    runs: tuple[KeptRun, ...]
    corpora: Corpora = field(default_factory=Corpora)
    resamples: int = RESAMPLES
    seed: int = SEED
    _counted: dict[tuple[str, Task], list[Counted]] = field(default_factory=dict)
    _summaries: dict[tuple[str, Task], dict[str, Summary]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: dict[tuple[str, int | None, Task], str] = {}
        for run in self.runs:
            for task in run.tasks:
                key = run.facts.system, run.facts.seed, task
                if key in seen:
                    told = f"{run.facts.system}, seed {run.facts.seed}, {task}"
                    raise InvalidValue(f"{run.source}: {told} is in {seen[key]} already")
                seen[key] = run.source

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems there are runs of."""
        return tuple(dict.fromkeys(run.facts.system for run in self.runs))

    def facts(self, system: str) -> list[Facts]:
        """What is told of a system's runs, a seed each, in the order of the seeds."""
        found = {run.facts.seed: run.facts for run in self.runs if run.facts.system == system}
        return [
            found[seed] for seed in sorted(found, key=lambda each: -1 if each is None else each)
        ]

    def figure(self, system: str, column: Column) -> Summary | None:
        """A figure of a system; None where it was not run."""
        found = self.counted(system, column.task)
        if not found:
            return None
        key = system, column.task
        if key not in self._summaries:
            self._summaries[key] = summaries(found, self.resamples, self.seed)
        return _named(self._summaries[key], column)

    def difference(self, one: str, two: str, column: Column) -> Summary | None:
        """The first system less the second; None where either was not run."""
        first, second = (self.counted(system, column.task) for system in (one, two))
        if not first or not second:
            return None
        return _named(differences(first, second, self.resamples, self.seed), column)

    def counted(self, system: str, task: Task) -> list[Counted]:
        """The rows of a system's seeds on a task."""
        key = system, task
        if key not in self._counted:
            self._counted[key] = [
                counted(
                    task.benchmark,
                    run.matched(task, self.corpora),
                    run.after(task, self.corpora),
                )
                for run in self.runs
                if run.facts.system == system and task in run.tasks
            ]
        return self._counted[key]


def read_board(paths: Iterable[Path], resamples: int = RESAMPLES, seed: int = SEED) -> Board:
    """The runs of some files and of the folders they are in."""
    files = [
        file
        for path in paths
        for file in (sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path])
    ]
    return Board(tuple(map(read_run, files)), resamples=resamples, seed=seed)


def _named(found: dict[str, Summary], column: Column) -> Summary | None:
    """A figure by its name. Consistency is not there if the copies were not run."""
    if column.figure in found:
        return found[column.figure]
    if column.figure == "consistency":
        return None
    raise UnknownName(f"figure of {column.task}", column.figure, found)
