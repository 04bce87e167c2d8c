"""Is everything there that was stored? Rebuilds all sheets from their events and compares.

Each event is done again by today's code on the records so far: what it changes must be what
was stored with it, and in the end the records must be those of the projection. With
`repair` a projection that differs is written anew; events are never touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, text, update

from coindex.annotate import history
from coindex.annotate.actions import act
from coindex.annotate.database import Database
from coindex.annotate.fail import Invalid
from coindex.annotate.projection import load
from coindex.annotate.records import DOCUMENT, Change, Ground, Records, apply, changes, parse
from coindex.annotate.shapes import check_puts, check_whole
from coindex.annotate.tables import documents, events, records, sheets


@dataclass(frozen=True, slots=True)
class Health:
    """What was looked at, and what is wrong (nothing, if all is well)."""

    sheets: int
    events: int
    wrong: tuple[str, ...]
    repaired: int = 0


def examine(database: Database, *, repair: bool = False) -> Health:
    """Rebuild every sheet and compare."""
    wrong: list[str] = []
    repaired = 0
    with database.read() as connection:
        wrong += _storage(connection)
        ids = connection.execute(select(sheets.c.id).order_by(sheets.c.id)).scalars().all()
        count = connection.execute(select(func.count()).select_from(events)).scalar_one()
    for id in ids:
        with database.write() if repair else database.read() as connection:
            found, rebuilt = _sheet(connection, id)
            wrong += found
            if found and repair:
                _rewrite(connection, id, rebuilt)
                repaired += 1
    return Health(len(ids), count, tuple(wrong), repaired)


def _storage(connection: Connection) -> Iterator[str]:
    """What the database says of itself."""
    if connection.dialect.name != "sqlite":
        return
    for row in connection.execute(text("PRAGMA integrity_check")):
        if row[0] != "ok":
            yield f"the file is damaged: {row[0]}"
    for row in connection.execute(text("PRAGMA foreign_key_check")):
        yield f"{row[0]}: a row refers to nothing in {row[2]}"


def _sheet(connection: Connection, id: int) -> tuple[list[str], Records]:
    row = connection.execute(
        select(sheets, documents.c.tokens)
        .join(documents, documents.c.id == sheets.c.document)
        .where(sheets.c.id == id)
    ).one()
    log = connection.execute(
        select(events).where(events.c.sheet == id).order_by(events.c.revision)
    ).all()
    wrong, rebuilt = rebuild(
        log, Ground(row.tokens, None if row.order is None else tuple(row.order))
    )
    if [each.revision for each in log] != list(range(1, len(log) + 1)):
        wrong.append("the events' revisions have gaps")
    if row.revision != len(log):
        wrong.append(f"expected revision {len(log)}, found {row.revision}")
    if row.done != bool((rebuilt.get(DOCUMENT) or {}).get("done")):
        wrong.append(f"expected done to be {not row.done}, found {row.done}")
    stored = load(connection, id)
    differ = sorted(key for key in {*rebuilt, *stored} if rebuilt.get(key) != stored.get(key))
    if differ:
        wrong.append(f"{len(differ)} records differ from the events: {', '.join(differ[:5])}")
    return [f"sheet {id}: {each}" for each in wrong], rebuilt


def rebuild(log: Any, ground: Ground, *, strict: bool = False) -> tuple[list[str], Records]:
    """The records that events add up to, and what is wrong with the events.

    `strict` is for events that this database has not stored itself: what a seed puts is
    looked at, too.
    """
    wrong: list[str] = []
    found: Records = {}
    before: dict[str, Row[Any]] = {}
    stacks = history.Stacks()
    for row in log:
        stored = parse(row.changes)
        try:
            stacks.check(row.kind, row.payload)
            if strict and row.kind == history.SEED:
                check_puts(row.payload, ground)
                check_whole({**found, **row.payload})
            again = _again(row, found, ground, before)
        except Invalid as error:
            wrong.append(f"event {row.id} cannot be done again: {error}")
            again = stored
        if sorted(again, key=_key) != sorted(stored, key=_key):
            wrong.append(f"event {row.id} changes other records than were stored with it")
        apply(found, stored)
        stacks.turn(row.id, row.kind, row.payload)
        before[row.id] = row
    return wrong, found


def _key(change: Change) -> str:
    return change.key


def _again(
    row: Row[Any], found: Records, ground: Ground, before: Mapping[str, Row[Any]]
) -> list[Change]:
    if row.kind == history.SEED:
        return changes(found, row.payload)
    if row.kind in ("undo", "redo"):
        target = before.get(row.payload["event"])
        if target is None:
            raise Invalid(f"no event {row.payload['event']!r} before it")
        back = history.undone if row.kind == "undo" else history.redone
        return changes(found, back(found, parse(target.changes)))
    return changes(found, act(row.kind, row.payload, found, ground))


def _rewrite(connection: Connection, id: int, rebuilt: Records) -> None:
    connection.execute(delete(records).where(records.c.sheet == id))
    rows = [{"sheet": id, "key": key, "value": value} for key, value in rebuilt.items()]
    if rows:
        connection.execute(insert(records), rows)
    revision = connection.execute(
        select(func.count()).select_from(events).where(events.c.sheet == id)
    ).scalar_one()
    done = bool((rebuilt.get(DOCUMENT) or {}).get("done"))
    connection.execute(update(sheets).where(sheets.c.id == id).values(revision=revision, done=done))
