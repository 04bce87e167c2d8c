"""Groups of readings that fit into memory, and results that are computed ahead.

This module needs numpy. It does not need coindex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from research.pronoun_teacher.packed_readings import PackedReadings

T = TypeVar("T")
R = TypeVar("R")


def split_by_size(
    readings: PackedReadings, chosen: Iterable[int], most: int
) -> Iterator[list[int]]:
    """The chosen readings in groups of at most `most` subwords, padding included."""
    group: list[int] = []
    longest = 0
    for at in sorted(chosen, key=readings.lengths.__getitem__):
        longest = max(longest, int(readings.lengths[at]))
        if group and longest * (len(group) + 1) > most:
            yield group
            group, longest = [], int(readings.lengths[at])
        group.append(at)
    if group:
        yield group


def prefetch(make: Callable[[T], R], todo: Iterable[T], depth: int = 8) -> Iterator[R]:
    """The results of `make` in order, computed ahead by two threads."""
    with ThreadPoolExecutor(2) as pool:
        waiting: list[Future[R]] = []
        for each in todo:
            waiting.append(pool.submit(make, each))
            if len(waiting) >= depth:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()
