"""Copies of a whole database, made while it is in use.

SQLite is copied by its own online backup. PostgreSQL is read in one transaction that sees
one moment, and written as JSON lines: the version of the tables, then each row with its
table's name, by the columns that the database has, which may be those of an older coindex.
Such a copy is restored into tables of its own version, which are then brought to this one.

Either is complete or not there: a copy gets its name when all of it is on the disk.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, func, insert, select, text

from coindex import io
from coindex.annotate.database import Database
from coindex.annotate.tables import metadata
from coindex.errors import InputError

_FILE = re.compile(r"coindex-\d{8}T\d{6}(-\d+)?-[a-z0-9-]+\.(db|jsonl\.gz)\Z")


FORMER: tuple[str, ...] = ()
"""Tables of older versions that this one has no more: name them here when one is dropped."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy: its file's name, its bytes, when it was made."""

    name: str
    size: int
    at: int


def back_up(database: Database, folder: Path, why: str = "asked") -> Backup:
    """Copy a database; the server may go on meanwhile."""
    io.make_folder(folder)
    path = _path(folder, why, ".db" if database.sqlite else ".jsonl.gz", database.clock() // 1000)
    part = path.with_name(f".{path.name}.part")
    try:
        if database.sqlite:
            _copy(database, part)
        else:
            _dump(database, part)
        _to_disk(part)
        os.replace(part, path)
        _to_disk(folder)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)
    return _told(path)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, would survive a loss of power."""
    found = os.open(path, os.O_RDONLY)
    try:
        os.fsync(found)
    finally:
        os.close(found)


def backups(folder: Path) -> list[Backup]:
    """The copies in a folder, the newest first."""
    found = [path for path in folder.iterdir() if _FILE.match(path.name)] if folder.is_dir() else []
    return sorted(map(_told, found), key=lambda each: each.name, reverse=True)


def prune(folder: Path, keep: int, why: str = "scheduled") -> list[str]:
    """Delete the oldest copies made for a reason, all but `keep`; others are not touched."""
    old = [each.name for each in backups(folder) if f"-{why}." in each.name][keep:]
    for name in old:
        (folder / name).unlink()
    return old


def restore(path: Path, database: Database, scripts: Path | None = None) -> None:
    """Fill an empty database from a copy, and bring it to this version."""
    from coindex.annotate import migrate

    scripts = scripts or migrate.SCRIPTS
    if path.name.endswith(".db"):
        _restore_sqlite(path, database)
    else:
        _restore_lines(path, database, scripts)
    migrate.migrate(database, None, scripts)


def _path(folder: Path, why: str, suffix: str, seconds: int) -> Path:
    stem = "coindex-" + time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds))
    number = 1
    path = folder / f"{stem}-{why}{suffix}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}-{why}{suffix}"
    return path


def _told(path: Path) -> Backup:
    found = path.stat()
    return Backup(path.name, found.st_size, int(found.st_mtime * 1000))


def _copy(database: Database, part: Path) -> None:
    with (
        closing(sqlite3.connect(str(database.file))) as source,
        closing(sqlite3.connect(part)) as to,
    ):
        source.backup(to)


def _dump(database: Database, part: Path) -> None:
    with (
        database.engine.connect().execution_options(
            isolation_level="REPEATABLE READ"
        ) as connection,
        gzip.open(part, "wt", encoding="utf-8") as file,
    ):
        for row in _rows(connection):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _rows(connection: Connection) -> Iterator[dict[str, Any]]:
    version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    yield {"coindex": "annotate", "version": version}
    for table in _there(connection).sorted_tables:
        for row in connection.execute(select(table)).mappings():
            yield {"table": table.name, "row": dict(row)}


def _there(connection: Connection) -> MetaData:
    """Our tables with the columns that they have in this database."""
    known = {*metadata.tables, *FORMER}
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in known)
    return found


def _restore_sqlite(path: Path, database: Database) -> None:
    if database.file is None:
        raise InputError(f"{path}: a copy of SQLite goes into SQLite; name a file")
    if database.file.exists() and database.file.stat().st_size:
        raise InputError(f"{database.file}: expected no database there, found one")
    database.close()
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(database.file)) as to:
        source.backup(to)


def _restore_lines(path: Path, database: Database, scripts: Path) -> None:
    from coindex.annotate.migrate import migrate, versions

    lines = _read(path)
    version = next(lines, {}).get("version")
    if version not in versions(scripts):
        known = ", ".join(versions(scripts))
        raise InputError(f"{path}: expected a copy of version {known}, found {version!r}")
    migrate(database, None, scripts, last=version)
    with database.write() as connection:
        tables = _there(connection)
        for table in tables.tables.values():
            if connection.execute(select(func.count()).select_from(table)).scalar():
                raise InputError(f"expected an empty database, found rows in {table.name}")
        for row in lines:
            if row["table"] not in tables.tables:
                raise InputError(f"{path}: version {version} has no table {row['table']!r}")
            connection.execute(insert(tables.tables[row["table"]]), [row["row"]])
        _counters(connection, tables)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a copy."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"{path}: expected a copy made by `annotate backup`: {error}") from error


def _counters(connection: Connection, tables: MetaData) -> None:
    """PostgreSQL's next numbers come after the rows that were put in."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables.tables.values():
        for column in table.primary_key.columns:
            owner = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
            if connection.execute(text(f"SELECT {owner}")).scalar():
                top = f"(SELECT COALESCE(MAX({column.name}), 0) + 1 FROM {table.name})"
                connection.execute(text(f"SELECT setval({owner}, {top}, false)"))
