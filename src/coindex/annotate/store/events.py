"""Storing events: each once, in order, merged with those of other browser tabs or refused.

An event names the revision that its tab had seen. If other tabs have stored events since, it
is applied after theirs where the two touch no common record, and is a conflict otherwise:
nothing is overwritten. An event that is sent again, because the response was lost, gets the
same response as the first time; the same id in another assignment is refused. One request is
one transaction. The table `records` is the projection of the events: their current state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Text, cast, delete, insert, select, update

from coindex.annotate.errors import InvalidAction, not_found
from coindex.annotate.store import undo
from coindex.annotate.store.actions import act
from coindex.annotate.store.cache import RevisionCache
from coindex.annotate.store.database import Database
from coindex.annotate.store.records import (
    DOCUMENT,
    FOLDERS,
    Change,
    Records,
    TextBounds,
    apply_changes,
    changes,
    empty_document,
    is_done,
    parse_changes,
)
from coindex.annotate.store.tables import assignments, documents, events, projects, records

IDLE = 120_000
"""A pause longer than this, in milliseconds, does not count as working time."""
RELEASED = 0
"""The lease of an adjudication that a manager has released, until somebody takes it over."""


@dataclass(frozen=True, slots=True)
class SubmittedEvent:
    """An event as a client sends it; `client_time` is the time by the client's clock."""

    id: str
    base: int
    kind: str
    payload: Any
    client_time: int | None = None


class OpenAssignment:
    """An assignment within a transaction: its row, text bounds and records."""

    def __init__(self, connection: Connection, row: Row[Any], state: Records) -> None:
        self.connection, self.row, self.records = connection, row, state
        self.id: int = row.id
        self.revision: int = row.revision
        self.bounds = bounds_of(row)


def bounds_of(row: Row[Any]) -> TextBounds:
    """Return the text bounds of an assignment's row, which includes its document's tokens."""
    return TextBounds(row.tokens, None if row.order is None else tuple(row.order))


class EventStore:
    """The store of events of one database; `on_done` is called when one finishes an assignment."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.on_done: Callable[[Connection, int], None] = lambda connection, assignment: None
        self._cache: RevisionCache[int, Records] = RevisionCache()

    def store(
        self, assignment: int, user: int, client: str, submitted: Sequence[SubmittedEvent]
    ) -> tuple[int, list[dict[str, Any]], int | None]:
        """Store events in order; return the new revision, a result for each, the lease's end."""
        with self.database.write() as connection:
            opened = self._open(connection, assignment)
            results = list(self._store_each(opened, user, client, submitted))
            lease = _touch(opened, self.database.clock())
            if is_done(opened.records) and not opened.row.done:
                self.on_done(connection, assignment)
        self._cache.put(assignment, opened.revision, opened.records)
        return opened.revision, results, lease

    def seed(
        self, connection: Connection, assignment: int, user: int, puts: dict[str, Any]
    ) -> None:
        """Write the server's own records: suggestions, the start of an adjudication."""
        opened = self._open(connection, assignment)
        number = opened.revision + 1
        event = SubmittedEvent(f"seed-{number}", opened.revision, undo.SEED, puts)
        self._append(opened, user, "server", event, changes(opened.records, puts))
        values = {"revision": opened.revision, "done": is_done(opened.records)}
        own = assignments.c.id == assignment
        connection.execute(update(assignments).where(own).values(**values))

    def _open(self, connection: Connection, assignment: int) -> OpenAssignment:
        row = _locked_row(connection, assignment)
        cached = self._cache.pop(assignment, row.revision)
        state = load_records(connection, assignment) if cached is None else cached
        return OpenAssignment(connection, row, state)

    def _store_each(
        self, opened: OpenAssignment, user: int, client: str, submitted: Sequence[SubmittedEvent]
    ) -> Iterator[dict[str, Any]]:
        stopped = False
        for event in submitted:
            if stopped:
                yield {"id": event.id, "status": "skipped"}
                continue
            stored = _stored_result(opened, user, event)
            result = stored or self._store_new(opened, user, client, event)
            stopped = result["status"] in ("conflict", "invalid")
            yield result

    def _store_new(
        self, opened: OpenAssignment, user: int, client: str, event: SubmittedEvent
    ) -> dict[str, Any]:
        concurrent: Sequence[Row[Any]] = ()
        try:
            concurrent = _concurrent_events(opened, event.base, client)
            changed = _changes(opened, event)
        except undo.UndoConflict as conflict:
            return _conflict(event.id, conflict.keys, concurrent)
        except InvalidAction as error:
            if concurrent:
                return _conflict(event.id, [], concurrent, str(error))
            return {"id": event.id, "status": "invalid", "message": str(error)}
        touched = {change["key"] for row in concurrent for change in row.changes}
        common = sorted(touched & {change.key for change in changed})
        if common:
            return _conflict(event.id, common, concurrent)
        self._append(opened, user, client, event, changed)
        result = {"id": event.id, "status": "stored", "revision": opened.revision}
        merged = {"merged": True} if concurrent else {}
        return {**result, "changes": [change.as_json() for change in changed], **merged}

    def _append(
        self, opened: OpenAssignment, user: int, client: str, event: SubmittedEvent,
        changed: list[Change],
    ) -> None:  # fmt: skip
        opened.revision += 1
        row = {
            "id": event.id, "assignment": opened.id, "revision": opened.revision,
            "base": event.base, "client": client, "user": user, "kind": event.kind,
            "payload": event.payload, "changes": [change.as_json() for change in changed],
            "at": self.database.clock(), "client_time": event.client_time,
        }  # fmt: skip
        opened.connection.execute(insert(events), row)
        _save_changes(opened.connection, opened.id, changed)
        apply_changes(opened.records, changed)


