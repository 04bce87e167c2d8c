"""The contract of text sources, and the values they exchange with the pipeline.

A source is a module of `sources/builtin` (or of another package, by the entry points
`coindex.sources`) that has the members of `TextSource`. How a file is split into shards depends
on the file and on the shard size alone, never on the number of workers, so that every run sees
the same pages in the same shards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from coindex.types.mention import Pairs


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its title ("" for the opening) and its offset in the text."""

    title: str
    start: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page, comment or film, as plain text.

    id        the id that the source itself uses: the number of a page, the id of a comment
    revision  of the text, if the source states one
    position  its position in the file: "line 120", "byte 81920"
    meta      other values that the source states: a subreddit, a year
    """

    id: str
    title: str
    text: str
    url: str = ""
    revision: str = ""
    source: str = ""
    position: str = ""
    sections: tuple[Section, ...] = (Section("", 0),)
    meta: Pairs = ()


@dataclass(frozen=True, slots=True)
class RejectedInput:
    """Input that did not become a page, and why.

    skipped   true for what is left out by rule (a redirect, a deleted comment), false for
              what is damaged (a truncated file, invalid UTF-8)
    """

    source: str
    position: str
    reason: str
    skipped: bool = False
    example: str = ""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a file that can be read independently of the others.

    start, end  which part, in units of the source (bytes, streams); the whole file by default
    metadata    what else the source needs to read it
    """

    path: str
    number: int
    start: int = 0
    end: int | None = None
    metadata: Pairs = ()


class TextSource(Protocol):
    """The members of a source's module."""

    ABOUT: str
    """One line on what the source reads."""
    GENERIC: bool
    """Whether it also accepts files of more special sources, which are then preferred."""

    def sniff(self, name: str, head: str, /) -> bool:
        """Whether a file belongs to this source, by its path and its first characters."""
        ...

    def shards(self, path: str, size: int, /) -> tuple[Shard, ...]:
        """The shards of a file or folder, of about `size` bytes each, in the file's order."""
        ...

    def read(self, shard: Shard, /) -> Iterator[Page | RejectedInput]:
        """The pages of one shard, in order, and the input that did not become one."""
        ...
