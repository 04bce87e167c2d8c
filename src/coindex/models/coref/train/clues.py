"""Partial annotation: pronouns and links of which some antecedents are known.

A step needs clues as arrays. They are made once per example, since a document of links has
thousands of them; a batch concatenates the arrays of its examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import repeat
from typing import overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Clue:
    """The partial annotation of one pronoun: spans that corefer with it, and that do not.

    names   the right candidates where they were annotated, which are mentions for certain
    inner   the parts of annotated names, which are no mentions for certain
    link    whether only the links are known, and not that the pronoun is a mention: then it is
            a name, whose borders depend on the scheme
    """

    pronoun: Pair
    right: tuple[Pair, ...]
    wrong: tuple[Pair, ...]
    names: tuple[Pair, ...] = ()
    inner: tuple[Pair, ...] = ()
    link: bool = False


@dataclass(frozen=True, slots=True)
class ClueArrays:
    """Clues as arrays; spans are rows of start and end.

    spans       all spans of the clues: pronouns, right ones and wrong ones
    mentions    spans that are mentions for certain; inner: spans that are none
    pronouns    the pronoun of each link; others: the span that it is linked with, or not
    groups      the number of each link's group: the right spans of a clue, or its wrong ones
    right       whether each group is one of right spans, 1 or 0
    """

    spans: Ints
    mentions: Ints
    inner: Ints
    pronouns: Ints
    others: Ints
    groups: Ints
    right: Ints

    @classmethod
    def of(cls, clues: Iterable[Clue]) -> ClueArrays:
        """The arrays of some clues."""
        spans: set[Pair] = set()
        mentions: list[Pair] = []
        inner: list[Pair] = []
        pronouns: list[Pair] = []
        others: list[Pair] = []
        groups: list[int] = []
        right: list[int] = []
        for clue in clues:
            spans.update((clue.pronoun, *clue.right, *clue.wrong))
            if not clue.link:
                mentions += (clue.pronoun, *clue.names)
                inner += clue.inner
            for side, sign in ((clue.right, 1), (clue.wrong, 0)):
                linked = [span for span in side if span != clue.pronoun]
                pronouns += repeat(clue.pronoun, len(linked))
                others += linked
                groups += repeat(len(right), len(linked))
                right += [sign] * bool(side)
        return cls(
            _rows(sorted(spans)), _rows(mentions), _rows(inner), _rows(pronouns), _rows(others),
            np.array(groups, dtype=np.int64), np.array(right, dtype=np.int64),
        )  # fmt: skip

    @classmethod
    def joined(cls, arrays: Sequence[ClueArrays], words: Sequence[int]) -> ClueArrays:
        """The arrays of several texts as one; `words`: how many words are before each."""
        columns: dict[str, list[Ints]] = {field.name: [] for field in fields(cls)}
        groups = 0
        for own, before in zip(arrays, words, strict=True):
            for name, column in columns.items():
                shift = {"groups": groups, "right": 0}.get(name, before)
                column.append(getattr(own, name) + shift)
            groups += len(own.right)
        return cls(**{name: np.concatenate(column) for name, column in columns.items()})


def _rows(spans: Sequence[Pair]) -> Ints:
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Clues(Sequence[Clue]):
    """The clues of an example, with their arrays; a merged example has the arrays alone."""

    each: tuple[Clue, ...]
    size: int
    arrays: ClueArrays

    @classmethod
    def of(cls, clues: Sequence[Clue] = ()) -> Clues:
        """Some clues."""
        return cls(tuple(clues), len(clues), ClueArrays.of(clues))

    @classmethod
    def joined(cls, clues: Sequence[Clues], words: Sequence[int]) -> Clues:
        """The clues of several texts as one; `words`: how many words are before each."""
        arrays = ClueArrays.joined([each.arrays for each in clues], words)
        return cls((), sum(each.size for each in clues), arrays)

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Clue: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Clue, ...]: ...

    def __getitem__(self, index: int | slice) -> Clue | tuple[Clue, ...]:
        return self.each[index]

    def __iter__(self) -> Iterator[Clue]:
        return iter(self.each)


def shift_clue(clue: Clue, by: int) -> Clue:
    """The clue after `by` words were put before its text."""

    def shifted(spans: Iterable[Pair]) -> tuple[Pair, ...]:
        return tuple((a + by, b + by) for a, b in spans)

    return Clue(
        shifted([clue.pronoun])[0], shifted(clue.right), shifted(clue.wrong),
        shifted(clue.names), shifted(clue.inner), clue.link,
    )  # fmt: skip
