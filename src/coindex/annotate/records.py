"""The state of a sheet: a flat map of records, and what an event changed in it.

    mentions/m1      {"spans": [[0, 1]], "groups": ["g1"], "note": "", "unsure": false, ...}
    groups/g1        {"name": "", "order": 0, "kind": null, "attrs": []}
    suggestions/s1   {"spans": [[3, 4]], "group": "1", "resolver": "quizbowl", "state": "open"}
    decisions/d1     {"choice": "a", "note": ""}
    document         {"note": "", "unsure": false, "done": false, "answer": null}

An action is a function from records to the records it puts; undoing it puts back what was
there. Two events that touch no common record can be done in either order, which is how the
work of two tabs is merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
Records = dict[str, Record]
Puts = dict[str, Record | None]

FOLDERS = ("mentions", "groups", "suggestions", "decisions")
DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Change:
    """One record before and after an event; None where there was, or is, none."""

    key: str
    before: Record | None
    after: Record | None

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"key": self.key, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Ground:
    """What an action needs to know of the document it stands on.

    tokens   how many there are; 0 for a problem
    order    for a problem: the candidates' indices in the order shown
    """

    tokens: int
    order: tuple[int, ...] | None = None


def empty_document() -> Record:
    """The record of a document that nobody has said anything about."""
    return {"note": "", "unsure": False, "done": False, "answer": None}


def changes(records: Mapping[str, Record], puts: Puts) -> list[Change]:
    """What really changes when these are put; a put that changes nothing is none."""
    found = [Change(key, records.get(key), after) for key, after in puts.items()]
    return [change for change in found if change.before != change.after]


def apply(records: Records, changed: Iterable[Change]) -> None:
    """Bring records to the state after the changes."""
    for change in changed:
        if change.after is None:
            records.pop(change.key, None)
        else:
            records[change.key] = change.after


def parse(rows: Iterable[Mapping[str, Any]]) -> list[Change]:
    """Changes from their plain values."""
    return [Change(row["key"], row["before"], row["after"]) for row in rows]


def nested(records: Mapping[str, Record]) -> dict[str, Any]:
    """The state as the editor reads it: a map for each folder."""
    state: dict[str, Any] = {folder: {} for folder in FOLDERS}
    state[DOCUMENT] = records.get(DOCUMENT) or empty_document()
    for key, value in records.items():
        folder, _, name = key.partition("/")
        if name:
            state[folder][name] = value
    return state


def folder(records: Mapping[str, Record], name: str) -> dict[str, Record]:
    """The records of one folder, by their own ids."""
    start = f"{name}/"
    return {key[len(start) :]: value for key, value in records.items() if key.startswith(start)}