def load_records(connection: Connection, assignment: int) -> Records:
    """Read the records of an assignment from the database."""
    own = records.c.assignment == assignment
    rows = connection.execute(select(records.c.key, records.c.value).where(own))
    return {row.key: row.value for row in rows}


def state_json(connection: Connection, assignment: int) -> str:
    """Return the state as the editor reads it, as JSON: one map for each folder.

    The stored texts are put together as they are: tens of thousands of records take long to parse.
    """
    own = records.c.assignment == assignment
    folders: dict[str, list[str]] = {name: [] for name in FOLDERS}
    document = json.dumps(empty_document())
    for key, value in connection.execute(
        select(records.c.key, cast(records.c.value, Text)).where(own)
    ):
        folder, _, id = key.partition("/")
        if key == DOCUMENT:
            document = value
        elif folder in folders:
            folders[folder].append(f"{json.dumps(id)}:{value}")
    parts = [f'"{name}":{{{",".join(found)}}}' for name, found in folders.items()]
    return f'{{{",".join(parts)},"{DOCUMENT}":{document}}}'


def insert_records(connection: Connection, assignment: int, new: Records) -> None:
    """Insert records that an assignment does not have yet."""
    rows = [{"assignment": assignment, "key": key, "value": value} for key, value in new.items()]
    if rows:
        connection.execute(insert(records), rows)


def _save_changes(connection: Connection, assignment: int, changed: Iterable[Change]) -> None:
    new: Records = {}
    for change in changed:
        own = (records.c.assignment == assignment) & (records.c.key == change.key)
        if change.after is None:
            connection.execute(delete(records).where(own))
        elif change.before is None:
            new[change.key] = change.after
        else:
            connection.execute(update(records).where(own).values(value=change.after))
    insert_records(connection, assignment, new)


def _locked_row(connection: Connection, assignment: int) -> Row[Any]:
    row = connection.execute(
        select(assignments, documents.c.tokens, projects.c.settings)
        .join(documents, documents.c.id == assignments.c.document)
        .join(projects, projects.c.id == documents.c.project)
        .where(assignments.c.id == assignment)
        .with_for_update(of=assignments)
    ).first()
    if row is None:
        raise not_found("assignment")
    return row


