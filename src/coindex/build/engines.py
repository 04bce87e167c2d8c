"""Who does the work: this process, several processes, or a Ray cluster.

Every engine is given the same shards and answers, in any order, with the number of
each shard that is done and how many items it has.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from coindex.build.work import Job, work
from coindex.errors import MissingExtra
from coindex.sources import Shard

ENGINES = ("local", "ray")
Done = tuple[int, int]

_LOOKED = 0.5  # seconds between two looks at whether the run is still there


def local(job: Job, shards: Sequence[Shard], workers: int) -> Iterator[Done]:
    """Processes of this machine; one worker is this process itself."""
    if workers == 1 or len(shards) < 2:
        for shard in shards:
            yield shard.number, work(job, shard)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        min(workers, len(shards)), context, initializer=end_with, initargs=(os.getpid(),)
    ) as pool:
        waiting = {pool.submit(work, job, shard): shard.number for shard in shards}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def end_with(parent: int) -> None:
    """End this worker soon after the run that started it, also when that was killed.

    Else it would work on, and write parts beside those of the run that goes on.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKED)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def ray(job: Job, shards: Sequence[Shard], workers: int, address: str | None) -> Iterator[Done]:
    """Tasks of a Ray cluster: the one at `address`, or one started on this machine.

    Parts are written by the workers, so the output folder must be one that all can see.
    """
    try:
        import ray as cluster
    except ImportError:
        raise MissingExtra("ray", "ray") from None
    own = not cluster.is_initialized()
    if own:
        cluster.init(address=address, num_cpus=None if address else workers, log_to_driver=False)
    try:
        task = cluster.remote(num_cpus=1, max_retries=3)(work)
        waiting = {task.remote(job, shard): shard.number for shard in shards}
        while waiting:
            (ready,), _ = cluster.wait(list(waiting), num_returns=1)
            yield waiting.pop(ready), cluster.get(ready)
    finally:
        if own:
            cluster.shutdown()
