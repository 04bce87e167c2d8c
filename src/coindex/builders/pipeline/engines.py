"""Engines process the shards of a run: in this process, in several, or on a Ray cluster.

Every engine is given the same shards and yields the number of each shard that is done, in any
order, with the number of its items.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from coindex.builders.pipeline.worker import BuildJob, process_shard
from coindex.builders.sources import Shard
from coindex.errors import UnknownName, import_extra

ENGINES = ("local", "ray")
Done = tuple[int, int]
Engine = Callable[[BuildJob, Sequence[Shard]], Iterator[Done]]

_POLL = 0.5  # seconds between two checks that the run still exists


def process_shards(engine: str, workers: int, address: str | None) -> Engine:
    """The engine of that name."""
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    if engine == "ray":
        return lambda job, shards: _ray(job, shards, workers, address)
    return lambda job, shards: _local(job, shards, workers)


def _local(job: BuildJob, shards: Sequence[Shard], workers: int) -> Iterator[Done]:
    """Processes of this machine; a single worker is this process itself."""
    if workers == 1 or len(shards) < 2:
        for shard in shards:
            yield shard.number, process_shard(job, shard)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        min(workers, len(shards)), context, initializer=end_with_parent, initargs=(os.getpid(),)
    ) as pool:
        waiting = {pool.submit(process_shard, job, shard): shard.number for shard in shards}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def end_with_parent(parent: int) -> None:
    """End this worker soon after the run that started it, even if that was killed.

    Otherwise it would continue, and write parts beside those of the resumed run.
    """

    def poll() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL)
        os._exit(1)

    threading.Thread(target=poll, daemon=True).start()


def _ray(
    job: BuildJob, shards: Sequence[Shard], workers: int, address: str | None
) -> Iterator[Done]:
    """Tasks of a Ray cluster: the one at `address`, or one started on this machine.

    Parts are written by the workers, so all of them must have access to the output folder.
    """
    cluster = import_extra("ray", "ray")
    started = not cluster.is_initialized()
    if started:
        cluster.init(address=address, num_cpus=None if address else workers, log_to_driver=False)
    try:
        task = cluster.remote(num_cpus=1, max_retries=3)(process_shard)
        waiting = {task.remote(job, shard): shard.number for shard in shards}
        while waiting:
            (ready,), _ = cluster.wait(list(waiting), num_returns=1)
            yield waiting.pop(ready), cluster.get(ready)
    finally:
        if started:
            cluster.shutdown()
