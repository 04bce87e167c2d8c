"""Storing events: each once, in order, merged with those of other tabs or refused.

An event carries the revision its tab had seen. If other tabs have stored events since, it
is done on top of theirs where no record is touched by both, and is a conflict where one is:
nothing is overwritten. An event that comes again, because its answer was lost, is answered
as it was the first time; the same id in another sheet is refused. One request is one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from coindex.annotate import history
from coindex.annotate.actions import act
from coindex.annotate.database import Database
from coindex.annotate.fail import Invalid, missing
from coindex.annotate.projection import Projection, save
from coindex.annotate.records import DOCUMENT, Change, Ground, Records, changes, parse
from coindex.annotate.tables import documents, events, projects, sheets

IDLE = 120_000
"""A pause longer than this, in milliseconds, is not counted as work."""
RELEASED = 0
"""The lease of an adjudication that a manager has released; it is so until somebody takes it."""


@dataclass(frozen=True, slots=True)
class Given:
    """An event as a client sends it; `told` is the client's own clock."""

    id: str
    base: int
    kind: str
    payload: Any
    told: int | None = None


class Sheet:
    """A sheet within a transaction: its row, its ground, its records."""

    def __init__(self, connection: Connection, row: Row[Any], found: Records) -> None:
        self.connection, self.row, self.records = connection, row, found
        self.id: int = row.id
        self.revision: int = row.revision
        order = None if row.order is None else tuple(row.order)
        self.ground = Ground(row.tokens, order)


class Events:
    """The store of events of one database."""

    def __init__(self, database: Database, projection: Projection | None = None) -> None:
        self.database = database
        self.projection = projection or Projection()

    def store(
        self, sheet: int, user: int, client: str, given: Sequence[Given]
    ) -> tuple[int, list[dict[str, Any]], int | None]:
        """Store events in order: the new revision, a result for each, the end of the lease."""
        with self.database.write() as connection:
            row = _row(connection, sheet)
            own = Sheet(connection, row, self.projection.take(connection, sheet, row.revision))
            results = list(self._each(own, user, client, given))
            lease = _touch(own, self.database.clock())
        self.projection.keep(sheet, own.revision, own.records)
        return own.revision, results, lease

    def seed(self, connection: Connection, sheet: int, user: int, puts: dict[str, Any]) -> None:
        """Put records by the server's own hand: suggestions, what adjudication starts from."""
        row = _row(connection, sheet)
        own = Sheet(connection, row, self.projection.take(connection, sheet, row.revision))
        given = Given(f"seed-{row.revision + 1}", row.revision, history.SEED, puts)
        self._store(own, user, "server", given, changes(own.records, puts))
        done = bool((own.records.get(DOCUMENT) or {}).get("done"))
        values = {"revision": own.revision, "done": done}
        connection.execute(update(sheets).where(sheets.c.id == sheet).values(**values))

    def _each(
        self, own: Sheet, user: int, client: str, given: Sequence[Given]
    ) -> Iterator[dict[str, Any]]:
        stopped = False
        for one in given:
            if stopped:
                yield {"id": one.id, "status": "skipped"}
                continue
            result = _known(own, user, one) or self._new(own, user, client, one)
            stopped = result["status"] in ("conflict", "invalid")
            yield result

    def _new(self, own: Sheet, user: int, client: str, given: Given) -> dict[str, Any]:
        theirs: Sequence[Row[Any]] = ()
        try:
            theirs = _since(own, given.base, client)
            changed = _changes(own, given)
        except history.Clash as clash:
            return _conflict(given.id, clash.keys, theirs)
        except Invalid as error:
            if theirs:
                return _conflict(given.id, [], theirs, str(error))
            return {"id": given.id, "status": "invalid", "message": str(error)}
        touched = {change["key"] for row in theirs for change in row.changes}
        common = sorted(touched & {change.key for change in changed})
        if common:
            return _conflict(given.id, common, theirs)
        self._store(own, user, client, given, changed)
        told = [change.as_json() for change in changed]
        result = {"id": given.id, "status": "stored", "revision": own.revision, "changes": told}
        return {**result, "merged": True} if theirs else result

    def _store(
        self, own: Sheet, user: int, client: str, given: Given, changed: list[Change]
    ) -> None:
        own.revision += 1
        row = {
            "id": given.id, "sheet": own.id, "revision": own.revision, "base": given.base,
            "client": client, "user": user, "kind": given.kind, "payload": given.payload,
            "changes": [change.as_json() for change in changed],
            "at": self.database.clock(), "told": given.told,
        }  # fmt: skip
        own.connection.execute(insert(events), row)
        save(own.connection, own.id, own.records, changed)


