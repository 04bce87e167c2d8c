"""The log of a simulation, from which it is resumed after an interruption.

A folder with `plan.json` (the plan, digests of the documents and of the resolver), and for
each seed a file of JSON lines, one per strategy and round: the digest of the model, its
scores, and the pick with its score and the digests of the committee and of the ranking.
"""

from __future__ import annotations

import json
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

    def open(self, plan: Mapping[str, Any], *, fresh: bool) -> None:
        """Begin or resume a simulation; the folder of another simulation is an error."""
        io.make_folder(self.folder)
        file = self.folder / PLAN
        if fresh:
            for path in (file, *self.folder.glob("seed-*.jsonl")):
                path.unlink(missing_ok=True)
        if not file.is_file():
            io.write_text(file, [json.dumps(plan, indent=1), "\n"])
            return
        stored = _json(io.read_text(file), file)
        differ = sorted(name for name in {*stored, *plan} if stored.get(name) != plan.get(name))
        if differ:
            raise InputError(
                f"{self.folder}: holds another simulation ({', '.join(differ)} differ);"
                " choose another folder, or --fresh to begin anew in this one"
            )

    def rows(self, seed: int) -> list[Row]:
        """The rows of a seed; an incomplete last line is dropped."""
        file = self.folder / f"seed-{seed}.jsonl"
        return list(_rows(file)) if file.is_file() else []

    def add(self, seed: int, row: Row) -> None:
        """Append a row; it is on disk when this returns."""
        file = self.folder / f"seed-{seed}.jsonl"
        if file.is_file() and not io.read_bytes(file).endswith(b"\n"):
            complete = list(_rows(file))
            io.write_text(file, (json.dumps(each) + "\n" for each in complete))
        io.append_lines(file, [json.dumps(row) + "\n"], sync=True)


def _rows(file: Path) -> Iterator[Row]:
    lines = io.read_text(file).split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == len(lines) and line):
            continue  # the run was killed while it wrote this line
        yield _json(line, file, number)


def _json(text: str, file: Path, line: int | None = None) -> Row:
    try:
        row: Row = json.loads(text)
    except ValueError as error:
        where = file if line is None else f"{file}:{line}"
        raise InputError(f"{where}: expected JSON: {error}") from None
    return row
