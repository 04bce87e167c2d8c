"""Sources of raw text: one module each in `builtin`, found by its name.

`protocol` states what a source has to define.

    from coindex.builders import sources
    for item in sources.pages("dump.xml.bz2"): ...
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import cast

from coindex import plugins
from coindex.builders.sources.decompress import read_head
from coindex.builders.sources.protocol import Page, RejectedInput, Section, Shard, TextSource
from coindex.builders.sources.sharding import file_checksum, list_files
from coindex.errors import InputError

__all__ = [
    "Page", "RejectedInput", "Section", "Shard", "TextSource", "file_checksum", "guess",
    "list_files", "load", "names", "pages",
]  # fmt: skip

SIZE = 4 << 20
"""The size of a shard in bytes unless another is given."""

_EXAMINED = 4  # files of a folder


def names() -> tuple[str, ...]:
    """The names of all sources; nothing is imported."""
    return plugins.names("sources")


def load(name: str) -> TextSource:
    """The source of that name, with the defaults of members that it leaves out."""
    module = plugins.load("sources", name)
    vars(module).setdefault("GENERIC", False)
    return cast(TextSource, module)


def guess(path: str | os.PathLike[str]) -> str:
    """The name of the source that a file, or the first files of a folder, belong to."""
    files = list_files(path)[:_EXAMINED]
    accepting: list[str] = []
    for file in files:
        head = read_head(file).decode("utf-8-sig", "replace")
        accepting += [name for name in names() if load(name).sniff(file, head)]
    special = list(dict.fromkeys(name for name in accepting if not load(name).GENERIC))
    chosen = special or accepting[:1]
    if len(chosen) == 1:
        return chosen[0]
    listed = "; ".join(f"{name} ({load(name).ABOUT})" for name in chosen or names())
    beginning = read_head(files[0])[:40].decode("utf-8", "replace")
    actual = "what may be of several" if chosen else f"what begins {beginning!r}"
    message = f"expected text of one of coindex's sources, found {actual}"
    raise InputError(f"{files[0]}: {message}; say which with --source: {listed}")


def pages(
    path: str | os.PathLike[str], name: str | None = None, size: int = SIZE
) -> Iterator[Page | RejectedInput]:
    """All pages of a file or folder, and the input that did not become one, in order."""
    source = load(name or guess(path))
    for shard in source.shards(os.fspath(path), size):
        yield from source.read(shard)
