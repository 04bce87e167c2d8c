"""The log of a simulation, from which it goes on after an interruption.

A folder: `plan.json` (the plan, the documents' digest, the resolver's), and for each
seed a file of JSON lines, one a strategy and round: the model's digest, its scores, and
the pick with its score, the digests of the models asked and of the whole ranking.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import InputError

PLAN = "plan.json"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Journal:
    """A folder of logs."""

    folder: Path

    def open(self, told: Mapping[str, Any], *, fresh: bool) -> None:
        """Begin, or go on with, what is told; another simulation's folder is an error."""
        io.make_folder(self.folder)
        file = self.folder / PLAN
        if fresh:
            for path in (file, *self.folder.glob("seed-*.jsonl")):
                path.unlink(missing_ok=True)
        if not file.is_file():
            io.write_text(file, [json.dumps(told, indent=1), "\n"])
            return
        found = _json(io.read_text(file), file)
        differ = sorted(name for name in {*found, *told} if found.get(name) != told.get(name))
        if differ:
            raise InputError(
                f"{self.folder}: holds another simulation ({', '.join(differ)} differ);"
                " choose another folder, or --fresh to begin anew in this one"
            )

    def rows(self, seed: int) -> list[Row]:
        """What has been logged for a seed; a last line that was cut off is dropped."""
        file = self.folder / f"seed-{seed}.jsonl"
        return list(_rows(file)) if file.is_file() else []

    def add(self, seed: int, row: Row) -> None:
        """One more row, on the disk before this returns."""
        file = self.folder / f"seed-{seed}.jsonl"
        if file.is_file() and not file.read_bytes().endswith(b"\n"):
            kept = list(_rows(file))
            io.write_text(file, (json.dumps(each) + "\n" for each in kept))
        with open(file, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
            stream.flush()
            os.fsync(stream.fileno())


def _rows(file: Path) -> Iterator[Row]:
    lines = io.read_text(file).split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == len(lines) and line):
            continue  # the end of a run that was killed while it wrote
        yield _json(line, file, number)


def _json(text: str, file: Path, line: int | None = None) -> Row:
    try:
        found: Row = json.loads(text)
    except ValueError as error:
        where = file if line is None else f"{file}:{line}"
        raise InputError(f"{where}: expected JSON: {error}") from None
    return found