def _stored_result(
    opened: OpenAssignment, user: int, event: SubmittedEvent
) -> dict[str, Any] | None:
    """Return the result of an event that is stored already; None for a new one."""
    rows = opened.connection.execute(select(events).where(events.c.id == event.id)).all()
    if not rows:
        return None
    row = next((each for each in rows if each.assignment == opened.id), None)
    same = row is not None and row.user == user and row.kind == event.kind
    if row is None or not same or row.payload != event.payload:
        message = "this id belongs to another event; ids must be new"
        return {"id": event.id, "status": "invalid", "message": message}
    result = {"id": event.id, "status": "known", "revision": row.revision}
    return {**result, "changes": row.changes}


def _concurrent_events(opened: OpenAssignment, base: int, client: str) -> Sequence[Row[Any]]:
    """Return what other tabs have stored after a revision."""
    if base > opened.revision:
        raise InvalidAction(f"base {base} is after the last revision, {opened.revision}")
    if base == opened.revision:
        return ()
    newer = (events.c.assignment == opened.id) & (events.c.revision > base)
    query = select(events).where(newer & (events.c.client != client)).order_by(events.c.revision)
    return opened.connection.execute(query).all()


def _changes(opened: OpenAssignment, event: SubmittedEvent) -> list[Change]:
    if event.kind not in ("undo", "redo"):
        return changes(
            opened.records, act(event.kind, event.payload, opened.records, opened.bounds)
        )
    top = undo.top_of_stack(event.kind, _newest_first(opened.connection, opened.id))
    target = undo.check_target(event.kind, event.payload, top)
    # Copies of an assignment in other projects have events with the same ids.
    same = (events.c.id == target) & (events.c.assignment == opened.id)
    row = opened.connection.execute(select(events.c.changes).where(same)).one()
    return undo.changes_of(event.kind, opened.records, parse_changes(row.changes))


def _newest_first(connection: Connection, assignment: int) -> Iterator[undo.EventSummary]:
    """Yield the events of an assignment from the newest on, read in pages on demand."""
    columns = (events.c.id, events.c.kind, events.c.payload, events.c.revision)
    own = events.c.assignment == assignment
    query = select(*columns).where(own).order_by(events.c.revision.desc())
    last, size = None, 50
    while True:
        page = query if last is None else query.where(events.c.revision < last)
        rows = connection.execute(page.limit(size)).all()
        for row in rows:
            yield row.id, row.kind, row.payload
        if len(rows) < size:
            return
        last, size = rows[-1].revision, min(size * 4, 5000)


def undo_stacks(connection: Connection, assignment: int) -> undo.UndoStacks:
    """Return what can be undone and redone in an assignment."""
    own = events.c.assignment == assignment
    stepping = own & events.c.kind.in_(("undo", "redo"))
    payloads = dict(connection.execute(select(events.c.id, events.c.payload).where(stepping)).all())
    columns = select(events.c.id, events.c.kind)  # the payloads of thousands of others take long
    stacks = undo.UndoStacks()
    for id, kind in connection.execute(columns.where(own).order_by(events.c.revision)):
        stacks.push(id, kind, payloads.get(id))
    return stacks


def _conflict(
    id: str, keys: list[str], concurrent: Sequence[Row[Any]], message: str = ""
) -> dict[str, Any]:
    theirs = [
        {"id": row.id, "kind": row.kind, "revision": row.revision, "client": row.client}
        for row in concurrent[-20:]
    ]
    text = message or "changed in another tab since"
    return {"id": id, "status": "conflict", "keys": keys, "theirs": theirs, "message": text}


def _touch(opened: OpenAssignment, now: int) -> int | None:
    """Update working time, lease and status after a request; return the end of the lease."""
    row, done = opened.row, is_done(opened.records)
    lease = None if done else now + int(row.settings.get("lease_minutes", 60)) * 60_000
    lease = RELEASED if row.lease == RELEASED else lease
    values = {"revision": opened.revision, "done": done, "lease": lease, "seen": now}
    spent = row.spent + working_time(row.seen, now)
    own = assignments.c.id == opened.id
    opened.connection.execute(update(assignments).where(own).values(spent=spent, **values))
    return lease


def working_time(seen: int | None, now: int) -> int:
    """Return the milliseconds of work since the last sign of life; 0 if a clock was set back."""
    return now - seen if seen is not None and 0 < now - seen <= IDLE else 0
