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


def stacks(events: Iterable[tuple[str, str, Any]]) -> tuple[list[str], list[str]]:
    """What can be undone and redone (the last first to go), from `(id, kind, payload)` in order."""
    undo: dict[str, None] = {}
    redo: dict[str, None] = {}
    for id, kind, payload in events:
        if kind == SEED:
            continue
        if kind == "undo":
            undo.pop(payload["event"], None)
            redo[payload["event"]] = None
        elif kind == "redo":
            redo.pop(payload["event"], None)
            undo[payload["event"]] = None
        else:
            undo[id] = None
            redo.clear()
    return list(undo), list(redo)


def on_top(stack: list[str], event: str) -> None:
    """Only the last is undone, so that a sheet is always in a state it has been in."""
    if stack[-1:] != [event]:
        raise Clash([f"event {event}"])


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
