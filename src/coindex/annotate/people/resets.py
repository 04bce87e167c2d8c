"""One-time links for a new password, made by an administrator, in the browser or by a command.

A link ends when it is used, after a day, and when a newer one is made. The new password ends all
sessions and tokens of the account; a second factor stays.
"""

from __future__ import annotations

import secrets
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people.accounts import DAY, digest, hash_password, log_action
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import resets, sessions, tokens, users


def make_reset_link(database: Database, by: int | None, user: int) -> tuple[str, int]:
    """Return the path of a new link, and when it expires."""
    secret, now = secrets.token_urlsafe(24), database.clock()
    with database.write() as connection:
        row = connection.execute(select(users).where(users.c.id == user)).first()
        if row is None:
            raise not_found("person")
        if row.disabled:
            raise ApiError(
                409, "disabled", f"the account of {row.name} is disabled: enable it first"
            )
        connection.execute(delete(resets).where(resets.c.user == user))
        values = {"digest": digest(secret), "user": user, "created": now, "expires": now + DAY}
        connection.execute(insert(resets), values)
        log_action(connection, now, by, "password link made", row.name)
    return f"/reset/{secret}", now + DAY


def reset_owner(connection: Connection, secret: str, now: int) -> Row[Any]:
    """Return the person of a link that can still be used."""
    valid = (resets.c.digest == digest(secret)) & (resets.c.expires > now)
    row = connection.execute(
        select(users)
        .join(resets, resets.c.user == users.c.id)
        .where(valid & users.c.disabled.is_(False))
        .with_for_update()
    ).first()
    if row is None:
        raise not_found("link; it may have been used or be too old")
    return row


def use_reset_link(database: Database, secret: str, password: str) -> None:
    """Set a new password."""
    with database.read() as connection:
        name = reset_owner(connection, secret, database.clock()).name
    stored = hash_password(password, name)
    with database.write() as connection:
        now = database.clock()
        user = reset_owner(connection, secret, now).id
        connection.execute(update(users).where(users.c.id == user).values(password=stored))
        for table in (resets, sessions, tokens):
            connection.execute(delete(table).where(table.c.user == user))
        log_action(connection, now, user, "password reset")
