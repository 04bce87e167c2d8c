"""The integrity check: replays the events of all assignments and compares the result.

Each event is applied again by the current code. Its changes must be those stored with it, and
the final records must be those of the projection. With `repair` a projection that differs is
written again; events are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol

from sqlalchemy import Connection, delete, func, select, text, update

from coindex.annotate.errors import InvalidAction
from coindex.annotate.store import undo
from coindex.annotate.store.actions import act
from coindex.annotate.store.database import Database
from coindex.annotate.store.events import bounds_of, insert_records, load_records
from coindex.annotate.store.records import (
    Change,
    Records,
    TextBounds,
    apply_changes,
    changes,
    is_done,
    parse_changes,
)
from coindex.annotate.store.tables import assignments, documents, events, records
from coindex.annotate.store.validation import check_consistency, check_records


class StoredEvent(Protocol):
    """An event with its changes: a row of the database, or an event of an imported file."""

    id: str
    kind: str
    payload: Any
    changes: Any


@dataclass(frozen=True, slots=True)
class DatabaseHealth:
    """How much was checked, and the problems (none if all is well)."""

    assignments: int
    events: int
    problems: tuple[str, ...]
    repaired: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain values, under the names of version 0.1."""
        counts = {"sheets": self.assignments, "events": self.events}
        return {**counts, "wrong": self.problems, "repaired": self.repaired}


def examine(database: Database, *, repair: bool = False) -> DatabaseHealth:
    """Replay every assignment and compare."""
    problems: list[str] = []
    repaired = 0
    with database.read() as connection:
        problems += _storage_problems(connection)
        ids = connection.execute(select(assignments.c.id).order_by(assignments.c.id)).scalars()
        every = ids.all()
        count = connection.execute(select(func.count()).select_from(events)).scalar_one()
    for id in every:
        with database.write() if repair else database.read() as connection:
            own, replayed = _examine_assignment(connection, id)
            problems += own
            if own and repair:
                _rewrite(connection, id, replayed)
                repaired += 1
    return DatabaseHealth(len(every), count, tuple(problems), repaired)


def _storage_problems(connection: Connection) -> Iterator[str]:
    """Yield the problems that SQLite itself reports."""
    if connection.dialect.name != "sqlite":
        return
    for row in connection.execute(text("PRAGMA integrity_check")):
        if row[0] != "ok":
            yield f"the file is damaged: {row[0]}"
    for row in connection.execute(text("PRAGMA foreign_key_check")):
        yield f"{row[0]}: a row refers to nothing in {row[2]}"


def _examine_assignment(connection: Connection, id: int) -> tuple[list[str], Records]:
    row = connection.execute(
        select(assignments, documents.c.tokens)
        .join(documents, documents.c.id == assignments.c.document)
        .where(assignments.c.id == id)
    ).one()
    own = events.c.assignment == id
    log = connection.execute(select(events).where(own).order_by(events.c.revision)).all()
    problems, replayed = replay(log, bounds_of(row))
    if [each.revision for each in log] != list(range(1, len(log) + 1)):
        problems.append("the events' revisions have gaps")
    if row.revision != len(log):
        problems.append(f"expected revision {len(log)}, found {row.revision}")
    if row.done != is_done(replayed):
        problems.append(f"expected done to be {not row.done}, found {row.done}")
    stored = load_records(connection, id)
    differ = sorted(key for key in {*replayed, *stored} if replayed.get(key) != stored.get(key))
    if differ:
        problems.append(f"{len(differ)} records differ from the events: {', '.join(differ[:5])}")
    return [f"assignment {id}: {each}" for each in problems], replayed


def replay(
    log: Iterable[StoredEvent], bounds: TextBounds, *, strict: bool = False
) -> tuple[list[str], Records]:
    """Return the problems of events, and the records after them.

    `strict` is for events that this database has not stored itself: the records of a seed
    are checked, too.
    """
    problems: list[str] = []
    state: Records = {}
    earlier: dict[str, StoredEvent] = {}
    stacks = undo.UndoStacks()
    for event in log:
        stored = parse_changes(event.changes)
        try:
            stacks.check(event.kind, event.payload)
            if strict and event.kind == undo.SEED:
                check_records(event.payload, bounds)
                check_consistency({**state, **event.payload})
            again = _apply_again(event, state, bounds, earlier)
        except InvalidAction as error:
            problems.append(f"event {event.id} cannot be applied again: {error}")
            again = stored
        by_key = attrgetter("key")
        if sorted(again, key=by_key) != sorted(stored, key=by_key):
            problems.append(f"event {event.id} changes other records than were stored with it")
        apply_changes(state, stored)
        stacks.push(event.id, event.kind, event.payload)
        earlier[event.id] = event
    return problems, state


def _apply_again(
    event: StoredEvent, state: Records, bounds: TextBounds, earlier: Mapping[str, StoredEvent]
) -> list[Change]:
    if event.kind == undo.SEED:
        return changes(state, event.payload)
    if event.kind in ("undo", "redo"):
        target = earlier.get(event.payload["event"])
        if target is None:
            raise InvalidAction(f"no event {event.payload['event']!r} before it")
        return undo.changes_of(event.kind, state, parse_changes(target.changes))
    return changes(state, act(event.kind, event.payload, state, bounds))


def _rewrite(connection: Connection, id: int, replayed: Records) -> None:
    connection.execute(delete(records).where(records.c.assignment == id))
    insert_records(connection, id, replayed)
    count = select(func.count()).select_from(events).where(events.c.assignment == id)
    values = {"revision": connection.execute(count).scalar_one(), "done": is_done(replayed)}
    connection.execute(update(assignments).where(assignments.c.id == id).values(**values))
