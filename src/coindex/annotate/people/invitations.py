"""Invitation links, of a project or to none: a list, revoking, and joining with an account that exists.

Only the digest of a link is stored, so a link can be copied when it is made, not later. Its
short id is the beginning of that digest.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people.access import ROLES
from coindex.annotate.people.accounts import Accounts, log_action
from coindex.annotate.store.tables import invitations, members, users

SHORT = 16


def list_invitations(connection: Connection, project: int | None, now: int) -> list[dict[str, Any]]:
    """Return the invitations of a project, None for those to none: open, used, or expired."""
    makers, guests = users.alias(), users.alias()
    rows = connection.execute(
        select(invitations, makers.c.name.label("maker"), guests.c.name.label("guest"))
        .join(makers, makers.c.id == invitations.c.made_by, isouter=True)
        .join(guests, guests.c.id == invitations.c.used_by, isouter=True)
        .where(invitations.c.project.is_not_distinct_from(project))
        .order_by(invitations.c.created.desc(), invitations.c.digest)
    )
    return [
        {"id": row.digest[:SHORT], "role": _role(row), "created": row.created, "expires": row.expires,
         "by": row.maker, "used": row.used, "used_by": row.guest, "state": _state(row, now)}
        for row in rows
    ]  # fmt: skip


def _role(row: Row[Any]) -> str | None:
    return "administrator" if row.administrator else row.role


def _state(row: Row[Any], now: int) -> str:
    if row.used is not None:
        return "used"
    return "expired" if row.expires <= now else "open"


def revoke(connection: Connection, project: int | None, short: str) -> str:
    """End an invitation of a project, or one to none; return its role."""
    own = invitations.c.digest.startswith(short, autoescape=True)
    own &= invitations.c.project.is_not_distinct_from(project) & invitations.c.used.is_(None)
    rows = connection.execute(select(invitations).where(own)).all() if len(short) == SHORT else []
    if len(rows) != 1:
        raise not_found("open invitation")
    connection.execute(delete(invitations).where(invitations.c.digest == rows[0].digest))
    return _role(rows[0]) or ""


def join(accounts: Accounts, secret: str, user: int) -> int:
    """Make somebody with an account a member, by an invitation; return the project's id."""
    now = accounts.database.clock()
    with accounts.database.write() as connection:
        row = accounts.invitation(connection, secret)
        if row.project is None:
            raise ApiError(409, "account", "this link creates a new account: log out to use it")
        own = (members.c.project == row.project) & (members.c.user == user)
        old = connection.execute(select(members.c.role).where(own)).scalar()
        role = row.role or "annotator"
        if old is not None and ROLES.index(old) >= ROLES.index(role):
            raise ApiError(409, "member", f"you are in this project already, as {old}")
        if old is None:
            connection.execute(insert(members), {"project": row.project, "user": user, "role": role})  # fmt: skip
        else:
            connection.execute(update(members).where(own).values(role=role))
        used = invitations.c.digest == row.digest
        connection.execute(update(invitations).where(used).values(used=now, used_by=user))
        log_action(connection, now, user, "joined", role, project=row.project)
        return int(row.project)
