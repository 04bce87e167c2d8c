"""Limits on guessing: so many wrong passwords in five minutes, however they come.

A try is counted before the password is looked at, and taken back if it was right. So those
that come together cannot all pass before the first of them is found wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, func, select, text

from coindex.annotate.database import Database, put
from coindex.annotate.fail import Fail
from coindex.annotate.tables import failures

WINDOW = 300_000
"""Milliseconds in which tries are counted."""


class Attempts:
    """The tries of one database, by what they are counted for: a name, an address, ..."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def begin(self, keys: Mapping[str, int]) -> list[int]:
        """Count a try for each key; 429 if one has had as many as it may. The tries' numbers."""
        now = self.database.clock()
        with self.database.write() as connection:
            connection.execute(delete(failures).where(failures.c.at <= now - WINDOW))
            for key in sorted(keys):
                _lock(connection, key)
                count = select(func.count()).where(failures.c.key == key)
                if connection.execute(count).scalar_one() >= keys[key]:
                    wait = WINDOW // 1000
                    raise Fail(429, "slow-down", f"too many wrong passwords; wait {wait} seconds")
            return [put(connection, failures, key=key, at=now) for key in keys]

    def good(self, connection: Connection, tries: list[int], key: str) -> None:
        """The password was right: these tries do not count, nor any before them for this key."""
        own = failures.c.id.in_(tries) | (failures.c.key == key)
        connection.execute(delete(failures).where(own))


def _lock(connection: Connection, key: str) -> None:
    """PostgreSQL lets several count at once; those of one key wait for each other."""
    if connection.dialect.name == "postgresql":
        told = text("SELECT pg_advisory_xact_lock(720345, hashtext(:key))")
        connection.execute(told, {"key": key})
