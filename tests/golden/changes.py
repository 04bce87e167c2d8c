"""The permitted changes, `changes.toml`: anything else that differs fails, and so does an
entry that is not needed.

[[reworded]]        a text that reads otherwise now: `old`, `new`, `cases`, `reason`
[[renamed]]         a key of JSON: the same fields; `"new":` is read as `"old":`
[[changed]]         an output that is allowed to differ: `case`, `output`, `reason`, and
                    `sha256` of what it is now, if it is to be pinned

`cases` is a list of patterns such as `resolve/*`; `outputs`, likewise, is optional. Entries are
applied in the order of the file, new -> old, to outputs that differ from the record, before they
are compared. `old` may be empty: a line that was added.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).resolve().parent / "changes.toml"


@dataclass(frozen=True, slots=True)
class Reworded:
    """A text, or a key of JSON, in its old and its new words."""

    old: str
    new: str
    cases: tuple[str, ...]
    outputs: tuple[str, ...]
    reason: str

    def concerns(self, case: str, output: str | None = None) -> bool:
        """Whether it may be applied to a case, and to an output of it."""
        return any(fnmatch(case, each) for each in self.cases) and (
            output is None or any(fnmatch(output, each) for each in self.outputs)
        )

    def undone(self, data: bytes) -> bytes:
        """An output in the old words."""
        return data.replace(self.new.encode(), self.old.encode())


@dataclass(frozen=True, slots=True)
class Changed:
    """An output that may differ as a whole."""

    case: str
    output: str
    reason: str
    sha256: str = ""

    def concerns(self, case: str, output: str | None = None) -> bool:
        """Whether it is about this case, and this output of it."""
        return fnmatch(case, self.case) and (output is None or fnmatch(output, self.output))


Entry = Reworded | Changed


@dataclass
class Changes:
    """All entries, and which of them were needed so far."""

    reworded: tuple[Reworded, ...] = ()
    changed: tuple[Changed, ...] = ()
    used: set[Entry] = field(default_factory=set)

    @staticmethod
    def read(path: Path = FILE) -> Changes:
        """The entries of a file."""
        found = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
        unknown = set(found) - {"reworded", "renamed", "changed"}
        if unknown:
            raise ValueError(f"{path.name}: unknown tables: {', '.join(sorted(unknown))}")
        reworded = [_reworded(row) for row in found.get("reworded", [])]
        renamed = [_reworded(_key(row)) for row in found.get("renamed", [])]
        changed = [Changed(**row) for row in found.get("changed", [])]
        return Changes((*reworded, *renamed), tuple(changed))

    def undone(self, case: str, output: str, data: bytes) -> bytes:
        """An output in the old words; the entries that did something are noted as used."""
        for entry in self.reworded:
            if entry.concerns(case, output):
                before, data = data, entry.undone(data)
                if data != before:
                    self.used.add(entry)
        return data

    def permits(self, case: str, output: str, digest: str) -> bool:
        """Whether an output may differ as it does."""
        for entry in self.changed:
            if entry.concerns(case, output) and entry.sha256 in ("", digest):
                self.used.add(entry)
                return True
        return False

    def unused(self, run: Iterable[str], known: Sequence[str]) -> list[Entry]:
        """Entries that were not needed, though all cases that they are about were run."""
        done = set(run)
        entries: list[Entry] = [*self.reworded, *self.changed]
        return [
            entry
            for entry in entries
            if entry not in self.used
            and all(case in done for case in known if entry.concerns(case))
        ]


def _reworded(row: dict[str, Any]) -> Reworded:
    cases, outputs = tuple(row["cases"]), tuple(row.get("outputs", ["*"]))
    if not row["new"] or not row["reason"]:
        raise ValueError(f"changes.toml: expected a new text and a reason, found {row}")
    return Reworded(row["old"], row["new"], cases, outputs, row["reason"])


def _key(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "old": f'"{row["old"]}":', "new": f'"{row["new"]}":'}
