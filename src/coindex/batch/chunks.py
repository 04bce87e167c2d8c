"""Chunks of a collection: what a worker resolves at a time, and what a killed run does again.

A chunk is cut by its texts alone, so that every run over the same input has the same chunks. The
checksum of a chunk is that of its input: a run that is resumed does not take the part of a chunk
whose input has changed since.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex.batch.items import InputText, Item, Outcome, Record, Skipped
from coindex.errors import CoindexError, InputError
from coindex.jobs.parts import content_lines, first_line, part_path, write_part

CHARACTERS = 30_000
"""The number of characters from which on a chunk is complete."""
ITEMS = 100
"""The highest number of items of a chunk."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some consecutive items of a collection."""

    number: int
    items: tuple[Item, ...]

    def checksum(self) -> str:
        """The checksum of the input; positions are for progress alone."""
        digest = hashlib.sha256()
        for item in self.items:
            if isinstance(item, InputText):
                values = (item.source, item.target, item.document, item.speaker, item.fields)
                digest.update(repr(values).encode("utf-8", "surrogatepass"))
            else:
                digest.update(repr((item.source, item.reason)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def chunks(items: Iterable[Item]) -> Iterator[Chunk]:
    """The chunks of a collection."""
    number, size = 0, 0
    collected: list[Item] = []
    for item in items:
        collected.append(item)
        size += len(item.document.text) if isinstance(item, InputText) else 0
        if size >= CHARACTERS or len(collected) == ITEMS:
            yield Chunk(number, tuple(collected))
            number, size, collected = number + 1, 0, []
    if collected:
        yield Chunk(number, tuple(collected))


@dataclass(frozen=True, slots=True)
class PartStore:
    """The parts of a run on disk, one for each chunk that is done."""

    folder: Path

    def write(self, chunk: Chunk, outcomes: Sequence[Outcome]) -> None:
        """Store the outcomes of a chunk."""
        lines = [json.dumps(_values(each), ensure_ascii=False) + "\n" for each in outcomes]
        head = {"input": chunk.checksum(), "output": _checksum(lines), "items": len(lines)}
        write_part(part_path(self.folder, chunk.number), lambda: head, lines)

    def has(self, chunk: Chunk) -> bool:
        """Whether the chunk is done; an error if its input is another one than it was."""
        path = part_path(self.folder, chunk.number)
        if not path.is_file():
            return False
        try:
            head = json.loads(first_line(path))
            whole = head["output"] == _checksum(content_lines(path))
        except (ValueError, KeyError, TypeError, CoindexError):
            return False
        if not whole:
            return False  # damaged: it is written again
        if head["input"] != chunk.checksum():
            raise InputError(
                f"{self.folder}: the input has changed since this run was interrupted:"
                " --fresh discards it and starts again"
            )
        return True

    def outcomes(self, number: int) -> Iterator[Outcome]:
        """The stored outcomes of a chunk."""
        for line in content_lines(part_path(self.folder, number)):
            yield _outcome(json.loads(line))


def _checksum(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _values(outcome: Outcome) -> list[Any]:
    if isinstance(outcome, Record):
        return [outcome.target, outcome.content, outcome.words]
    return [outcome.source, outcome.reason]


def _outcome(values: list[Any]) -> Outcome:
    return Record(*values) if len(values) == 3 else Skipped(*values)
