"""Backups of a whole database, made while it is in use.

SQLite is copied by its own online backup. PostgreSQL is read in one transaction, hence at one
point in time, and written as JSON lines: the version of the tables, then each row with its
table's name and the columns that the database has, which may be those of an older version.

Backups are atomic: a file gets its name when all of it is on the disk. See `restore`.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, MetaData, select, text

from coindex import io
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import metadata
from coindex.errors import InputError

_FILE = re.compile(r"coindex-\d{8}T\d{6}(-\d+)?-[a-z0-9-]+\.(db|jsonl\.gz)\Z")


DROPPED_TABLES: tuple[str, ...] = ()
"""Tables of older versions that this version has dropped."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup: the name and size of its file, and when it was made."""

    name: str
    size: int
    at: int


def back_up(database: Database, folder: Path, why: str = "asked") -> Backup:
    """Copy a database while the server may run; `why` becomes part of the file's name."""
    io.make_folder(folder)
    path = _path(folder, why, ".db" if database.sqlite else ".jsonl.gz", database.clock() // 1000)
    try:
        with io.replace_file(path, sync=True) as part:
            if database.sqlite:
                copy_sqlite(database.file, part)
            else:
                _dump(database, part)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be written: {error}") from error
    return _describe(path)


def list_backups(folder: Path) -> list[Backup]:
    """Return the backups in a folder, the newest first."""
    files = folder.iterdir() if folder.is_dir() else ()
    backups = [_describe(path) for path in files if _FILE.match(path.name)]
    return sorted(backups, key=lambda each: each.name, reverse=True)


def prune_backups(folder: Path, keep: int, why: str = "scheduled") -> list[str]:
    """Delete all but the newest `keep` backups made for one reason; return their names."""
    old = [each.name for each in list_backups(folder) if f"-{why}." in each.name][keep:]
    for name in old:
        (folder / name).unlink()
    return old


def _path(folder: Path, why: str, suffix: str, seconds: int) -> Path:
    stem = "coindex-" + time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds))
    number = 1
    path = folder / f"{stem}-{why}{suffix}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}-{why}{suffix}"
    return path


def _describe(path: Path) -> Backup:
    status = path.stat()
    return Backup(path.name, status.st_size, int(status.st_mtime * 1000))


def copy_sqlite(source: Path | None, target: Path) -> None:
    """Copy a SQLite file that may be in use."""
    with (
        closing(sqlite3.connect(str(source))) as original,
        closing(sqlite3.connect(target)) as copy,
    ):
        original.backup(copy)


def _dump(database: Database, part: Path) -> None:
    with (
        database.engine.connect().execution_options(
            isolation_level="REPEATABLE READ"
        ) as connection,
        io.open_output(part) as file,
    ):
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        file.write(json.dumps({"coindex": "annotate", "version": version}) + "\n")
        for table in reflected_tables(connection).sorted_tables:
            for each in connection.execute(select(table)).mappings():
                row = {"table": table.name, "row": dict(each)}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def reflected_tables(connection: Connection) -> MetaData:
    """Return the app's tables with the columns that this database has."""
    known = {*metadata.tables, *DROPPED_TABLES}
    tables = MetaData()
    tables.reflect(connection, only=lambda name, _: name in known)
    return tables
