"""The documents that `coindex resolve` reads; files are checked before anything is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import click

from coindex import formats, io
from coindex.cli.common import reading
from coindex.errors import FormatError, UsageError
from coindex.report.progress_bar import progress_bar
from coindex.transform.speakers import SpeakerFile, read_speakers
from coindex.types.document import Document
from coindex.types.source import Source


class InputIds:
    """The ids of the documents read so far, and what is odd about them.

    speakers   the file of `--speakers`, or None
    """

    def __init__(self, speakers: str, files: int) -> None:
        self._turns: SpeakerFile | None = None
        self._files: dict[str, str] = {}
        self._ids: set[str] = set()
        self._count = 0
        if speakers not in ("auto", "none"):
            with io.open_lines(speakers) as lines:
                self._turns = read_speakers(lines, speakers)
        if files > 1:
            self._expect_ids(f"{files} files")

    def add(self, file: str, documents: Sequence[Document]) -> None:
        """Count the documents of a file; say on standard error if an id comes again."""
        self._count += len(documents)
        if self._count > 1:
            self._expect_ids(f"{self._count} documents")
        for document in documents:
            self._ids.add(document.id)
            other = self._files.setdefault(document.key, file)
            if other != file:
                names = f"{other} and {file}"
                click.echo(f"coindex: {names} give documents of one id: {document.key}", err=True)

    def report(self) -> None:
        """Say on standard error which ids of the file of speakers no document has."""
        turns = self._turns
        for id in turns.ids if turns is not None else ():
            if turns is not None and id and id not in self._ids:
                click.echo(f"coindex: {turns.name}: no document has the id {id}", err=True)

    def _expect_ids(self, found: str) -> None:
        if self._turns is not None and "" in self._turns.ids:
            line = next(line for line, id, _ in self._turns.rows if not id)
            message = f"expected the id of a document in the fifth column, as there are {found}"
            raise FormatError(self._turns.name, line, message)


def check_files(files: Sequence[str]) -> None:
    """An error if a file does not exist or cannot be decoded.

    Pipes are not checked, since they can be read only once.
    """
    for path in formats.expand_paths(file for file in files if file != "-"):
        if Path(path).is_file() or not Path(path).exists():
            with io.open_lines(path) as lines:
                for _ in lines:
                    pass


def read_file(
    file: str, from_format: str | None, sources: list[Source]
) -> tuple[list[Document], int]:
    """The documents of a file, and the number of their words.

    Texts have no tokens yet: the resolver reads markup, tokens and speakers.
    """
    documents, count = [], 0
    for path in formats.expand_paths([file]):
        for document in _read(path, from_format, sources):
            count += len(document)
            plain = sources[-1].format == "text"
            documents.append(Document(document.id, document.text) if plain else document)
    return documents, count


def _read(path: str, from_format: str | None, sources: list[Source]) -> Iterator[Document]:
    with io.open_lines(path) as lines, progress_bar() as on_progress:
        stream = iter(lines)
        head = list(_first_words(stream))
        source = Source(lines.name)
        sources.append(source)
        if not "".join(head).strip():
            source.format = "text"
            yield Document(io.stem(lines.name), "".join(head))
            return
        for item in formats.read_lines(chain(head, stream), from_format, source, path):
            on_progress(reading(lines))
            if not isinstance(item, Document):
                raise UsageError(f"{path}: expected texts or documents, found pronoun problems")
            yield item


def _first_words(lines: Iterable[str]) -> Iterator[str]:
    """The lines up to the first that is not blank."""
    for line in lines:
        yield line
        if line.strip():
            return
