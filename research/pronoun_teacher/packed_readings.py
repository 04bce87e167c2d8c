"""Readings of pronoun problems in flat arrays: how they are packed, and batches of them.

A reading is the text of a problem with each candidate in the pronoun's place: one row of
subwords per candidate. The rows begin alike, up to the pronoun, so a reading is stored as the
subwords that all rows share and the remainder of each row.

This module needs numpy, and torch for batches. It does not need coindex.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Arrays = dict[str, NDArray[Any]]
_MULTIPLE = 8  # batches are padded to a multiple of this length


def shared_length(rows: Sequence[Sequence[int]]) -> int:
    """The number of subwords that all rows begin with; each row keeps at least one of its own."""
    least = min(map(len, rows)) - 1
    first = rows[0]
    for at in range(least):
        if any(row[at] != first[at] for row in rows):
            return at
    return least


@dataclass(slots=True)
class ReadingPacker:
    """Collects readings for a file.

    item      for each reading, the number of its problem
    switched  whether the reading is that of the switched copy
    shared    the number of subwords that its rows share
    counts    the number of its rows
    rest      for each row, the number of its remaining subwords
    right     for each row, whether its candidate is right
    """

    subwords: list[NDArray[np.uint32]] = field(default_factory=list)
    item: list[int] = field(default_factory=list)
    switched: list[bool] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(
        self, item: int, switched: bool, rows: Sequence[Sequence[int]], right: Sequence[bool]
    ) -> None:
        """Add one reading."""
        shared = shared_length(rows)
        self.subwords.append(np.array(rows[0][:shared], np.uint32))
        self.subwords.extend(np.array(row[shared:], np.uint32) for row in rows)
        self.item.append(item)
        self.switched.append(switched)
        self.shared.append(shared)
        self.counts.append(len(rows))
        self.rest.extend(len(row) - shared for row in rows)
        self.right.extend(right)

    def arrays(self) -> Arrays:
        """The arrays by name, as `PackedReadings` takes them."""
        return {
            "subwords": np.concatenate(self.subwords),
            "item": np.array(self.item, np.int32),
            "switched": np.array(self.switched, np.bool_),
            "shared": np.array(self.shared, np.uint8),
            "counts": np.array(self.counts, np.uint8),
            "rest": np.array(self.rest, np.uint8),
            "right": np.array(self.right, np.bool_),
        }


@dataclass(slots=True)
class Batch:
    """Several readings, padded.

    subwords, position  (readings, longest): ids, and the position of each in its own row
    row                 (readings, longest): 0 for shared subwords, else the number of the row
                        from 1; -1 for padding
    last                (rows, 2): the reading and the index of the last subword of each row
    owner, right        (rows): its reading; whether its candidate is right
    """

    subwords: Tensor
    position: Tensor
    row: Tensor
    last: Tensor
    owner: Tensor
    right: Tensor

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        parts = (self.subwords, self.position, self.row, self.last, self.owner, self.right)
        if device.type != "cuda":
            return Batch(*parts)
        return Batch(*(each.pin_memory().to(device, non_blocking=True) for each in parts))


class PackedReadings:
    """The readings of a file, with the offsets of each in the flat arrays.

    lengths   for each reading, the number of its subwords
    starts    where they begin; rows: where its rows begin in arrays of rows
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the arrays of `ReadingPacker.arrays`."""
        self.subwords = arrays["subwords"]
        self.item, self.switched = arrays["item"], arrays["switched"]
        self.shared = arrays["shared"].astype(np.int64)
        self.counts = arrays["counts"].astype(np.int64)
        self.rest, self.right = arrays["rest"].astype(np.int64), arrays["right"]
        self.rows = np.concatenate([[0], np.cumsum(self.counts)])
        ends = np.concatenate([[0], np.cumsum(self.rest)])
        self.lengths = self.shared + ends[self.rows[1:]] - ends[self.rows[:-1]]
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])

    def __len__(self) -> int:
        return len(self.item)

    def batch(self, chosen: Sequence[int]) -> Batch:
        """Some readings as one batch."""
        import torch

        longest = -(-int(max(self.lengths[at] for at in chosen)) // _MULTIPLE) * _MULTIPLE
        subwords = np.zeros((len(chosen), longest), np.int64)
        position = np.zeros((len(chosen), longest), np.int64)
        row = np.full((len(chosen), longest), -1, np.int64)
        last: list[tuple[int, int]] = []
        owner: list[int] = []
        right: list[bool] = []
        for number, at in enumerate(chosen):
            length, shared = self.lengths[at], self.shared[at]
            subwords[number, :length] = self.subwords[self.starts[at] : self.starts[at] + length]
            position[number, :shared] = np.arange(shared)
            row[number, :shared] = 0
            here = int(shared)
            for index, one in enumerate(range(self.rows[at], self.rows[at + 1]), 1):
                size = int(self.rest[one])
                position[number, here : here + size] = np.arange(shared, shared + size)
                row[number, here : here + size] = index
                here += size
                last.append((number, here - 1))
                owner.append(number)
                right.append(bool(self.right[one]))
        arrays = (subwords, position, row, np.array(last), np.array(owner), np.array(right))
        return Batch(*map(torch.from_numpy, arrays))
