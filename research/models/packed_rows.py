"""Pronoun problems as rows of subwords in flat arrays: how they are packed, and batches of them.

A reading is a problem, or its switched copy, with each candidate in the pronoun's place: one row
of subwords per candidate. The rows begin and end alike, so a reading is stored as what all rows
share at their beginning, the remainder of each row, and what all share at their end. Subwords are
stored as BERT numbers them, without the special tokens; a `Vocabulary` turns them into those of
an encoder (MPNet has the same words under other numbers).

This module needs numpy, and torch for batches.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

    from coindex.models.pronoun.candidate_rows import Batch

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """Subwords without special tokens, and the range of the candidate's among them."""

    subwords: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The number of each of BERT's subwords in an encoder, and its special tokens."""

    numbers: NDArray[np.int64]
    begin: int
    end: int
    pad: int

    def as_array(self) -> NDArray[np.int64]:
        """As one array; `of_array` reads it."""
        return np.concatenate([[self.begin, self.end, self.pad], self.numbers])

    @classmethod
    def of_array(cls, array: NDArray[np.int64]) -> Vocabulary:
        """The vocabulary of an array."""
        begin, end, pad = map(int, array[:3])
        return cls(array[3:], begin, end, pad)


def shared_ends(rows: Sequence[Sequence[int]]) -> tuple[int, int]:
    """How many subwords all rows share at their beginning, and at their end after that."""
    first, least = rows[0], min(map(len, rows))
    before = 0
    while before < least and all(row[before] == first[before] for row in rows):
        before += 1
    after = 0
    while after < least - before and all(row[-1 - after] == first[-1 - after] for row in rows):
        after += 1
    return before, after


@dataclass(slots=True)
class RowPacker:
    """Collects readings for a file.

    item, group   for each reading, the number of its problem, and that of its corpus
    switched      whether it is that of the switched copy
    before, after, counts   what its rows share at both ends; the number of its rows
    rest, start, end, target   for each row, the number of its own subwords, the candidate's range,
                               and the probability of its candidate that is learned
    """

    subwords: list[int] = field(default_factory=list)
    item: list[int] = field(default_factory=list)
    group: list[int] = field(default_factory=list)
    switched: list[bool] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    target: list[float] = field(default_factory=list)

    def add(
        self, item: int, group: int, switched: bool, rows: Sequence[Row], target: Sequence[float]
    ) -> None:
        """Add one reading, which may have no rows."""
        before, after = shared_ends([row.subwords for row in rows]) if rows else (0, 0)
        self.item.append(item)
        self.group.append(group)
        self.switched.append(switched)
        self.before.append(before)
        self.after.append(after)
        self.counts.append(len(rows))
        for at, row in enumerate(rows):
            stop = len(row.subwords) - after
            self.subwords.extend(row.subwords[:before] if at == 0 else ())
            self.subwords.extend(row.subwords[before:stop])
            self.rest.append(stop - before)
            self.start.append(row.start)
            self.end.append(row.end)
        self.subwords.extend(rows[0].subwords[len(rows[0].subwords) - after :] if rows else ())
        self.target.extend(target)

    def arrays(self) -> Arrays:
        """The arrays by name, as `PackedRows` takes them."""
        small = ("before", "after", "counts", "rest", "start", "end", "group")
        made: Arrays = {name: np.array(getattr(self, name), np.uint8) for name in small}
        made["subwords"] = np.array(self.subwords, np.uint16)
        made["item"] = np.array(self.item, np.int32)
        made["switched"] = np.array(self.switched, np.bool_)
        made["target"] = np.array(self.target, np.float16)
        return made


