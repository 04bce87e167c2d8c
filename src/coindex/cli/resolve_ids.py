"""The ids of the documents that `coindex resolve` reads."""

from __future__ import annotations

from collections.abc import Sequence

import click

from coindex import io
from coindex.batch.items import InputText
from coindex.errors import FormatError
from coindex.transform.speakers import SpeakerFile, read_speakers


class InputIds:
    """The ids of the documents read so far, and what is odd about them.

    speakers   the value of `--speakers`
    named      the files that the command line names
    files      how many files there are in all
    """

    def __init__(self, speakers: str, named: Sequence[str], files: int) -> None:
        self._named = frozenset(named)
        self._turns: SpeakerFile | None = None
        self._files: dict[str, str] = {}
        self._ids: set[str] = set()
        self._count = 0
        if speakers not in ("auto", "none"):
            with io.open_lines(speakers) as lines:
                self._turns = read_speakers(lines, speakers)
        if files > 1:
            self._expect_ids(f"{files} files")

    def add(self, item: InputText) -> None:
        """Count a document; say on standard error if another file has one of its id.

        Texts of rows, folders and archives are not compared: there may be any number of them.
        """
        document, file = item.document, item.source
        self._count += 1
        if self._count > 1:
            self._expect_ids(f"{self._count} documents")
        if self._turns is not None:
            self._ids.add(document.id)
        if file not in self._named:
            return
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
