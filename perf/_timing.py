"""Timing that several measurements share."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def fastest(work: Callable[[], object], repeats: int = 9) -> float:
    """The shortest of several runs: what the machine can do when nothing disturbs it."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        kept = work()
        times.append(time.perf_counter() - start)
        del kept
    return min(times)
