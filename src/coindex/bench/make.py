"""Makes a kept run: one resolver on many tasks, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from coindex import benchmarks, resolvers
from coindex.bench.task import Corpora, Task, task_of
from coindex.benchmarks._spec import CONSISTENCY
from coindex.core.decision import Decision, unanswered
from coindex.core.problem import Problem
from coindex.errors import InvalidValue
from coindex.pronoun.clusters import ClusterDecider
from coindex.resolvers import Decider, Settings

DEV = ("gap:development:found", "gap:development:given")
TEST = (
    *("gap:test:found", "gap:test:given", "knowref:test", "dpr:test", "wsc273:test", "pdp:test"),
    *("wnli:dev", "winogender:sentences", "winobias:test"),
)
TIMED = "gap:development:given"
"""The task whose first problems are timed: long passages, and none to test on."""


@dataclass(frozen=True, slots=True)
class Made:
    """Decisions by the names of their tasks, as `write_run` takes them."""

    decisions: Mapping[str, list[Decision]]
    switched: Mapping[str, list[Decision]]
    signature: str


def make(
    name: str,
    tasks: Iterable[str],
    settings: Settings | None = None,
    corpora: Corpora | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Made:
    """What a resolver decides on tasks; on KnowRef also with the names switched.

    No answer is shown to it. Clusters are found without being told the candidates, so of
    a benchmark that has both ways they answer "found" alone.
    """
    here, base = corpora or Corpora(), settings or Settings()
    loaded: dict[str, Decider] = {}
    decisions, switched = {}, {}
    for task in map(task_of, tasks):
        if task.candidates not in loaded:
            loaded[task.candidates] = resolvers.decider(
                name, replace(base, candidates=task.candidates)
            )
        decider = loaded[task.candidates]
        if isinstance(decider, ClusterDecider) and _has_better(task):
            say(f"{task}: left out, clusters are found")
            continue
        say(str(task))
        decisions[str(task)] = _decided(decider, here.problems(task))
        if _is_switched(task):
            switched[str(task)] = _decided(decider, here.copies(task))
    signature = next((each.signature for each in loaded.values()), "")
    return Made(decisions, switched, signature)


def milliseconds(decider: Decider, problems: Sequence[Problem], warm: int = 8) -> float:
    """Wall-clock time for one problem; the first few, which load and warm, are not timed."""
    asked = [unanswered(problem) for problem in problems]
    if len(asked) <= warm:
        raise InvalidValue(f"expected more than {warm} problems to time, found {len(asked)}")
    list(decider.decide(asked[:warm]))
    start = time.perf_counter()
    list(decider.decide(asked[warm:]))
    return 1000 * (time.perf_counter() - start) / (len(asked) - warm)


def _decided(decider: Decider, problems: Sequence[Problem]) -> list[Decision]:
    return list(decider.decide([unanswered(problem) for problem in problems]))


def _has_better(task: Task) -> bool:
    """Whether clusters answer this benchmark under "found" instead."""
    return task.candidates == "given" and "found" in benchmarks.load(task.benchmark).CANDIDATES


def _is_switched(task: Task) -> bool:
    """Whether papers tell consistency on this benchmark: KnowRef."""
    rows = benchmarks.load(task.benchmark).PUBLISHED
    return any(CONSISTENCY in dict(row.figures) for row in rows)
