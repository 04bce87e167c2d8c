"""The state of an assignment: a flat map of records, and the changes that an event makes.

    mentions/m1      {"spans": [[0, 1]], "groups": ["g1"], "note": "", "unsure": false, ...}
    groups/g1        {"name": "", "order": 0, "kind": null, "attrs": []}
    suggestions/s1   {"spans": [[3, 4]], "group": "1", "resolver": "quizbowl", "state": "open"}
    decisions/d1     {"choice": "a", "note": ""}
    document         {"note": "", "unsure": false, "done": false, "answer": null}

An action is a function from records to the records it writes; undoing it restores the earlier
ones. Two events without a common record can be applied in either order: this is how the work
of two browser tabs is merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
Records = dict[str, Record]
Puts = dict[str, Record | None]
"""Records to write by key; None removes a record."""

FOLDERS = ("mentions", "groups", "suggestions", "decisions")
DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Change:
    """One record before and after an event; None where it did not, or does not, exist."""

    key: str
    before: Record | None
    after: Record | None

    def as_json(self) -> dict[str, Any]:
        """Return the change as plain values."""
        return {"key": self.key, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class TextBounds:
    """What an action needs to know about its document.

    tokens   the number of tokens; 0 for a problem
    order    for a problem: the candidates' indices in the order shown
    """

    tokens: int
    order: tuple[int, ...] | None = None


def empty_document() -> Record:
    """Return the record of a document without notes or an answer."""
    return {"note": "", "unsure": False, "done": False, "answer": None}


def new_group(order: int, name: str = "") -> Record:
    """Return the record of a group; `order` decides its key."""
    return {"name": name, "order": order, "kind": None, "attrs": []}


def new_mention(spans: list[list[int]], group: str) -> Record:
    """Return the record of a mention in one group."""
    metadata = {"note": "", "unsure": False, "kind": None, "head": None, "attrs": []}
    return {"spans": spans, "groups": [group], **metadata}


def is_done(records: Mapping[str, Record]) -> bool:
    """Return whether the annotator has marked the assignment as done."""
    return bool((records.get(DOCUMENT) or {}).get("done"))


def changes(records: Mapping[str, Record], puts: Puts) -> list[Change]:
    """Return the changes that writing these records makes; equal records are left out."""
    every = [Change(key, records.get(key), after) for key, after in puts.items()]
    return [change for change in every if change.before != change.after]


def apply_changes(records: Records, changed: Iterable[Change]) -> None:
    """Bring records to the state after the changes."""
    for change in changed:
        if change.after is None:
            records.pop(change.key, None)
        else:
            records[change.key] = change.after


def parse_changes(rows: Iterable[Mapping[str, Any]]) -> list[Change]:
    """Return changes from their plain values."""
    return [Change(row["key"], row["before"], row["after"]) for row in rows]


def records_in(records: Mapping[str, Record], folder: str) -> dict[str, Record]:
    """Return the records of one folder by their ids."""
    start = f"{folder}/"
    return {key[len(start) :]: value for key, value in records.items() if key.startswith(start)}
