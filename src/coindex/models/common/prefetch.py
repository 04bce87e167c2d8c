"""Items that are made in the background, a few ahead of their use."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def prefetch(
    make: Callable[[Item], Made], items: Iterable[Item], ahead: int = 2
) -> Generator[Made]:
    """`map(make, items)`, in a thread that is at most `ahead` items ahead.

    Items are made one after the other, in their order; an error is raised where its item would
    be. A consumer that stops early waits for at most one item.
    """
    rest = iter(items)
    with ThreadPoolExecutor(1, thread_name_prefix="prefetch") as pool:
        waiting: deque[Future[Made]] = deque(
            pool.submit(make, item) for item in islice(rest, ahead)
        )
        try:
            while waiting:
                made = waiting.popleft().result()
                waiting.extend(pool.submit(make, item) for item in islice(rest, 1))
                yield made
        finally:
            for future in waiting:
                future.cancel()