def _row(connection: Connection, sheet: int) -> Row[Any]:
    found = connection.execute(
        select(sheets, documents.c.tokens, projects.c.settings)
        .join(documents, documents.c.id == sheets.c.document)
        .join(projects, projects.c.id == documents.c.project)
        .where(sheets.c.id == sheet)
        .with_for_update(of=sheets)
    ).first()
    if found is None:
        raise missing("sheet")
    return found


def _known(own: Sheet, user: int, given: Given) -> dict[str, Any] | None:
    """The answer to an event that is stored already; None for a new one."""
    rows = own.connection.execute(select(events).where(events.c.id == given.id)).all()
    if not rows:
        return None
    row = next((each for each in rows if each.sheet == own.id), None)
    same = row is not None and row.user == user and row.kind == given.kind
    if row is None or not same or row.payload != given.payload:
        message = "this id belongs to another event; ids must be new"
        return {"id": given.id, "status": "invalid", "message": message}
    found = {"id": given.id, "status": "known", "revision": row.revision}
    return {**found, "changes": row.changes}


def _since(own: Sheet, base: int, client: str) -> Sequence[Row[Any]]:
    """What other tabs have stored after a revision."""
    if base > own.revision:
        raise Invalid(f"base {base} is after the last revision, {own.revision}")
    if base == own.revision:
        return ()
    wanted = (events.c.sheet == own.id) & (events.c.revision > base) & (events.c.client != client)
    return own.connection.execute(select(events).where(wanted).order_by(events.c.revision)).all()


def _changes(own: Sheet, given: Given) -> list[Change]:
    if given.kind not in ("undo", "redo"):
        return changes(own.records, act(given.kind, given.payload, own.records, own.ground))
    top = history.top_of(given.kind, _backwards(own.connection, own.id))
    target = history.on_top(given.kind, given.payload, top)
    same = (events.c.id == target) & (events.c.sheet == own.id)  # a copy may have the same id
    row = own.connection.execute(select(events.c.changes).where(same)).one()
    back = history.undone if given.kind == "undo" else history.redone
    return changes(own.records, back(own.records, parse(row.changes)))


def _backwards(connection: Connection, sheet: int) -> Iterator[tuple[str, str, Any]]:
    """The events of a sheet from the newest on, read as far as they are asked for."""
    columns = (events.c.id, events.c.kind, events.c.payload, events.c.revision)
    wanted = select(*columns).where(events.c.sheet == sheet).order_by(events.c.revision.desc())
    last, size = None, 50
    while True:
        page = wanted if last is None else wanted.where(events.c.revision < last)
        rows = connection.execute(page.limit(size)).all()
        for row in rows:
            yield row.id, row.kind, row.payload
        if len(rows) < size:
            return
        last, size = rows[-1].revision, min(size * 4, 5000)


def own_stacks(connection: Connection, sheet: int) -> history.Stacks:
    """What can be undone and redone in a sheet."""
    columns = (events.c.id, events.c.kind, events.c.payload)
    rows = connection.execute(
        select(*columns).where(events.c.sheet == sheet).order_by(events.c.revision)
    )
    return history.stacks((row.id, row.kind, row.payload) for row in rows)


def _conflict(
    id: str, keys: list[str], theirs: Sequence[Row[Any]], message: str = ""
) -> dict[str, Any]:
    told = [
        {"id": row.id, "kind": row.kind, "revision": row.revision, "client": row.client}
        for row in theirs[-20:]
    ]
    text = message or "changed in another tab since"
    return {"id": id, "status": "conflict", "keys": keys, "theirs": told, "message": text}


def _touch(own: Sheet, now: int) -> int | None:
    """The time spent, the lease, and whether the sheet is done, after a request."""
    row = own.row
    done = bool((own.records.get(DOCUMENT) or {}).get("done"))
    lease = None if done else now + int(row.settings.get("lease_minutes", 60)) * 60_000
    lease = RELEASED if row.lease == RELEASED else lease
    values = {"revision": own.revision, "done": done, "lease": lease, "seen": now}
    spent = row.spent + worked(row.seen, now)
    own.connection.execute(
        update(sheets).where(sheets.c.id == own.id).values(spent=spent, **values)
    )
    return lease


def worked(seen: int | None, now: int) -> int:
    """Milliseconds of work since a sheet was last heard of; a clock set back counts nothing."""
    return now - seen if seen is not None and 0 < now - seen <= IDLE else 0
