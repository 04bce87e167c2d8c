"""Everything a request may need, made once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from coindex.annotate.accounts import Accounts
from coindex.annotate.database import Database
from coindex.annotate.events import Events
from coindex.annotate.kept import Kept
from coindex.annotate.ranker import Ranker, WorkerRanker
from coindex.annotate.suggest import Suggestions

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be sent at once."""

    body: int = MIB
    upload: int = 64 * MIB


@dataclass(frozen=True, slots=True)
class Options:
    """How the server is set up.

    hosts     names it answers to; other names are refused (so that a name that somebody
              else owns cannot be pointed at it)
    secure    whether browsers reach it by https: cookies are then sent by https alone
    backups   the folder of backups
    """

    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]", "testserver")
    secure: bool = False
    backups: Path | None = None
    limits: Limits = Limits()


class Services:
    """The database and what works on it."""

    def __init__(
        self, database: Database, options: Options | None = None, ranker: Ranker | None = None
    ) -> None:
        self.database = database
        self.options = options or Options()
        self.accounts = Accounts(database)
        self.events = Events(database)
        self.ranker: Ranker = ranker or WorkerRanker()
        self.suggestions = Suggestions(database)
        self.kept = Kept()
