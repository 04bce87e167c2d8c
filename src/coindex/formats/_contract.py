"""What a format's file must contain. See docs/add-a-format.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.core.source import Source

Item = Document | Problem


class Format(Protocol):
    """The names a format module defines; optional ones are read with `getattr`.

    KIND     "document" or "problem"
    HOLDS    the features it keeps (see `coindex.core.features`)
    WRITES   optional: features it writes for people and does not read back
    PARTS    optional: the suffixes of a format of two files, which then defines
             `read(lines, source, text)` and `write_parts(item)` for each file
    remarks  optional: `remarks(document)`, what it holds in a way worth a word,
             each with a count
    refuse   for problems: `refuse(problem)`, why one cannot be written, or None
    """

    KIND: str
    HOLDS: frozenset[str]

    def sniff(self, head: Sequence[str]) -> bool:
        """Whether the first lines of a file are in this format."""
        ...

    def read(self, lines: Iterable[str], source: Source) -> Iterator[Any]:
        """The items of a file, one by one."""
        ...

    def write(self, items: Iterable[Any]) -> Iterator[str]:
        """The lines of a file, each with its line break."""
        ...
