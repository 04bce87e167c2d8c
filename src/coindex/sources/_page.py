"""What sources give: pages, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field

from coindex.core.mention import Pairs


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its title ("" for the opening) and where it starts in the text."""

    title: str
    start: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page, comment or film, as plain text.

    id        of the source itself: a page's number, a comment's id
    revision  of the text, where the source says
    place     where it stands in its file: "line 120", "byte 81920"
    meta      whatever else the source says: a subreddit, a year
    """

    id: str
    title: str
    text: str
    url: str = ""
    revision: str = ""
    source: str = ""
    place: str = ""
    sections: tuple[Section, ...] = (Section("", 0),)
    meta: Pairs = ()


@dataclass(frozen=True, slots=True)
class Bad:
    """Input that gave no page, and why.

    skipped     true for what is left out by rule (a redirect, a deleted comment), false for
                what is broken (a cut file, invalid UTF-8)
    """

    source: str
    place: str
    reason: str
    skipped: bool = False
    example: str = ""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a file that can be read on its own.

    start, end  what part, in the source's own units (bytes, streams); the whole file by default
    """

    path: str
    number: int
    start: int = 0
    end: int | None = None
    facts: Pairs = field(default=())
