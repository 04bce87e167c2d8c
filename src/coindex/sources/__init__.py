"""Sources of raw text: one file each, found by its name.

A source's file states, in `ABOUT`, what it reads. It has three functions:

    sniff(name, head)  -> bool                  whether a file is its own, by path and beginning
    shards(path, size) -> tuple[Shard, ...]     the parts that can be read on their own
    read(shard)        -> Iterator[Page | Bad]  the pages of one part, in order

Cutting into shards depends on the file and on `size` alone, never on the number of
workers, so every run sees the same pages in the same shards.

    from coindex import sources
    for item in sources.pages("dump.xml.bz2"): ...
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Protocol

from coindex import plugins
from coindex.errors import InputError
from coindex.sources._files import checksum, files
from coindex.sources._page import Bad, Page, Section, Shard
from coindex.sources._unpack import head

__all__ = [
    "Bad", "Page", "Section", "Shard", "Source", "checksum", "files", "guess", "load", "names",
    "pages",
]  # fmt: skip

SIZE = 4 << 20
"""How many bytes of a file a shard has unless told."""

_FALLBACK = ("jsonl", "text")  # what fits much else too
_LOOKED = 4


class Source(Protocol):
    """The names a source's file defines."""

    ABOUT: str

    def sniff(self, name: str, head: str) -> bool:
        """Whether a file is this source's, by its path and its first characters."""
        ...

    def shards(self, path: str, size: int) -> tuple[Shard, ...]:
        """The parts that can be read on their own, in the file's order."""
        ...

    def read(self, shard: Shard) -> Iterator[Page | Bad]:
        """The pages of one part, in order, and what gave none."""
        ...


def names() -> tuple[str, ...]:
    """The names of all sources; nothing is imported."""
    return plugins.names("sources")


def load(name: str) -> Source:
    """A source by its name."""
    module: Any = plugins.load("sources", name)
    return module  # type: ignore[no-any-return]


def guess(path: str | os.PathLike[str]) -> str:
    """The name of the source that a file is of, or the first files of a folder."""
    looked = files(path)[:_LOOKED]
    found = [name for file in looked for name in _fitting(file)]
    special = list(dict.fromkeys(name for name in found if name not in _FALLBACK))
    chosen = special or found[:1]
    if len(chosen) == 1:
        return chosen[0]
    listed = "; ".join(f"{name} ({load(name).ABOUT})" for name in chosen or names())
    found_here = "what may be of several" if chosen else f"what begins {_shown(looked[0])}"
    message = f"expected text of one of coindex's sources, found {found_here}"
    raise InputError(f"{looked[0]}: {message}; say which with --source: {listed}")


def _shown(file: str) -> str:
    """The beginning of a file, for an error message."""
    return repr(head(file)[:40].decode("utf-8", "replace"))


def _fitting(file: str) -> list[str]:
    beginning = head(file).decode("utf-8-sig", "replace")
    return [name for name in names() if load(name).sniff(file, beginning)]


def pages(
    path: str | os.PathLike[str], name: str | None = None, size: int = SIZE
) -> Iterator[Page | Bad]:
    """All pages of a file or folder, and what gave none, in order."""
    source = load(name or guess(path))
    for shard in source.shards(os.fspath(path), size):
        yield from source.read(shard)
