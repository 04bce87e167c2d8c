"""Stored runs: the decisions of one system, with one seed, on every task, in one small file.

Models are too large to store with the results; their decisions are not. With these files
anyone can score them again, compare two systems item by item, and see that a table is
what the decisions give. `*.json.xz`, about 5 KB for 14,000 decisions:

    {"format": "coindex-run/1", "system": "parallelism", "resolver": "parallelism",
     "seed": null, "parameters": null, "ms_per_item": 8.1, "recipe": "", "signature": "...",
     "tasks": {"gap:test:found": {"problems": "9f0c...", "chosen": [0, 1, [], [0, 1], null]}},
     "switched": {"knowref:test:given": {...}}}

A decision is the index of the candidate chosen, a list where there is not exactly one,
null where nothing was decided. They are in the order of the benchmark's problems, whose
digest is checked. `switched` has those on the problems with their candidates exchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from coindex import io
from coindex.errors import InputError, InvalidValue
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.problem import Problem
from research.results.task import Corpora, Task, digest, task_of

FORMAT = "coindex-run/1"
SUFFIX = ".json.xz"

Choice = tuple[int, ...] | None
"""The candidates chosen; None where nothing was decided."""


@dataclass(frozen=True, slots=True)
class RunMetadata:
    """The system that decided.

    system       its name on the page; the runs of its seeds share it
    resolver     the resolver, by name
    seed         None if there is only one run: a rule, a shipped model, an ensemble of seeds
    parameters   how many the model has, if it is one
    ms_per_item  milliseconds for a problem with given candidates, on a CPU
    recipe       how it was trained, in words
    signature    all that the decisions depend on
    """

    system: str
    resolver: str
    seed: int | None = None
    parameters: int | None = None
    ms_per_item: float | None = None
    recipe: str = ""
    signature: str = ""

    def __post_init__(self) -> None:
        if not self.system or not self.resolver:
            raise InvalidValue(f"a run needs a system and a resolver, found {self}")


@dataclass(frozen=True, slots=True)
class TaskDecisions:
    """Decisions in the order of the problems, and the digest of these."""

    problems: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A file of decisions."""

    metadata: RunMetadata
    tasks: Mapping[Task, TaskDecisions]
    switched: Mapping[Task, TaskDecisions] = field(default_factory=dict)
    source: str = "run"

    def matched(self, task: Task, corpora: Corpora) -> MatchedDecisions:
        """The problems of a task with the decisions on them."""
        where = f"{self.source}: {task}"
        return _matched(self.tasks[task], corpora.problems(task), where)

    def after(self, task: Task, corpora: Corpora) -> MatchedDecisions | None:
        """The switched copies with the decisions on them, if there are any."""
        if task not in self.switched:
            return None
        where = f"{self.source}: {task}, switched"
        return _matched(self.switched[task], corpora.copies(task), where)


def write_run(
    path: str | os.PathLike[str],
    metadata: RunMetadata,
    decisions: Mapping[str, Iterable[Decision]],
    switched: Mapping[str, Iterable[Decision]] | None = None,
    corpora: Corpora | None = None,
) -> StoredRun:
    """Write decisions by the names of their tasks; those on switched copies apart.

    The decisions of a task may come in any order; they are put into that of its problems.
    """
    here = corpora or Corpora()
    run = StoredRun(
        metadata,
        {task_of(name): _chosen(here.problems(task_of(name)), d) for name, d in decisions.items()},
        {
            task_of(name): _chosen(here.copies(task_of(name)), d)
            for name, d in (switched or {}).items()
        },
        os.fspath(path),
    )
    save_run(run, path)
    return run


def save_run(run: StoredRun, path: str | os.PathLike[str]) -> None:
    """Write a run, such as one that was read and whose metadata are new."""
    values = {
        "format": FORMAT,
        **asdict(run.metadata),
        "tasks": {str(task): _json(result) for task, result in run.tasks.items()},
        "switched": {str(task): _json(result) for task, result in run.switched.items()},
    }
    io.write_text(path, [json.dumps(values, separators=(",", ":")), "\n"])


def read_run(path: str | os.PathLike[str]) -> StoredRun:
    """What `write_run` wrote; no corpus is needed to read it."""
    name = os.fspath(path)
    try:
        values = json.loads(io.read_text(path))
    except ValueError as error:
        raise InputError(f"{name}: expected a run as JSON: {error}") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise InputError(f"{name}: expected a run with the format {FORMAT}, found another")
    try:
        metadata = RunMetadata(**{each.name: values[each.name] for each in fields(RunMetadata)})
        tasks, switched = (
            {task_of(task): _read(result) for task, result in values[side].items()}
            for side in ("tasks", "switched")
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{name}: expected a run, found {error!r} wrong") from None
    return StoredRun(metadata, tasks, switched, name)


def _chosen(problems: tuple[Problem, ...], decisions: Iterable[Decision]) -> TaskDecisions:
    choices: list[Choice] = []
    for problem, decision in match_decisions(problems, decisions):
        if decision.undecided and len(decision.undecided) < len(problem.candidates):
            raise InvalidValue(
                f"{problem.id}: expected yes or no of all candidates or of none,"
                f" found {len(decision.undecided)} of {len(problem.candidates)} left unsaid"
            )
        choices.append(None if decision.undecided else decision.chosen)
    return TaskDecisions(digest(problems), tuple(choices))


def _matched(result: TaskDecisions, problems: tuple[Problem, ...], where: str) -> MatchedDecisions:
    if result.problems != digest(problems) or len(result.choices) != len(problems):
        raise InvalidValue(
            f"{where}: expected decisions on these {len(problems)} problems, found"
            f" {len(result.choices)} on others: the corpus is not the one that was run"
        )
    made = [
        Decision(problem.id, choice)
        for problem, choice in zip(problems, result.choices, strict=True)
        if choice is not None
    ]
    return match_decisions(problems, made)


def _json(result: TaskDecisions) -> dict[str, Any]:
    short = [c[0] if c is not None and len(c) == 1 else c for c in result.choices]
    return {"problems": result.problems, "chosen": short}


def _read(values: Mapping[str, Any]) -> TaskDecisions:
    def choice(value: Any) -> Choice:
        if value is None:
            return None
        return (int(value),) if isinstance(value, int) else tuple(map(int, value))

    return TaskDecisions(str(values["problems"]), tuple(map(choice, values["chosen"])))
