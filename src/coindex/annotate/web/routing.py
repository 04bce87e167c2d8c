"""What routes are made of: services, requests, responses, and the route itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row

from coindex.annotate.assignments.ranking import Ranker, WorkerRanker
from coindex.annotate.assignments.suggestions import SuggestionJobs
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange.upload_reader import UploadLimits
from coindex.annotate.people.access import LEVELS, Person
from coindex.annotate.people.accounts import Accounts, log_action
from coindex.annotate.store.cache import RevisionCache, project_revision
from coindex.annotate.store.database import Database
from coindex.annotate.store.events import EventStore
from coindex.annotate.store.servers import ServerPresence
from coindex.annotate.web.schema import Schema
from coindex.annotate.webhooks.deliveries import work_finished

RULES = (*LEVELS, "reader", "owner")
"""Who may use a route: a level, those who may read an assignment, or its owner only."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The largest sizes of requests, in bytes, and how much the reader of an upload may take."""

    body: int = 1 << 20
    upload: int = 64 << 20
    reading: UploadLimits = field(default_factory=UploadLimits)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server is set up.

    hosts     the host names that it accepts; requests to other names are refused, so that
              nobody can point a domain of theirs at it (DNS rebinding)
    secure    whether browsers use https: cookies are then sent by https only
    backups   the folder of backups
    """

    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    secure: bool = False
    backups: Path | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)


class Services:
    """Everything a request may need, created once when the server starts."""

    def __init__(
        self, database: Database, options: ServerOptions | None = None, ranker: Ranker | None = None
    ) -> None:
        self.database = database
        self.options = options or ServerOptions()
        self.accounts = Accounts(database)
        self.events = EventStore(database)
        self.events.on_done = lambda connection, assignment: work_finished(
            connection, assignment, database.clock()
        )
        self.ranker: Ranker = ranker or WorkerRanker()
        self.suggestions = SuggestionJobs(database)
        self.presence = ServerPresence(database)
        self.backup_failure: Callable[[], str | None] = lambda: None
        self.cache: RevisionCache[tuple[str, int], Any] = RevisionCache()

    def cached(
        self, connection: Connection, what: str, project: int, compute: Callable[[], Any]
    ) -> Any:
        """Return a figure of a project, computed again when its finished assignments change."""
        return self.cache.get((what, project), project_revision(connection, project), compute)

    def log(self, person: Person, action: str, target: str, **detail: Any) -> None:
        """Add an entry to the audit log."""
        with self.database.write() as connection:
            log_action(connection, self.database.clock(), person.id, action, target, **detail)


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request that has passed all checks.

    target    the project, document or assignment of the path, which this person may see
    content   JSON that fits the route's schema, or the bytes of an upload
    """

    person: Person | None
    path: Mapping[str, Any]
    query: Mapping[str, str]
    content: Json | bytes | None
    target: Row[Any] | None
    address: str

    @property
    def user(self) -> Person:
        """The person, on a route that is not public."""
        if self.person is None:
            raise ApiError(401, "login", "log in first")
        return self.person

    @property
    def row(self) -> Row[Any]:
        """The target, on a route whose path has one."""
        if self.target is None:
            raise ValueError("the path of this route names no project, document or assignment")
        return self.target

    @property
    def json(self) -> Json:
        """The body, on a route with a schema."""
        if not isinstance(self.content, dict):
            raise ValueError("this route has no JSON body")
        return self.content

    @property
    def upload(self) -> bytes:
        """The body, on a route for uploads."""
        return self.content if isinstance(self.content, bytes) else b""


@dataclass(frozen=True, slots=True)
class FileDownload:
    """A response that the browser saves as a file."""

    name: str
    content: bytes
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """A JSON response with a status, or a session cookie to set or to delete.

    body    what is written as JSON, or the JSON itself as a text
    """

    body: Json | str
    status: int = 200
    session: str | None = None
    log_out: bool = False


def json_text(value: Json) -> str:
    """Return a value as JSON, without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


Handler = Callable[[Services, ApiRequest], Json | ApiResponse | FileDownload]


@dataclass(frozen=True, slots=True)
class Route:
    """One route of the HTTP API.

    session    not for tokens, whatever their scope
    deleted    also for documents and projects that have been deleted
    """

    method: str
    path: str
    rule: str
    handler: Handler
    summary: str
    body: Schema | None = None
    query: Mapping[str, Schema] = field(default_factory=dict)
    upload: bool = False
    session: bool = False
    deleted: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"{self.path}: expected a rule of {RULES}, found {self.rule!r}")
