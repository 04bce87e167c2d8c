"""Ranges over a text, woven into a stream that opens and closes like brackets.

Ranges may nest, cross, share borders and break off. Every stretch of the stream
is properly nested: a range that crosses another is closed where the other ends
and opened again at once, and so is every open range at the end of a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

Range = tuple[int, int]
"""From where up to where, in characters."""


class Text(NamedTuple):
    """Characters of one line."""

    text: str


class Zero(NamedTuple):
    """The place of a token that has no characters."""


class Break(NamedTuple):
    """The end of a line."""


class Open(NamedTuple):
    """A part of a mark begins; `real` unless it only goes on after an interruption."""

    mark: int
    part: int
    real: bool


class Close(NamedTuple):
    """A part of a mark ends; `real` unless it goes on after an interruption."""

    mark: int
    part: int
    real: bool


Step = Text | Zero | Break | Open | Close


class _Part(NamedTuple):
    start: int
    end: int
    mark: int
    piece: int


def weave(text: str, marks: Sequence[Sequence[Range]], zeros: Collection[int]) -> Iterator[Step]:
    """The text with its marks as steps; `zeros` are the characters that stand for nothing."""
    opening: dict[int, list[_Part]] = defaultdict(list)
    borders = {0, len(text)}
    for mark, ranges in enumerate(marks):
        for index, (start, end) in enumerate(ranges):
            opening[start].append(_Part(start, end, mark, index))
            borders.update((start, end))
    ends = (at for at, char in enumerate(text) if char in "\r\n")
    for at in (*ends, *zeros):
        borders.update((at, at + 1))
    open_: list[_Part] = []
    for here, after in pairwise(sorted(borders)):
        yield from _turn(open_, here, opening.get(here, ()))
        if here in zeros:
            yield Zero()
        elif text[here] in "\r\n":
            if not text.startswith("\r\n", here):  # the \n of the pair will do
                yield from _new_line(open_)
        else:
            yield Text(text[here:after])
    yield from _turn(open_, len(text), ())


def _turn(open_: list[_Part], here: int, opening: Iterable[_Part]) -> Iterator[Step]:
    """Close what ends here and open what begins, the longest first."""
    keep = next((at for at, part in enumerate(open_) if part.end == here), len(open_))
    interrupted = open_[keep:]
    del open_[keep:]
    for part in reversed(interrupted):
        yield Close(part.mark, part.piece, part.end == here)
    resumed = (part for part in interrupted if part.end > here)
    for part in sorted((*resumed, *opening), key=lambda p: (-p.end, p.start, p.mark)):
        open_.append(part)
        yield Open(part.mark, part.piece, part.start == here)


def _new_line(open_: Sequence[_Part]) -> Iterator[Step]:
    for part in reversed(open_):
        yield Close(part.mark, part.piece, False)
    yield Break()
    for part in open_:
        yield Open(part.mark, part.piece, False)


def levels(marks: Sequence[Sequence[Range]]) -> list[int]:
    """A lane for each mark: 0 is next to the text, no two that overlap share one.

    Whatever holds another mark lies further out.
    """
    borders = sorted({border for ranges in marks for range_ in ranges for border in range_})
    cell = {border: index for index, border in enumerate(borders)}
    free = [0] * len(borders)
    found = [0] * len(marks)
    sizes = [sum(end - start for start, end in ranges) for ranges in marks]
    for mark in sorted(range(len(marks)), key=lambda m: (sizes[m], marks[m][0], -m)):
        cells = [(cell[start], cell[end]) for start, end in marks[mark]]
        found[mark] = max(max(free[start:end]) for start, end in cells)
        for start, end in cells:
            free[start:end] = [found[mark] + 1] * (end - start)
    return found


def outers(marks: Sequence[Sequence[Range]]) -> list[int | None]:
    """The nearest mark around each mark, gaps counted as its own."""
    found: list[int | None] = [None] * len(marks)
    open_: list[int] = []
    for mark in sorted(range(len(marks)), key=lambda m: (marks[m][0][0], -marks[m][-1][1], m)):
        start, end = marks[mark][0][0], marks[mark][-1][1]
        open_ = [other for other in open_ if marks[other][-1][1] > start]
        found[mark] = next((other for other in reversed(open_) if marks[other][-1][1] >= end), None)
        open_.append(mark)
    return found


def crossing(marks: Sequence[Sequence[Range]]) -> frozenset[int]:
    """The marks that overlap another without one being inside the other."""
    found: set[int] = set()
    open_: list[tuple[int, int]] = []
    parts = sorted(
        (start, -end, mark) for mark, ranges in enumerate(marks) for start, end in ranges
    )
    for start, negative, mark in parts:
        open_ = [other for other in open_ if other[0] > start]
        for end, other in open_:
            if end < -negative and other != mark:
                found.update((mark, other))
        open_.append((-negative, mark))
    return frozenset(found)
