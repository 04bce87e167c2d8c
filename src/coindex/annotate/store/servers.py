"""The servers of a database: several may run on one PostgreSQL.

A server writes a sign of life every `BEAT` seconds. One that has been silent for `SILENCE` has
been killed: what it worked on is failed by the others, and by the next that starts. SQLite
has one server, so that all earlier ones are gone when it starts.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from contextlib import suppress

from sqlalchemy import Connection, delete, insert, select, update

from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import rankings, servers
from coindex.errors import CoindexError

BEAT, SILENCE = 15.0, 60.0
"""Seconds between two signs of life, and after which a server counts as gone."""

logger = logging.getLogger(__name__)


class ServerPresence(threading.Thread):
    """The sign of life of one server, from `enter` to `leave`."""

    def __init__(self, database: Database, beat: float = BEAT) -> None:
        super().__init__(name="presence", daemon=True)
        self.database, self.beat = database, beat
        self.id = uuid.uuid4().hex
        self.stopped = threading.Event()

    def enter(self) -> None:
        """Register the server, and fail what servers that are gone have left."""
        now = self.database.clock()
        name = f"{socket.gethostname()}, process {os.getpid()}"[:200]
        with self.database.write() as connection:
            if self.database.sqlite:
                connection.execute(delete(servers))
            row = {"id": self.id, "name": name, "started": now, "seen": now}
            connection.execute(insert(servers), row)
            fail_interrupted(connection, now)

    def run(self) -> None:
        """Give signs of life until stopped."""
        while not self.stopped.wait(self.beat):
            try:
                self.once()
            except Exception as error:  # a full disk or a busy database: the next may succeed
                logger.warning("no sign of life could be stored: %s", error)

    def once(self) -> None:
        """Give one sign of life."""
        now = self.database.clock()
        with self.database.write() as connection:
            own = servers.c.id == self.id
            connection.execute(update(servers).where(own).values(seen=now))
            fail_interrupted(connection, now)

    def leave(self) -> None:
        """Remove the server: it has been stopped in the ordinary way."""
        self.stopped.set()
        with suppress(CoindexError), self.database.write() as connection:
            connection.execute(delete(servers).where(servers.c.id == self.id))
            fail_interrupted(connection, self.database.clock())


def fail_interrupted(connection: Connection, now: int) -> None:
    """Remove servers that are gone, and mark the rankings that they have left running as failed."""
    connection.execute(delete(servers).where(servers.c.seen < now - int(SILENCE * 1000)))
    living = rankings.c.server.in_(select(servers.c.id))
    lost = (rankings.c.state == "running") & (rankings.c.server.is_(None) | ~living)
    values = {"state": "failed", "message": "the server was stopped meanwhile"}
    connection.execute(update(rankings).where(lost).values(**values))
