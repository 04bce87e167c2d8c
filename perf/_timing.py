"""Timing that several measurements share."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def fastest(work: Callable[[], object], repeats: int = 9) -> float:
    """The shortest of several runs: what the machine can do when nothing disturbs it."""
    return in_turns(work, repeats=repeats)[0]


def in_turns(*works: Callable[[], object], repeats: int = 9) -> list[float]:
    """The shortest run of each, run in turns: a disturbance does not fall on one alone."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            gc.collect()
            start = time.perf_counter()
            kept = work()
            taken.append(time.perf_counter() - start)
            del kept
    return list(map(min, times))
