"""Restoring a backup into an empty database, which is then migrated to this version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, func, insert, select, text

from coindex import io
from coindex.annotate.store.backup import copy_sqlite, reflected_tables
from coindex.annotate.store.database import Database
from coindex.annotate.store.migrate import SCRIPTS, migrate, versions
from coindex.errors import CoindexError, InputError


def restore(path: Path, database: Database, scripts: Path = SCRIPTS) -> None:
    """Fill an empty database from a backup, and migrate it to this version."""
    if path.name.endswith(".db"):
        _restore_sqlite(path, database)
    else:
        _restore_lines(path, database, scripts)
    migrate(database, None, scripts)


def _restore_sqlite(path: Path, database: Database) -> None:
    if database.file is None:
        raise InputError(f"{path}: a backup of SQLite can only be restored to SQLite; name a file")
    if database.file.exists() and database.file.stat().st_size:
        raise InputError(f"{database.file}: expected no database there, found one")
    database.close()
    with io.replace_file(database.file) as part:
        copy_sqlite(path, part)


def _restore_lines(path: Path, database: Database, scripts: Path) -> None:
    """Insert the rows into tables of the backup's own version."""
    lines = _read(path)
    version = next(lines, {}).get("version")
    if version not in versions(scripts):
        known = ", ".join(versions(scripts))
        raise InputError(f"{path}: expected a backup of version {known}, found {version!r}")
    migrate(database, None, scripts, last=version)
    with database.write() as connection:
        tables = reflected_tables(connection)
        for table in tables.tables.values():
            if connection.execute(select(func.count()).select_from(table)).scalar():
                raise InputError(f"expected an empty database, found rows in {table.name}")
        for row in lines:
            if row["table"] not in tables.tables:
                raise InputError(f"{path}: version {version} has no table {row['table']!r}")
            connection.execute(insert(tables.tables[row["table"]]), [row["row"]])
        _advance_sequences(connection, tables)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with io.open_lines(path) as lines:
            for line in lines:
                yield json.loads(line)
    except (CoindexError, ValueError) as error:
        raise InputError(f"{path}: expected a backup made by `annotate backup`: {error}") from error


def _advance_sequences(connection: Connection, tables: MetaData) -> None:
    """Set PostgreSQL's sequences to numbers after those of the inserted rows."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables.tables.values():
        for column in table.primary_key.columns:
            sequence = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
            if connection.execute(text(f"SELECT {sequence}")).scalar():
                top = f"(SELECT COALESCE(MAX({column.name}), 0) + 1 FROM {table.name})"
                connection.execute(text(f"SELECT setval({sequence}, {top}, false)"))
