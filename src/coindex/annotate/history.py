"""Undo and redo: events that put back what another event changed.

The stacks follow from the events alone, so they are the same after a reload, in another
tab, on another computer. An undone event can be redone until something new is done.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coindex.annotate.fail import Invalid
from coindex.annotate.records import Change, Puts, Records

SEED = "seed"
"""The kind of events that the server makes itself: suggestions, what adjudication starts from."""


class Clash(Invalid):
    """Something else has changed these records since."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__(f"changed since by another action: {', '.join(keys[:5])}")
        self.keys = keys


class Stacks:
    """What can be undone and what redone, the last first to go, as events come in."""

    def __init__(self) -> None:
        self.undo: dict[str, None] = {}
        self.redo: dict[str, None] = {}

    def turn(self, id: str, kind: str, payload: Any) -> None:
        """One more event."""
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
        """Only the last is undone, so that a sheet is always in a state it has been in."""
        if kind in ("undo", "redo"):
            stack = self.undo if kind == "undo" else self.redo
            on_top(kind, payload, next(reversed(stack), None))


def on_top(kind: str, payload: Any, top: str | None) -> str:
    """The event that is undone or redone, which must be the last of its stack."""
    target = payload.get("event") if isinstance(payload, dict) else None
    if not isinstance(target, str) or len(payload) != 1:
        raise Invalid(f"{kind}: expected the id of an event")
    if target != top:
        raise Clash([f"event {target}"])
    return target


def top_of(kind: str, backwards: Iterable[tuple[str, str, Any]]) -> str | None:
    """The last of what can be undone, or redone, from events `(id, kind, payload)` newest first.

    The newest event that says something of another one is right about it; so it is enough to
    go back to the first that is not taken back later, however long the sheet's history is.
    """
    settled: set[str] = set()
    for id, what, payload in backwards:
        if what == SEED:
            continue
        named = payload["event"] if what in ("undo", "redo") else id
        if named not in settled:
            if kind == "undo" and what != "undo":
                return named
            if kind == "redo" and what == "undo":
                return named
        if kind == "redo" and what not in ("undo", "redo"):
            return None  # something new was done: there is nothing to redo before it
        settled.add(named)
    return None


def stacks(events: Iterable[tuple[str, str, Any]]) -> Stacks:
    """What can be undone and redone after events `(id, kind, payload)` in order."""
    found = Stacks()
    for id, kind, payload in events:
        found.turn(id, kind, payload)
    return found


def undone(records: Records, changed: Iterable[Change]) -> Puts:
    """What puts back the records an event changed; `Clash` where they have changed since."""
    return _back(records, [Change(each.key, each.after, each.before) for each in changed])


def redone(records: Records, changed: Iterable[Change]) -> Puts:
    """What does the same changes again."""
    return _back(records, list(changed))


def _back(records: Records, changed: list[Change]) -> Puts:
    clash = [each.key for each in changed if records.get(each.key) != each.before]
    if clash:
        raise Clash(clash)
    return {each.key: each.after for each in changed}
