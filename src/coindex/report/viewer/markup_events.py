"""A marked text as a stream of events that open and close marks.

Marks may nest, cross, share borders and be discontinuous. The events are always properly
nested: a mark that crosses another is closed where the other ends and reopened at once, and so
is every open mark at the end of a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

Range = tuple[int, int]
"""The start and the end, exclusive, in characters."""


class Text(NamedTuple):
    """Characters of one line."""

    text: str


class Zero(NamedTuple):
    """A token that has no characters."""


class Break(NamedTuple):
    """The end of a line."""


class Open(NamedTuple):
    """A part of a mark begins; not `real` if it is only reopened after an interruption."""

    mark: int
    part: int
    real: bool


class Close(NamedTuple):
    """A part of a mark ends; not `real` if it is reopened after an interruption."""

    mark: int
    part: int
    real: bool


class Said(NamedTuple):
    """Somebody begins to speak here."""

    speaker: str
    addressee: str


Event = Text | Zero | Break | Open | Close | Said


class _Part(NamedTuple):
    start: int
    end: int
    mark: int
    part: int


def markup_events(
    text: str,
    marks: Sequence[Sequence[Range]],
    zeros: Collection[int],
    said: Mapping[int, Said] | None = None,
) -> Iterator[Event]:
    """The events of a text.

    zeros  the characters that represent empty tokens
    said   the offsets where turns begin
    """
    said = {} if said is None else said
    opening: dict[int, list[_Part]] = defaultdict(list)
    borders = {0, len(text), *said}
    for mark, ranges in enumerate(marks):
        for index, (start, end) in enumerate(ranges):
            opening[start].append(_Part(start, end, mark, index))
            borders.update((start, end))
    ends = (at for at, char in enumerate(text) if char in "\r\n")
    for at in (*ends, *zeros):
        borders.update((at, at + 1))
    open_: list[_Part] = []
    for here, after in pairwise(sorted(borders)):
        if here in said:
            yield said[here]
        yield from _border(open_, here, opening.get(here, ()))
        if here in zeros:
            yield Zero()
        elif text[here] in "\r\n":
            if not text.startswith("\r\n", here):  # the \n of the pair ends the line
                yield from _new_line(open_)
        else:
            yield Text(text[here:after])
    yield from _border(open_, len(text), ())


def _border(open_: list[_Part], here: int, opening: Iterable[_Part]) -> Iterator[Event]:
    """Close the parts that end here and open those that begin, the longest first."""
    outer = next((at for at, part in enumerate(open_) if part.end == here), len(open_))
    interrupted = open_[outer:]
    del open_[outer:]
    for part in reversed(interrupted):
        yield Close(part.mark, part.part, part.end == here)
    resumed = (part for part in interrupted if part.end > here)
    for part in sorted((*resumed, *opening), key=lambda p: (-p.end, p.start, p.mark)):
        open_.append(part)
        yield Open(part.mark, part.part, part.start == here)


def _new_line(open_: Sequence[_Part]) -> Iterator[Event]:
    for part in reversed(open_):
        yield Close(part.mark, part.part, False)
    yield Break()
    for part in open_:
        yield Open(part.mark, part.part, False)


def nesting_levels(marks: Sequence[Sequence[Range]]) -> list[int]:
    """The level of each mark: 0 is next to the text, and overlapping marks have different levels.

    An enclosing mark has a higher level than those inside it.
    """
    borders = sorted({border for ranges in marks for range_ in ranges for border in range_})
    cell = {border: index for index, border in enumerate(borders)}
    free = [0] * len(borders)
    levels = [0] * len(marks)
    sizes = [sum(end - start for start, end in ranges) for ranges in marks]
    for mark in sorted(range(len(marks)), key=lambda m: (sizes[m], marks[m][0], -m)):
        cells = [(cell[start], cell[end]) for start, end in marks[mark]]
        levels[mark] = max(max(free[start:end]) for start, end in cells)
        for start, end in cells:
            free[start:end] = [levels[mark] + 1] * (end - start)
    return levels


def enclosing_marks(marks: Sequence[Sequence[Range]]) -> list[int | None]:
    """The nearest enclosing mark of each mark; gaps count as part of a mark."""
    enclosing: list[int | None] = [None] * len(marks)
    open_: list[int] = []
    for mark in sorted(range(len(marks)), key=lambda m: (marks[m][0][0], -marks[m][-1][1], m)):
        start, end = marks[mark][0][0], marks[mark][-1][1]
        open_ = [other for other in open_ if marks[other][-1][1] > start]
        enclosing[mark] = next(
            (other for other in reversed(open_) if marks[other][-1][1] >= end), None
        )
        open_.append(mark)
    return enclosing


def crossing_marks(marks: Sequence[Sequence[Range]]) -> frozenset[int]:
    """The marks that overlap another one that neither encloses them nor lies within them."""
    crossing: set[int] = set()
    open_: list[tuple[int, int]] = []
    parts = sorted(
        (start, -end, mark) for mark, ranges in enumerate(marks) for start, end in ranges
    )
    for start, negative, mark in parts:
        open_ = [other for other in open_ if other[0] > start]
        for end, other in open_:
            if end < -negative and other != mark:
                crossing.update((mark, other))
        open_.append((-negative, mark))
    return frozenset(crossing)
