"""Starting the server: database, migrations, the first administrator's link, backups by time."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex.annotate.accounts import Accounts
from coindex.annotate.backup import back_up, prune
from coindex.annotate.database import Database
from coindex.annotate.fail import Fail
from coindex.annotate.migrate import migrate, steps
from coindex.errors import InputError, UsageError

DATABASE = "coindex-annotate.db"


def folder_of(database: Database, given: Path | None) -> Path:
    """The folder of backups: beside a SQLite file unless told."""
    if given is not None:
        return given
    file = database.file
    return file.with_name(f"{file.name}.backups") if file else Path("coindex-annotate-backups")


def opened(url: str, backups: Path | None = None, *, make: bool = False) -> Database:
    """A database at this version: made where it may be, or else one that must be there."""
    database = Database(url)
    if not make and database.file is not None and not database.file.exists():
        raise InputError(f"{database.file}: no such database; coindex annotate init makes one")
    if database.file is not None and not database.file.parent.is_dir():
        raise InputError(f"{database.file.parent}: no such folder")
    migrate(database, folder_of(database, backups))
    return database


def pending(url: str) -> list[str]:
    """The migrations that a database still needs."""
    return steps(Database(url))


def first_link(database: Database) -> str | None:
    """The path of a one-time link for the first administrator; None if there is one.

    Only a digest of a link is stored, so that an older one cannot be shown again: it ends.
    """
    made = Accounts(database).first_link()
    return f"/welcome/{made[0]}" if made else None


@dataclass(frozen=True, slots=True)
class Schedule:
    """Backups every so many minutes (0: never), of which so many are kept."""

    folder: Path
    minutes: float = 60
    keep: int = 48


class Clockwork(threading.Thread):
    """Makes a backup now and then, while the server runs."""

    def __init__(self, database: Database, schedule: Schedule) -> None:
        super().__init__(name="backups", daemon=True)
        self.database, self.schedule = database, schedule
        self.stopped = threading.Event()
        self.failed: str | None = None

    def run(self) -> None:
        """Until stopped."""
        while not self.stopped.wait(self.schedule.minutes * 60):
            self.once()

    def once(self) -> None:
        """One backup; a failure is kept and told, and does not end the server."""
        import logging

        try:
            back_up(self.database, self.schedule.folder, "scheduled")
            prune(self.schedule.folder, self.schedule.keep)
            self.failed = None
        except Exception as error:  # whatever it was, the next one may succeed
            self.failed = str(error)
            logging.getLogger("coindex.annotate").error("no backup was made: %s", error)

    def stop(self) -> None:
        """No more backups."""
        self.stopped.set()


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens, and the names it answers to."""

    host: str = "127.0.0.1"
    port: int = 8642
    names: tuple[str, ...] = ()
    https: bool = False


def serve(
    url: str, address: Address, backups: Path | None, minutes: float, keep: int, say: Any
) -> None:
    """Run the server until it is stopped."""
    import uvicorn

    from coindex.annotate.ranker import forget_running
    from coindex.annotate.web.app import create_app
    from coindex.annotate.web.services import Options, Services

    database = opened(url, backups, make=True)
    folder = folder_of(database, backups)
    forget_running(database)
    names = tuple(name.lower() for name in address.names)
    local = ("127.0.0.1", "localhost", "[::1]", address.host.lower())
    options = Options((*local, *names), address.https, folder)
    app = create_app(Services(database, options))
    clockwork = Clockwork(database, Schedule(folder, minutes, keep))
    if minutes:
        clockwork.start()
    link = first_link(database)
    base = f"http{'s' if address.https else ''}://{(names or (address.host,))[0]}"
    shown = base if address.https and names else f"{base}:{address.port}"
    say(f"coindex annotate: {shown} (stop with Ctrl+C)")
    if link:
        say(f"make the administrator's account here, once, within a day: {shown}{link}")
        say("(a link that was shown before this one does not work any more)")
    try:
        uvicorn.run(
            app, host=address.host, port=address.port, log_level="warning", server_header=False,
            timeout_graceful_shutdown=5,
        )  # fmt: skip
    finally:
        clockwork.stop()
        database.close()


def project_named(database: Database, name: str, kind: str | None = None) -> Any:
    """A project by its name; made where a kind is given and there is none."""
    from sqlalchemy import select

    from coindex.annotate import projects
    from coindex.annotate.tables import projects as table

    wanted = select(table).where(table.c.name == name)
    with database.read() as connection:
        found = connection.execute(wanted).first()
        known = connection.execute(select(table.c.name).order_by(table.c.name)).scalars().all()
    if found is None and kind is None:
        raise UsageError(f"no project {name!r}; expected one of: {', '.join(known) or 'none yet'}")
    if found is None:
        try:
            projects.create(database, name, str(kind), {})
        except Fail as fail:
            raise UsageError(fail.message) from fail
        with database.read() as connection:
            found = connection.execute(wanted).first()
    return found
