"""All stored runs, scored when a figure is needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from coindex.errors import InvalidValue, UnknownName
from coindex.scoring.significance import RESAMPLES, SEED
from research.results.additive_counts import AdditiveCounts, additive_counts
from research.results.plan import Column
from research.results.runs import SUFFIX, RunMetadata, StoredRun, read_run
from research.results.seeds import Summary, differences, summaries
from research.results.task import Corpora, Task


@dataclass(slots=True)
class Leaderboard:
    """Systems by tasks; one that was not run has no figures."""

    runs: tuple[StoredRun, ...]
    corpora: Corpora = field(default_factory=Corpora)
    resamples: int = RESAMPLES
    seed: int = SEED
    _counted: dict[tuple[str, Task], list[AdditiveCounts]] = field(default_factory=dict)
    _summaries: dict[tuple[str, Task], dict[str, Summary]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: dict[tuple[str, int | None, Task], str] = {}
        for run in self.runs:
            for task in run.tasks:
                key = run.metadata.system, run.metadata.seed, task
                if key in seen:
                    label = f"{run.metadata.system}, seed {run.metadata.seed}, {task}"
                    raise InvalidValue(f"{run.source}: {label} is in {seen[key]} already")
                seen[key] = run.source

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems there are runs of."""
        return tuple(dict.fromkeys(run.metadata.system for run in self.runs))

    def metadata(self, system: str) -> list[RunMetadata]:
        """The metadata of a system's runs, one for each seed, in the order of the seeds."""
        result = {
            run.metadata.seed: run.metadata for run in self.runs if run.metadata.system == system
        }
        return [
            result[seed] for seed in sorted(result, key=lambda each: -1 if each is None else each)
        ]

    def figure(self, system: str, column: Column) -> Summary | None:
        """A figure of a system; None where it was not run."""
        result = self.counts(system, column.task)
        if not result:
            return None
        key = system, column.task
        if key not in self._summaries:
            self._summaries[key] = summaries(result, self.resamples, self.seed)
        return _named(self._summaries[key], column)

    def difference(self, one: str, two: str, column: Column) -> Summary | None:
        """The first system less the second; None where either was not run."""
        first, second = (self.counts(system, column.task) for system in (one, two))
        if not first or not second:
            return None
        return _named(differences(first, second, self.resamples, self.seed), column)

    def counts(self, system: str, task: Task) -> list[AdditiveCounts]:
        """The rows of a system's seeds on a task."""
        key = system, task
        if key not in self._counted:
            self._counted[key] = [
                additive_counts(
                    task.benchmark,
                    run.matched(task, self.corpora),
                    run.after(task, self.corpora),
                )
                for run in self.runs
                if run.metadata.system == system and task in run.tasks
            ]
        return self._counted[key]


def read_leaderboard(
    paths: Iterable[Path], resamples: int = RESAMPLES, seed: int = SEED
) -> Leaderboard:
    """The runs of some files and of the folders they are in."""
    files = [
        file
        for path in paths
        for file in (sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path])
    ]
    return Leaderboard(tuple(map(read_run, files)), resamples=resamples, seed=seed)


def _named(result: dict[str, Summary], column: Column) -> Summary | None:
    """A figure by its name. Consistency is not there if the copies were not run."""
    if column.figure in result:
        return result[column.figure]
    if column.figure == "consistency":
        return None
    raise UnknownName(f"figure of {column.task}", column.figure, result)
