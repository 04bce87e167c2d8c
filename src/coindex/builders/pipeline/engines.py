"""The engines of `coindex.jobs`, for the shards of a build.

Every engine is given the same shards and yields the number of each shard that is done, in any
order, with the number of its items. Parts are written by the workers, so all of them must have
access to the output folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from coindex.builders.pipeline.worker import BuildJob, process_shard
from coindex.builders.sources import Shard
from coindex.jobs.engine_choice import Engine
from coindex.jobs.engines import run_tasks

Done = tuple[int, int]
ProcessShards = Callable[[BuildJob, Sequence[Shard]], Iterator[Done]]


def process_shards(engine: str, workers: int, address: str | None) -> ProcessShards:
    """The engine of that name."""
    chosen = Engine(engine, workers, address)
    return lambda job, shards: _process(job, shards, chosen)


def _process(job: BuildJob, shards: Sequence[Shard], engine: Engine) -> Iterator[Done]:
    if engine.name == "local":  # a single shard needs no process of its own
        engine = Engine("local", max(min(engine.workers, len(shards)), 1))
    for (_, shard), items in run_tasks(_process_one, [(job, each) for each in shards], engine):
        yield shard.number, items


def _process_one(task: tuple[BuildJob, Shard]) -> int:
    return process_shard(*task)
