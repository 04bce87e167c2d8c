"""Make a run: one resolver on many tasks, and the time that it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from coindex import benchmarks, resolvers
from coindex.benchmarks.protocol import CONSISTENCY
from coindex.errors import InvalidValue
from coindex.resolvers import Decider, ResolverSettings
from coindex.resolvers.cluster_decisions import ClusterDecider
from coindex.types.decision import Decision, unanswered
from coindex.types.problem import Problem
from research.results.task import Corpora, Task, task_of

DEV = ("gap:development:found", "gap:development:given")
TEST = (
    *("gap:test:found", "gap:test:given", "knowref:test", "dpr:test", "wsc273:test", "pdp:test"),
    *("wnli:dev", "winogender:sentences", "winobias:test"),
)
TIMED = "gap:development:given"
"""The task whose first problems are timed: long passages, and none to test on."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """Decisions by the names of their tasks, as `write_run` takes them."""

    decisions: Mapping[str, list[Decision]]
    switched: Mapping[str, list[Decision]]
    signature: str


def make_run(
    name: str,
    tasks: Iterable[str],
    settings: ResolverSettings | None = None,
    corpora: Corpora | None = None,
    on_task: Callable[[str], None] = lambda text: None,
) -> RunResult:
    """The decisions of a resolver on tasks; on KnowRef also with the names switched.

    It does not see the answers. Clusters do not use given candidates, so they answer only
    "found" of a benchmark that has both.
    """
    here, base = corpora or Corpora(), settings or ResolverSettings()
    loaded: dict[str, Decider] = {}
    decisions, switched = {}, {}
    for task in map(task_of, tasks):
        if task.candidates not in loaded:
            loaded[task.candidates] = resolvers.decider(
                name, replace(base, candidates=task.candidates)
            )
        decider = loaded[task.candidates]
        if isinstance(decider, ClusterDecider) and _has_better(task):
            on_task(f"{task}: left out, clusters are found")
            continue
        on_task(str(task))
        decisions[str(task)] = _decided(decider, here.problems(task))
        if _is_switched(task):
            switched[str(task)] = _decided(decider, here.copies(task))
    signature = next((each.signature for each in loaded.values()), "")
    return RunResult(decisions, switched, signature)


def milliseconds(decider: Decider, problems: Sequence[Problem], warm: int = 8) -> float:
    """Wall-clock time for one problem; the first few warm up and are not timed."""
    blind = [unanswered(problem) for problem in problems]
    if len(blind) <= warm:
        raise InvalidValue(f"expected more than {warm} problems to time, found {len(blind)}")
    list(decider.decide(blind[:warm]))
    start = time.perf_counter()
    list(decider.decide(blind[warm:]))
    return 1000 * (time.perf_counter() - start) / (len(blind) - warm)


def _decided(decider: Decider, problems: Sequence[Problem]) -> list[Decision]:
    return list(decider.decide([unanswered(problem) for problem in problems]))


def _has_better(task: Task) -> bool:
    """Whether clusters answer this benchmark under "found" instead."""
    return task.candidates == "given" and "found" in benchmarks.load(task.benchmark).CANDIDATES


def _is_switched(task: Task) -> bool:
    """Whether papers report consistency on this benchmark: KnowRef."""
    rows = benchmarks.load(task.benchmark).PUBLISHED
    return any(CONSISTENCY in dict(row.figures) for row in rows)
