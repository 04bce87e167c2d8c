"""What is kept between calls, up to a limit: the least recently used goes first.

A server that runs for months sees ever new documents, and each version of an annotation
is a new one; what has been made from them must not add up.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass
class Kept(Generic[Value]):
    """Values by key, each with a size; all sizes together stay within `most`.

    The newest value is always kept, however large.
    """

    most: int
    total: int = 0
    _held: OrderedDict[str, tuple[int, Value]] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: str) -> bool:
        return key in self._held

    def get(self, key: str, size: int, make: Callable[[], Value]) -> Value:
        """The value of a key, made if it is not here; then what is too much goes."""
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key][1]
        made = make()
        self._held[key] = size, made
        self.total += size
        while self.total > self.most and len(self._held) > 1:
            _, (freed, _) = self._held.popitem(last=False)
            self.total -= freed
        return made

    def clear(self) -> None:
        """Keep nothing."""
        self._held.clear()
        self.total = 0
