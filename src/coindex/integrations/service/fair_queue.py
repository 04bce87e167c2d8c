"""A queue in which large requests do not delay small ones.

Items are taken in the order in which they would end if all requests shared the time evenly (fair
queueing, with the clock of Golestani, "A self-clocked fair queueing scheme", INFOCOM 1994): the
clock shows the work that each request could have had done by now, and an item is due when the
clock has advanced by the size of what its request has submitted up to it. A small request comes
before large ones that wait, and a large one waits no longer than for as much work of others as
its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import Generic, TypeVar

Item = TypeVar("Item")
Group = TypeVar("Group", bound=Hashable)


class FairQueue(Generic[Group, Item]):
    """Items in groups, such as texts with equal options; it is not safe in threads by itself."""

    def __init__(self) -> None:
        self._heaps: dict[Group, list[tuple[int, int, Item]]] = {}
        self._numbers = count()
        self._clock = 0

    def __len__(self) -> int:
        return sum(map(len, self._heaps.values()))

    def add(self, group: Group, items: Iterable[tuple[int, Item]]) -> None:
        """Add the items of one request, each with its size."""
        due = self._clock
        for size, item in items:
            due += size
            heappush(self._heaps.setdefault(group, []), (due, next(self._numbers), item))

    def first(self) -> Item | None:
        """The item that is due first, of all groups; it is not taken."""
        heads = [heap[0] for heap in self._heaps.values()]
        return min(heads, key=lambda head: head[:2])[2] if heads else None

    def take(self, group: Group) -> Item | None:
        """The item of a group that is due first."""
        heap = self._heaps.get(group)
        if not heap:
            return None
        due, _, item = heappop(heap)
        if not heap:
            del self._heaps[group]
        self._clock = max(self._clock, due)
        return item
