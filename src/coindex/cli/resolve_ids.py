"""The ids of the documents that `coindex resolve` reads."""

from __future__ import annotations

import click

from coindex import io
from coindex.batch.items import InputText
from coindex.errors import FormatError
from coindex.transform.speakers import SpeakerFile, read_speakers

COMPARED = 1_000_000
"""How many ids are compared with those that follow, so that memory has a limit."""
EXAMPLES = 3
"""How many repeated ids are named."""


class InputIds:
    """The ids of the documents read so far, and what is odd about them.

    speakers   the value of `--speakers`
    files      how many files there are in all
    """

    def __init__(self, speakers: str, files: int) -> None:
        self._turns: SpeakerFile | None = None
        self._hashes: set[int] = set()  # of ids, since there may be very many
        self._repeated = 0
        self._examples: dict[str, str] = {}
        self._ids: set[str] = set()
        self._count = 0
        if speakers not in ("auto", "none"):
            with io.open_lines(speakers) as lines:
                self._turns = read_speakers(lines, speakers)
        if files > 1:
            self._expect_ids(f"{files} files")

    def add(self, item: InputText) -> None:
        """Count a document."""
        self._count += 1
        if self._count > 1:
            self._expect_ids(f"{self._count} documents")
        if self._turns is not None:
            self._ids.add(item.document.id)
        key = hash(item.document.key)
        if key in self._hashes:
            self._repeated += 1
            if len(self._examples) < EXAMPLES:
                self._examples.setdefault(item.document.key, item.source)
        elif len(self._hashes) < COMPARED:
            self._hashes.add(key)

    def report(self) -> None:
        """Say on standard error which ids are repeated, and which of the turns no document has."""
        if self._repeated:
            some = ", ".join(f"{id!r} ({source})" for id, source in self._examples.items())
            which = (
                "1 document has" if self._repeated == 1 else f"{self._repeated:,} documents have"
            )
            click.echo(f"coindex: {which} the id of an earlier one: {some}{self._more()}", err=True)
        turns = self._turns
        for id in turns.ids if turns is not None else ():
            if turns is not None and id and id not in self._ids:
                click.echo(f"coindex: {turns.name}: no document has the id {id}", err=True)

    def _more(self) -> str:
        return ", ..." if self._repeated > len(self._examples) else ""

    def _expect_ids(self, found: str) -> None:
        if self._turns is not None and "" in self._turns.ids:
            line = next(line for line, id, _ in self._turns.rows if not id)
            message = f"expected the id of a document in the fifth column, as there are {found}"
            raise FormatError(self._turns.name, line, message)
