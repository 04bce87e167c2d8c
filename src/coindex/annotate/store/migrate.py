"""Migrations: bring a database to this version's tables, one transaction each.

An interrupted migration leaves the database as it was before; running the command again
resumes there. Before each migration the whole database is backed up, so that an older version
of coindex can still open the backup.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from coindex.annotate.store.backup import back_up
from coindex.annotate.store.database import Database
from coindex.errors import InputError

SCRIPTS = Path(__file__).parent / "migrations"


def current_version(database: Database) -> str | None:
    """Return the version of a database's tables; None if it has none."""
    with database.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def versions(scripts: Path = SCRIPTS) -> list[str]:
    """Return all versions of the tables, the oldest first."""
    directory = ScriptDirectory.from_config(_config(scripts))
    return [script.revision for script in reversed(list(directory.walk_revisions()))]


def pending_migrations(database: Database, scripts: Path = SCRIPTS) -> list[str]:
    """Return the migrations that a database still needs, in order."""
    every = versions(scripts)
    have = current_version(database)
    if have is None:
        return every
    if have not in every:
        raise InputError(
            f"the database is of version {have}, which this coindex does not know;"
            f" expected {every[-1]} or older: use the coindex that made it, or a newer one"
        )
    return every[every.index(have) + 1 :]


def migrate(
    database: Database, backups: Path | None, scripts: Path = SCRIPTS, last: str | None = None
) -> list[str]:
    """Run the pending migrations, all or up to `last`; return their names."""
    made: list[str] = []
    fresh = current_version(database) is None
    for revision in pending_migrations(database, scripts):
        if last is not None and last in (current_version(database), *made):
            break
        if backups is not None and not fresh:
            back_up(database, backups, f"before-{revision}")
        with database.write() as connection:
            _lock(connection)
            _step(connection, revision, scripts)
        made.append(revision)
    return made


def _lock(connection: Connection) -> None:
    """Two servers that start together run each migration once."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7203451)"))


def _step(connection: Connection, revision: str, scripts: Path) -> None:
    config = _config(scripts)
    config.attributes["connection"] = connection
    directory = ScriptDirectory.from_config(config)
    have = MigrationContext.configure(connection).get_current_revision()
    script = directory.get_revision(revision)
    if script is not None and script.down_revision == have:
        command.upgrade(config, revision)


def _config(scripts: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
