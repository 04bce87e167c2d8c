"""Somebody's sheet with all its events, as `export` wrote it, put back.

The events are done again, and must change what they say they changed: a history that was
tampered with is refused.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, insert, select

from coindex.annotate.arrivals import Imported, Item, name_of, parsed, person
from coindex.annotate.database import put
from coindex.annotate.doctor import rebuild
from coindex.annotate.events import Events
from coindex.annotate.fail import Fail
from coindex.annotate.records import DOCUMENT, Ground
from coindex.annotate.tables import events, records, sheets


def put_back(
    store: Events, connection: Connection, project: Row[Any], old: Row[Any] | None, item: Item,
    text: str, found: Imported,
) -> None:  # fmt: skip
    """Somebody's sheet with all its events, as `export` wrote it."""
    told = parsed(text, item)
    if old is None:
        found.skip(item, "expected its document before it, found none")
        return
    try:
        user = person(connection, project.id, told["user"], store.database.clock())
        same = (sheets.c.document == old.id) & (sheets.c.user == user)
        if connection.execute(
            select(sheets.c.id).where(same & (sheets.c.purpose == told["purpose"]))
        ).first():
            found.skip(item, f"{told['user']!r} has a sheet of this document already")
            return
        log = [_event(row) for row in told["events"]]
        order = None if told["order"] is None else tuple(told["order"])
        wrong, rebuilt = rebuild(log, Ground(old.tokens, order))
        if wrong:
            raise Fail(422, "history", f"{name_of(item)}: {wrong[0]}")
        done = bool((rebuilt.get(DOCUMENT) or {}).get("done"))
        columns = {
            name: told[name] for name in ("purpose", "order", "spent", "looks", "why", "created")
        }
        sheet = put(
            connection, sheets, document=old.id, user=user, revision=len(log), done=done, **columns
        )
        rows = [
            {
                **event.values,
                "sheet": sheet,
                "user": _author(connection, project.id, event.values, user, store),
            }
            for event in log
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise Fail(
            422, "history", f"{name_of(item)}: expected a sheet's history: {error!r}"
        ) from error
    if rows:
        connection.execute(insert(events), rows)
    state = [{"sheet": sheet, "key": key, "value": value} for key, value in rebuilt.items()]
    if state:
        connection.execute(insert(records), state)
    found.counts.update(sheets=1, events=len(rows))


def _author(
    connection: Connection, project: int, values: dict[str, Any], owner: int, store: Events
) -> int:
    who = values.pop("by", None)
    return owner if who is None else person(connection, project, str(who), store.database.clock())


class _event:
    """A row of a history; its values are also attributes, as those of a database's row."""

    def __init__(self, values: dict[str, Any]) -> None:
        names = ("id", "revision", "base", "client", "kind", "payload", "changes", "at", "told")
        self.values = {name: values[name] for name in names}
        if "by" in values:
            self.values["by"] = values["by"]
        self.id, self.revision, self.kind = values["id"], values["revision"], values["kind"]
        self.payload, self.changes = values["payload"], values["changes"]
