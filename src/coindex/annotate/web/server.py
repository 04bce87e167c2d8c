"""Starting the server: database, migrations, the first administrator's link, scheduled backups."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from coindex.annotate.people.accounts import Accounts
from coindex.annotate.store.backup import back_up, prune_backups
from coindex.annotate.store.database import Database
from coindex.annotate.store.migrate import migrate
from coindex.errors import InputError

logger = logging.getLogger(__name__)


def backup_folder(database: Database, given: Path | None) -> Path:
    """Return the folder of backups: by default beside a SQLite file."""
    if given is not None:
        return given
    file = database.file
    return file.with_name(f"{file.name}.backups") if file else Path("coindex-annotate-backups")


def open_database(url: str, backups: Path | None = None, *, make: bool = False) -> Database:
    """Open a database and migrate it to this version; with `make`, create it if necessary."""
    database = Database(url)
    if not make and database.file is not None and not database.file.exists():
        raise InputError(f"{database.file}: no such database; coindex annotate init makes one")
    if database.file is not None and not database.file.parent.is_dir():
        raise InputError(f"{database.file.parent}: no such folder")
    try:
        migrate(database, backup_folder(database, backups))
    except DatabaseError as error:
        if database.file is None:
            raise
        reason = f"expected an annotation database: {error.orig}"
        raise InputError(f"{database.file}: {reason}") from None
    return database


class BackupThread(threading.Thread):
    """Makes a backup every so many minutes, of which the newest `keep` remain."""

    def __init__(
        self, database: Database, folder: Path, minutes: float = 60, keep: int = 48
    ) -> None:
        super().__init__(name="backups", daemon=True)
        self.database, self.folder, self.minutes, self.keep = database, folder, minutes, keep
        self.stopped = threading.Event()
        self.failed: str | None = None

    def run(self) -> None:
        """Make backups until stopped."""
        while not self.stopped.wait(self.minutes * 60):
            self.once()

    def once(self) -> None:
        """Make one backup; a failure is logged and does not stop the server."""
        try:
            back_up(self.database, self.folder, "scheduled")
            prune_backups(self.folder, self.keep)
            self.failed = None
        except Exception as error:  # whatever it was, the next one may succeed
            self.failed = str(error)
            logger.error("no backup was made: %s", error)


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the server listens, and further host names that it accepts."""

    host: str = "127.0.0.1"
    port: int = 8642
    names: tuple[str, ...] = ()
    https: bool = False

    @property
    def base_url(self) -> str:
        """The URL that users open."""
        base = f"http{'s' if self.https else ''}://{(self.names or (self.host,))[0].lower()}"
        return base if self.https and self.names else f"{base}:{self.port}"


def serve(
    url: str, address: ServerAddress, backups: Path | None, minutes: float, keep: int, *,
    private_webhooks: bool = False,
) -> None:  # fmt: skip
    """Run the server until it is stopped."""
    import uvicorn

    from coindex.annotate.web.app import create_app
    from coindex.annotate.web.housekeeping import Housekeeping
    from coindex.annotate.web.routing import ServerOptions, Services

    database = open_database(url, backups, make=True)
    folder = backup_folder(database, backups)
    names = tuple(name.lower() for name in (address.host, *address.names))
    options = ServerOptions((*ServerOptions().hosts, *names), address.https, folder)
    services = Services(database, options)
    app = create_app(services)
    services.presence.enter()
    services.presence.start()
    thread = BackupThread(database, folder, minutes, keep)
    services.backup_failure = lambda: thread.failed
    if minutes:
        thread.start()
    housekeeping = Housekeeping(database, private=private_webhooks)
    housekeeping.start()
    link = Accounts(database).first_link()
    logger.info("coindex annotate: %s (stop with Ctrl+C)", address.base_url)
    if link:
        shown = f"{address.base_url}{link.path}"
        logger.info("make the administrator's account here, once, within a day: %s", shown)
        if link.replaces:
            logger.info("(a link that was shown before this one does not work any more)")
    try:
        uvicorn.run(
            app, host=address.host, port=address.port, log_level="warning", server_header=False,
            timeout_graceful_shutdown=5,
        )  # fmt: skip
    finally:
        thread.stopped.set()
        housekeeping.stopped.set()
        services.presence.leave()
        database.close()
