"""Archived and deleted documents and projects.

An archived document is put aside: nobody gets it, and it is not counted or exported. A deleted
one can be restored for a week; then it is removed, with all that was made of it. The same
holds for projects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from coindex.annotate.store.tables import (
    assignments,
    deliveries,
    documents,
    events,
    invitations,
    members,
    projects,
    rankings,
    ranks,
    records,
    webhooks,
)

STATES = ("active", "archived", "deleted")
UNDO = 7 * 86_400_000
"""How long something deleted can be restored, in milliseconds."""


def in_state(table: Table, state: str = "active") -> ColumnElement[bool]:
    """Return the condition that rows of `documents` or `projects` are in a state."""
    if state == "deleted":
        return table.c.deleted.is_not(None)
    archived = table.c.archived.is_not(None) if state == "archived" else table.c.archived.is_(None)
    return table.c.deleted.is_(None) & archived


def state_of(row: Any) -> str:
    """Return the state of a row of `documents` or `projects`."""
    if row.deleted is not None:
        return "deleted"
    return "active" if row.archived is None else "archived"


def set_state(
    connection: Connection, table: Table, ids: Iterable[int], state: str, now: int
) -> None:
    """Archive, delete or restore rows of `documents` or `projects`."""
    values = {"archived": now if state == "archived" else None}
    values["deleted"] = now if state == "deleted" else None
    connection.execute(update(table).where(table.c.id.in_(list(ids))).values(**values))


def purge(connection: Connection, now: int) -> tuple[int, int]:
    """Remove what was deleted more than a week ago; return how many documents and projects."""
    old = select(projects.c.id).where(projects.c.deleted < now - UNDO)
    gone = list(connection.execute(old).scalars())
    own = (documents.c.deleted < now - UNDO) | documents.c.project.in_(gone)
    texts = list(connection.execute(select(documents.c.id).where(own)).scalars())
    for start in range(0, len(texts), 500):
        _remove_documents(connection, texts[start : start + 500])
    if gone:
        _remove_projects(connection, gone)
    return len(texts), len(gone)


def _remove_documents(connection: Connection, ids: list[int]) -> None:
    own = select(assignments.c.id).where(assignments.c.document.in_(ids))
    connection.execute(delete(records).where(records.c.assignment.in_(own)))
    connection.execute(delete(events).where(events.c.assignment.in_(own)))
    connection.execute(delete(assignments).where(assignments.c.document.in_(ids)))
    connection.execute(delete(ranks).where(ranks.c.document.in_(ids)))
    connection.execute(delete(documents).where(documents.c.id.in_(ids)))


def _remove_projects(connection: Connection, ids: list[int]) -> None:
    hooks = select(webhooks.c.id).where(webhooks.c.project.in_(ids))
    connection.execute(delete(deliveries).where(deliveries.c.webhook.in_(hooks)))
    for table in (webhooks, rankings, members, invitations):
        connection.execute(delete(table).where(table.c.project.in_(ids)))
    connection.execute(delete(projects).where(projects.c.id.in_(ids)))
