"""SQLite or PostgreSQL behind one small class.

SQLite runs in WAL mode with `synchronous=FULL`: what was reported as saved is on the disk.
A writing transaction takes the write lock when it begins, so two requests wait for each
other and never fail half way. PostgreSQL locks the rows that it reads in order to change.
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

from coindex.annotate.errors import ApiError
from coindex.errors import UsageError

Clock = Callable[[], int]
LOCK_TIMEOUT = 20
"""Seconds to wait for another writer."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Database:
    """A database, and the clock that gives its times."""

    def __init__(self, url: str, clock: Clock = now) -> None:
        self.url = _normalised(url)
        self.clock = clock
        self.engine = _engine(self.url)
        # SQLite has one writer at a time. Writers of this process wait for a lock, which wakes
        # the next one at once; SQLite itself polls at growing intervals.
        self._write_lock = Lock() if self.sqlite else nullcontext()

    @property
    def sqlite(self) -> bool:
        """Whether this is SQLite."""
        return self.engine.dialect.name == "sqlite"

    @property
    def file(self) -> Path | None:
        """The file of a SQLite database."""
        name = self.engine.url.database
        return Path(name) if self.sqlite and name and name != ":memory:" else None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with _translated_errors(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: either all of it is stored or nothing."""
        with _translated_errors(), self._write_lock, self.engine.connect() as connection:
            connection = connection.execution_options(coindex_write=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def insert_row(connection: Connection, table: Table, **values: Any) -> int:
    """Insert a row and return its id."""
    statement = insert(table).values(**values).returning(table.c.id)
    return int(connection.execute(statement).scalar_one())


@contextmanager
def _translated_errors() -> Iterator[None]:
    """A full disk or a busy database becomes a 503: the request may be sent again."""
    try:
        yield
    except OperationalError as error:
        message = str(error.orig).lower()
        if "locked" in message or "busy" in message:
            raise ApiError(
                503, "busy", "the database is busy; nothing was stored, try again"
            ) from error
        if (
            "full" in message
            or "no space" in message
            or "disk i/o" in message
            or "readonly" in message
        ):
            reason = "the disk is full or cannot be written; nothing was stored, try again later"
            raise ApiError(503, "storage", reason) from error
        if error.connection_invalidated or "connect" in message:
            reason = "the database does not answer; nothing was stored, try again"
            raise ApiError(503, "busy", reason) from error
        raise


def _normalised(url: str) -> str:
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
        connect_args={"check_same_thread": False, "timeout": LOCK_TIMEOUT},
    )  # fmt: skip
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    connection.isolation_level = None  # `_begin` begins transactions
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get("coindex_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
