"""Somebody's sheet with all its events, as `export` wrote it, put back.

The events are done again, and must change what they say they changed: a history that was
tampered with is refused (see `claims`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from coindex.annotate import papers
from coindex.annotate.arrivals import Imported, Item, People, parsed
from coindex.annotate.claims import Logged, believed
from coindex.annotate.database import put
from coindex.annotate.fail import Invalid
from coindex.annotate.records import DOCUMENT, Records
from coindex.annotate.tables import events, records, sheets
from coindex.core.document import Document
from coindex.core.mention import Entity


def put_back(
    connection: Connection, people: People, old: Row[Any] | None, item: Item, text: str,
    found: Imported,
) -> None:  # fmt: skip
    """Somebody's sheet with all its events, as `export` wrote it; `Invalid` if it cannot be."""
    told = parsed(text, item)
    if old is None:
        found.skip(item, "expected its document before it, found none")
        return
    if not papers.same_text(old.body, item):
        found.skip(item, "another text of that name is there")
        return
    candidates = 0 if isinstance(item, Document) else len(item.candidates)
    log, rebuilt = believed(told, old.tokens, candidates)
    if isinstance(item, Document):
        _adds_up(item, rebuilt)
    user = people.named(told["user"])
    same = (sheets.c.document == old.id) & (sheets.c.user == user)
    same &= sheets.c.purpose == told["purpose"]
    if connection.execute(select(sheets.c.id).where(same)).first():
        found.skip(item, f"{told['user']!r} has a sheet of this document already")
        return
    _store(connection, people, old.id, user, told, log, rebuilt)
    found.counts.update(sheets=1, events=len(log))


def _adds_up(item: Document, rebuilt: Records) -> None:
    """The entities in the file are those of its events."""
    made = papers.made(replace(item, entities=()), rebuilt)
    if _as_set(made) != _as_set(item):
        raise Invalid("its entities are not what its events add up to")


def _as_set(document: Document) -> set[Any]:
    def told(entity: Entity) -> Any:
        return frozenset(entity.mentions), entity.id, entity.kind, entity.attrs

    return {told(entity) for entity in document.entities}


def _store(
    connection: Connection, people: People, document: int, user: int, told: dict[str, Any],
    log: list[Logged], rebuilt: Records,
) -> None:  # fmt: skip
    done = bool((rebuilt.get(DOCUMENT) or {}).get("done"))
    names = ("purpose", "order", "spent", "looks", "why", "created")
    columns = {name: told[name] for name in names}
    sheet = put(
        connection, sheets, document=document, user=user, revision=len(log), done=done, **columns
    )
    rows = [
        {**each.values, "sheet": sheet, "user": user if each.by is None else people.named(each.by)}
        for each in log
    ]
    if rows:
        connection.execute(insert(events), rows)
    state = [{"sheet": sheet, "key": key, "value": value} for key, value in rebuilt.items()]
    if state:
        connection.execute(insert(records), state)
