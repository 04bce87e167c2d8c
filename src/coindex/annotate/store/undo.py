"""Undo and redo: events that restore what another event changed.

The stacks follow from the events alone, so they are the same after a reload, in another tab
and on another computer. An undone event can be redone until there is a new action.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coindex.annotate.errors import InvalidAction
from coindex.annotate.store.records import Change, Records, changes

SEED = "seed"
"""The kind of events that the server creates: suggestions, the start of an adjudication."""

EventSummary = tuple[str, str, Any]
"""The id, kind and payload of an event."""


class UndoConflict(InvalidAction):
    """Another action has changed these records since."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__(f"changed since by another action: {', '.join(keys[:5])}")
        self.keys = keys


class UndoStacks:
    """The ids of events that can be undone and redone, the last one on top."""

    def __init__(self) -> None:
        self.undo: dict[str, None] = {}
        self.redo: dict[str, None] = {}

    def push(self, id: str, kind: str, payload: Any) -> None:
        """Update the stacks with the next event."""
        if kind == SEED:
            return
        if kind == "undo":
            self.undo.pop(payload["event"], None)
            self.redo[payload["event"]] = None
        elif kind == "redo":
            self.redo.pop(payload["event"], None)
            self.undo[payload["event"]] = None
        else:
            self.undo[id] = None
            self.redo.clear()

    def check(self, kind: str, payload: Any) -> None:
        """Raise unless an undo or redo names the top of its stack.

        So an assignment is always in a state that it has been in before.
        """
        if kind in ("undo", "redo"):
            stack = self.undo if kind == "undo" else self.redo
            check_target(kind, payload, next(reversed(stack), None))


def check_target(kind: str, payload: Any, top: str | None) -> str:
    """Return the id of the event to undo or redo, which must be the top of its stack."""
    target = payload.get("event") if isinstance(payload, dict) else None
    if not isinstance(target, str) or len(payload) != 1:
        raise InvalidAction(f"{kind}: expected the id of an event")
    if target != top:
        raise UndoConflict([f"event {target}"])
    return target


def top_of_stack(kind: str, newest_first: Iterable[EventSummary]) -> str | None:
    """Return the id of the event that can be undone, or redone, next.

    The newest event about another event decides its status. So it is enough to go back to
    the first event that is not undone later, however long the history is.
    """
    settled: set[str] = set()
    for id, what, payload in newest_first:
        if what == SEED:
            continue
        target: str = payload["event"] if what in ("undo", "redo") else id
        if target not in settled and (kind == "undo") == (what != "undo"):
            return target
        if kind == "redo" and what not in ("undo", "redo"):
            return None  # a new action has cleared the redo stack
        settled.add(target)
    return None


def changes_of(kind: str, records: Records, changed: Iterable[Change]) -> list[Change]:
    """Return the changes that undo or redo an event; `UndoConflict` if records differ now."""
    if kind == "undo":
        changed = [Change(each.key, each.after, each.before) for each in changed]
    changed = list(changed)
    differing = [each.key for each in changed if records.get(each.key) != each.before]
    if differing:
        raise UndoConflict(differing)
    return changes(records, {each.key: each.after for each in changed})
