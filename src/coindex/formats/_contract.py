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

    KIND    "document" or "problem"
    HOLDS   the features it keeps (see `coindex.core.features`)
    NOTES   optional: features it keeps in a way worth a word, with that word
    PARTS   optional: the suffixes of a format that needs two files
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
