"""A person's data: exported on request, and erased.

Erasing removes what names a person: the account's name, password, display name, shortcuts,
second factor, sessions, tokens, links and memberships, and their name in the
audit log and in what webhooks were told. What
they annotated belongs to the projects and remains, under `erased person N`, because events are
never changed. Backups that were made before still have everything, until they are deleted.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, func, select, update

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people.accounts import log_action
from coindex.annotate.store.events import state_json
from coindex.annotate.store.tables import (
    assignments,
    audit,
    deliveries,
    documents,
    events,
    failures,
    invitations,
    members,
    projects,
    resets,
    sessions,
    tokens,
    users,
)


def export_person(connection: Connection, user: int) -> dict[str, Any]:
    """Return all that is stored about a person, without secrets."""
    row = _person(connection, user)
    names = ("id", "name", "administrator", "disabled", "shown_name", "keys", "created")
    account = {name: getattr(row, name) for name in names}
    return {
        "account": {**account, "second_factor": row.totp is not None},
        "projects": _rows(connection, select(projects.c.id, projects.c.name, members.c.role, members.c.passed)
                          .join(members, members.c.project == projects.c.id).where(members.c.user == user)),
        "tokens": _rows(connection, select(tokens.c.name, tokens.c.scope, tokens.c.created, tokens.c.expires).where(tokens.c.user == user)),
        "sessions": _rows(connection, select(sessions.c.created, sessions.c.expires).where(sessions.c.user == user)),
        "invitations": _rows(connection, select(invitations.c.role, invitations.c.project, invitations.c.created, invitations.c.used)
                             .where((invitations.c.made_by == user) | (invitations.c.used_by == user))),
        "assignments": _work(connection, user),
        "log": _rows(connection, select(audit.c.at, audit.c.action, audit.c.target, audit.c.detail).where(audit.c.user == user).order_by(audit.c.id)),
    }  # fmt: skip


def _person(connection: Connection, user: int) -> Row[Any]:
    row = connection.execute(select(users).where(users.c.id == user)).first()
    if row is None:
        raise not_found("person")
    return row


def _rows(connection: Connection, query: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query).mappings()]


def _work(connection: Connection, user: int) -> list[dict[str, Any]]:
    """Return a person's assignments with their state and all their events."""
    rows = connection.execute(
        select(assignments, documents.c.name, projects.c.name.label("project_name"))
        .join(documents, documents.c.id == assignments.c.document)
        .join(projects, projects.c.id == documents.c.project)
        .where(assignments.c.user == user)
        .order_by(assignments.c.id)
    ).all()
    columns = ("id", "revision", "kind", "payload", "at", "client_time")
    listed = []
    for row in rows:
        own = select(*(events.c[name] for name in columns)).where(
            (events.c.assignment == row.id) & (events.c.user == user)
        )
        listed.append({
            "project": row.project_name, "document": row.name, "purpose": row.purpose,
            "done": row.done, "seconds": row.spent // 1000, "created": row.created,
            "state": json.loads(state_json(connection, row.id)),
            "events": _rows(connection, own.order_by(events.c.revision)),
        })  # fmt: skip
    return listed


def erase_person(connection: Connection, user: int, by: int, now: int) -> str:
    """Remove what names a person; return the name that stands for them from now on."""
    row = _person(connection, user)
    active = users.c.administrator.is_(True) & users.c.disabled.is_(False)
    others = select(func.count()).where(active & (users.c.id != user))
    if row.administrator and not connection.execute(others).scalar_one():
        raise ApiError(409, "last", "this is the only administrator: make another one first")
    new = f"erased person {user}"
    values = {
        "name": new, "password": f"!{secrets.token_hex(8)}", "administrator": False,
        "disabled": True, "shown_name": None, "keys": None, "totp": None, "totp_step": None,
    }  # fmt: skip
    connection.execute(update(users).where(users.c.id == user).values(**values))
    for table in (sessions, tokens, resets, members):
        connection.execute(delete(table).where(table.c.user == user))
    connection.execute(delete(failures).where(failures.c.key == f"name:{row.name.lower()[:100]}"))
    _erase_from(connection, audit, row.name, new)
    _erase_from(connection, deliveries, row.name, new)
    log_action(connection, now, by, "person erased", new)
    return new


def _erase_from(connection: Connection, table: Table, old: str, new: str) -> None:
    """Replace a name in the audit log, or in what webhooks were told."""
    columns = [table.c.target, table.c.detail] if table is audit else [table.c.body]
    for row in connection.execute(select(table.c.id, *columns)).mappings().all():
        found = {column.name: row[column.name] for column in columns}
        values = _replaced(found, old, new)
        if values != found:
            connection.execute(update(table).where(table.c.id == row["id"]).values(**values))


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return new if value.lower() == old.lower() else value
    if isinstance(value, list):
        return [_replaced(each, old, new) for each in value]
    if isinstance(value, dict):
        return {key: _replaced(each, old, new) for key, each in value.items()}
    return value
