"""What a format's module defines, and how one is loaded. See docs/how-to/add-a-format.md.

A format stores documents or problems. A format of documents has one stream of lines, or two
files per document (brat: annotation and text), or a file that is not text. `load` recognises
which of the four protocols a module implements; no other code tests for optional members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from coindex import plugins
from coindex.errors import InvalidValue
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.source import Source

Item = Document | Problem


class _Format(Protocol):
    """The members that every format has.

    KIND      "document" or "problem"
    SUPPORTS  the features that survive writing and reading (see `coindex.transform.reduce`)
    """

    KIND: str
    SUPPORTS: frozenset[str]

    def sniff(self, head: Sequence[str]) -> bool:
        """Whether the first lines of a file are in this format."""
        ...


@runtime_checkable
class ProblemFormat(_Format, Protocol):
    """A format of problems."""

    def read(self, lines: Iterable[str], source: Source) -> Iterator[Problem]:
        """The problems of a file, one by one."""
        ...

    def write(self, items: Iterable[Problem]) -> Iterator[str]:
        """The lines of a file, each with its line break."""
        ...

    def refuse(self, problem: Problem) -> str | None:
        """Why a problem cannot be written; None if it can."""
        ...


@runtime_checkable
class DocumentFormat(_Format, Protocol):
    """A format of documents in one file.

    WRITES_ONLY   features that are written for people and not read back (default: none)
    ONE_DOCUMENT  whether a file holds one document alone (default: no)
    """

    WRITES_ONLY: frozenset[str]
    ONE_DOCUMENT: bool

    def read(self, lines: Iterable[str], source: Source) -> Iterator[Document]:
        """The documents of a file, one by one."""
        ...

    def write(self, items: Iterable[Document]) -> Iterator[str]:
        """The lines of a file, each with its line break."""
        ...

    def remarks(self, document: Document) -> Mapping[str, int]:
        """Remarks for users on how something is written, with counts (default: none)."""
        ...


@runtime_checkable
class TwoFileFormat(_Format, Protocol):
    """A format of two files per document: annotation, and the text that it refers to.

    PARTS       what the names of the two files end with
    FOLDERS     where a part may be that is not beside the other one: paths relative to its
                folder (default: none)
    BY_CONTENT  whether the first suffix is that of other formats too, so that the content
                decides (default: no)
    """

    PARTS: tuple[str, str]
    FOLDERS: tuple[str, ...]
    BY_CONTENT: bool
    WRITES_ONLY: frozenset[str]

    def read_parts(self, lines: Iterable[str], text: str, source: Source) -> Iterator[Document]:
        """The document of an annotation file and its text."""
        ...

    def write_parts(self, document: Document) -> tuple[Iterable[str], Iterable[str]]:
        """The lines of the annotation file, and those of the text file."""
        ...

    def remarks(self, document: Document) -> Mapping[str, int]:
        """As in `DocumentFormat`."""
        ...


@runtime_checkable
class BinaryFormat(_Format, Protocol):
    """A format of documents in a file that is not text; `sniff` is False for any lines."""

    WRITES_ONLY: frozenset[str]

    def recognise(self, head: bytes) -> bool:
        """Whether the first bytes of a file are in this format."""
        ...

    def read_binary(self, data: bytes, source: Source) -> Iterator[Document]:
        """The documents of a file, one by one."""
        ...

    def write_binary(self, items: Iterable[Document]) -> bytes:
        """The content of a file."""
        ...

    def remarks(self, document: Document) -> Mapping[str, int]:
        """As in `DocumentFormat`."""
        ...


Format = ProblemFormat | DocumentFormat | TwoFileFormat | BinaryFormat


def names(kind: str | None = None) -> tuple[str, ...]:
    """The names of all formats, or of those for "document" or "problem" items."""
    every = plugins.names("formats")
    return every if kind is None else tuple(name for name in every if kind == load(name).KIND)


def load(name: str) -> Format:
    """A format by its name; optional members that its module does not define get defaults."""
    module = plugins.load("formats", name)
    members = vars(module)
    if members.get("KIND") == "document":
        members.setdefault("WRITES_ONLY", frozenset())
        members.setdefault("ONE_DOCUMENT", False)
        members.setdefault("remarks", lambda document: {})
        members.setdefault("FOLDERS", ())
        members.setdefault("BY_CONTENT", False)
    if isinstance(module, ProblemFormat | DocumentFormat | TwoFileFormat | BinaryFormat):
        return module
    raise InvalidValue(f"format {name}: its module lacks members; see coindex.formats.protocol")


def load_problem_format(name: str) -> ProblemFormat:
    """A format of problems by its name."""
    module = load(name)
    if not isinstance(module, ProblemFormat):
        raise InvalidValue(f"format {name}: expected a format of problems, found documents")
    return module
