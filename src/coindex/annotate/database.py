"""SQLite or PostgreSQL behind one small object.

SQLite runs in WAL mode with `synchronous=FULL`: what was answered as saved is on the disk.
A transaction that will write takes the write lock when it begins, so two requests wait for
each other and never fail half way. PostgreSQL locks the rows it reads to change.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.pool import QueuePool

from coindex.annotate.fail import Fail
from coindex.errors import UsageError

Clock = Callable[[], int]
WAIT = 20
"""Seconds to wait for another writer."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Database:
    """A database, and the clock that its times come from."""

    def __init__(self, url: str, clock: Clock = now) -> None:
        self.url = _normal(url)
        self.clock = clock
        self.engine = _engine(self.url)
        # SQLite has one writer at a time. Those of this process wait here, where the next is
        # woken at once; SQLite's own waiting is by sleeping longer and longer.
        self._turn = Lock() if self.sqlite else nullcontext()

    @property
    def sqlite(self) -> bool:
        """Whether this is SQLite."""
        return self.engine.dialect.name == "sqlite"

    @property
    def file(self) -> Path | None:
        """The file of a SQLite database."""
        found = self.engine.url.database
        return Path(found) if self.sqlite and found and found != ":memory:" else None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with _answered(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: all of it is stored, or nothing."""
        with _answered(), self._turn, self.engine.connect() as connection:
            connection = connection.execution_options(coindex_write=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()


def put(connection: Connection, table: Table, **values: Any) -> int:
    """Insert a row; its number."""
    made = insert(table).values(**values).returning(table.c.id)
    return int(connection.execute(made).scalar_one())


@contextmanager
def _answered() -> Iterator[None]:
    """A full disk or a busy database is no fault of the request: it may be sent again."""
    try:
        yield
    except OperationalError as error:
        told = str(error.orig).lower()
        if "locked" in told or "busy" in told:
            raise Fail(
                503, "busy", "the database is busy; nothing was stored, try again"
            ) from error
        if "full" in told or "no space" in told or "disk i/o" in told or "readonly" in told:
            message = "the disk is full or cannot be written; nothing was stored, try again later"
            raise Fail(503, "storage", message) from error
        if error.connection_invalidated or "connect" in told:
            message = "the database does not answer; nothing was stored, try again"
            raise Fail(503, "busy", message) from error
        raise


def _normal(url: str) -> str:
    """A path is a SQLite file; `postgresql://` means the driver that comes with the extra."""
    if "://" not in url:
        return f"sqlite:///{url}"
    for old in ("postgresql://", "postgres://"):
        if url.startswith(old):
            return url.replace(old, "postgresql+psycopg://", 1)
    return url


def _engine(url: str) -> Engine:
    try:
        name = make_url(url).get_backend_name()
        if name not in ("sqlite", "postgresql"):
            raise UsageError(f"--database: expected SQLite or PostgreSQL, found {name!r}")
        if name == "postgresql":
            return create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True)
    except (ArgumentError, ImportError) as error:
        raise UsageError(
            f"--database: expected a path or postgresql://..., found {url!r}"
        ) from error
    engine = create_engine(
        url, poolclass=QueuePool, pool_size=20, max_overflow=40,
        connect_args={"check_same_thread": False, "timeout": WAIT},
    )  # fmt: skip
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    connection.isolation_level = None  # we say when a transaction begins
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get("coindex_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