class PackedRows:
    """The readings of a file, with the offsets of each in the flat arrays.

    lengths   for each reading, the subwords of its longest row, with special tokens
    rows      where its rows begin in arrays of rows
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the arrays of `RowPacker.arrays`."""
        self.subwords = arrays["subwords"]
        self.item, self.group = arrays["item"], arrays["group"].astype(np.int64)
        self.switched = arrays["switched"]
        self.before, self.after, self.counts, self.rest, self.start, self.end = (
            arrays[name].astype(np.int64)
            for name in ("before", "after", "counts", "rest", "start", "end")
        )
        self.target = arrays["target"].astype(np.float32)
        self.rows = np.concatenate([[0], np.cumsum(self.counts)])
        ends = np.concatenate([[0], np.cumsum(self.rest)])
        own = ends[self.rows[1:]] - ends[self.rows[:-1]]
        self.starts = np.concatenate([[0], np.cumsum(self.before + own + self.after)])
        longest = np.zeros(len(self.item), np.int64)
        owner = np.repeat(np.arange(len(self.item)), self.counts)
        np.maximum.at(longest, owner, self.rest)
        self.lengths = self.before + longest + self.after + 2

    def __len__(self) -> int:
        return len(self.item)

    @property
    def costs(self) -> NDArray[np.int64]:
        """The subwords of all rows of each reading, padded to its longest."""
        return self.lengths * self.counts

    def part(self, kept: NDArray[np.int64]) -> PackedRows:
        """Some readings alone."""
        packer = RowPacker()
        for at in map(int, kept):
            words = self.subwords[self.starts[at] : self.starts[at + 1]].tolist()
            before, after = int(self.before[at]), int(self.after[at])
            tail = words[len(words) - after :]
            rows, here = [], before
            for one in range(self.rows[at], self.rows[at + 1]):
                middle = words[here : here + int(self.rest[one])]
                here += len(middle)
                whole = (*words[:before], *middle, *tail)
                rows.append(Row(whole, int(self.start[one]), int(self.end[one])))
            target = self.target[self.rows[at] : self.rows[at + 1]].tolist()
            group, switched = int(self.group[at]), bool(self.switched[at])
            packer.add(int(self.item[at]), group, switched, rows, target)
        return PackedRows(packer.arrays())

    def batch(self, chosen: Sequence[int], vocabulary: Vocabulary, device: torch.device) -> Batch:
        """The rows of some readings as one batch, padded."""
        import torch

        from coindex.models.pronoun.candidate_rows import Batch

        count = int(sum(self.counts[at] for at in chosen))
        longest = int(max(self.lengths[at] for at in chosen))
        table = np.full((count, longest), vocabulary.pad, np.int64)
        sizes = np.zeros((count, 1), np.int64)
        every = np.concatenate([np.arange(self.rows[at], self.rows[at + 1]) for at in chosen])
        owner = np.repeat(np.arange(len(chosen)), self.counts[list(chosen)])
        row = 0
        for at in chosen:
            row = self._fill(table, sizes, row, at, vocabulary)
        places = np.arange(longest)[None]
        own = (places > self.start[every][:, None]) & (places <= self.end[every][:, None])
        target = self.target[every] if len(self.target) else np.zeros(count, np.float32)
        arrays = (table, places < sizes, own, owner, target > 0.5, target)
        tensors = [torch.from_numpy(each) for each in arrays]
        if device.type == "cuda":
            tensors = [each.pin_memory().to(device, non_blocking=True) for each in tensors]
        return Batch(*tensors)

    def _fill(
        self, table: NDArray[np.int64], sizes: NDArray[np.int64], row: int, at: int,
        vocabulary: Vocabulary,
    ) -> int:  # fmt: skip
        """Write the rows of a reading from a row of the table on; returns the next one."""
        words = vocabulary.numbers[self.subwords[self.starts[at] : self.starts[at + 1]]]
        before, after = int(self.before[at]), int(self.after[at])
        here = before
        for one in range(self.rows[at], self.rows[at + 1]):
            size = int(self.rest[one])
            stop = 1 + before + size + after
            table[row, 0], table[row, stop] = vocabulary.begin, vocabulary.end
            table[row, 1 : 1 + before] = words[:before]
            table[row, 1 + before : 1 + before + size] = words[here : here + size]
            if after:
                table[row, 1 + before + size : stop] = words[-after:]
            sizes[row] = stop + 1
            here, row = here + size, row + 1
        return row


def join_arrays(parts: Iterable[Arrays]) -> Arrays:
    """The arrays of several packers, one after the other."""
    every = list(parts)
    return {name: np.concatenate([part[name] for part in every]) for name in every[0]}


def save_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, compressed as a whole."""
    made = io.BytesIO()
    np.savez(made, allow_pickle=False, **arrays)
    path.write_bytes(lzma.compress(made.getvalue(), preset=6))


def load_arrays(path: Path) -> Arrays:
    """The arrays of a file that `save_arrays` wrote."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as stored:
        return {name: stored[name] for name in stored.files}


def token_batches(
    lengths: NDArray[np.int64], counts: NDArray[np.int64], most: int, rng: np.random.Generator
) -> list[list[int]]:
    """Batches of at most `most` padded subwords, of similar lengths, in random order."""
    order = rng.permutation(len(lengths))
    pool = max(4000, len(order) // 40)
    batches: list[list[int]] = []
    for start in range(0, len(order), pool):
        near = order[start : start + pool]
        near = near[np.argsort(lengths[near], kind="stable")]
        batch: list[int] = []
        rows = 0
        for at in map(int, near):
            if batch and (rows + counts[at]) * lengths[at] > most:
                batches.append(batch)
                batch, rows = [], 0
            batch.append(at)
            rows += int(counts[at])
        batches.append(batch)
    return [batches[at] for at in rng.permutation(len(batches))]
