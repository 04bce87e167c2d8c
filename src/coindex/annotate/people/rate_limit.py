"""Rate limits on password guessing: a number of wrong passwords in five minutes.

An attempt is counted before the password is checked, and removed if it was right. So
simultaneous attempts cannot all pass before the first of them turns out to be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, func, select, text

from coindex.annotate.errors import ApiError
from coindex.annotate.store.database import Database, insert_row
from coindex.annotate.store.tables import failures

WINDOW = 300_000
"""The milliseconds for which an attempt counts."""


class LoginAttempts:
    """The attempts in one database, counted by key: a name, an address, ..."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def begin(self, keys: Mapping[str, int]) -> list[int]:
        """Count an attempt for each key and return their ids; 429 if a key has had too many."""
        now = self.database.clock()
        with self.database.write() as connection:
            connection.execute(delete(failures).where(failures.c.at <= now - WINDOW))
            for key in sorted(keys):
                _lock(connection, key)
                count = select(func.count()).where(failures.c.key == key)
                if connection.execute(count).scalar_one() >= keys[key]:
                    wait = WINDOW // 1000
                    raise ApiError(
                        429, "slow-down", f"too many wrong passwords; wait {wait} seconds"
                    )
            return [insert_row(connection, failures, key=key, at=now) for key in keys]

    def succeeded(self, connection: Connection, attempts: list[int], key: str) -> None:
        """Remove these attempts, and all earlier ones for this key: the password was right."""
        own = failures.c.id.in_(attempts) | (failures.c.key == key)
        connection.execute(delete(failures).where(own))


def _lock(connection: Connection, key: str) -> None:
    """Let attempts for one key wait for each other in PostgreSQL, which has many writers."""
    if connection.dialect.name == "postgresql":
        statement = text("SELECT pg_advisory_xact_lock(720345, hashtext(:key))")
        connection.execute(statement, {"key": key})
