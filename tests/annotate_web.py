"""A server in the process for tests: people of every role, two projects, logged-in clients."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from annotate_help import WORDS
from coindex.annotate import projects
from coindex.annotate.exchange import importer
from coindex.annotate.store.database import Database
from coindex.annotate.web.app import create_app
from coindex.annotate.web.routing import ServerOptions, Services
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

PASSWORD = "a long enough password"
ROLES = ("annotator", "adjudicator", "manager")
ENTITIES = (Entity((Mention.at(0, 1), Mention.at(6, 7))), Entity((Mention.at(2, 3),)))


class Client:
    """Somebody's browser: keeps the cookie, sends the CSRF token."""

    def __init__(self, app: Any, name: str | None = None) -> None:
        self.http = TestClient(app, raise_server_exceptions=True, follow_redirects=False)
        self.csrf = ""
        self.id = 0
        if name is not None:
            told = self.ok("POST", "/api/login", {"name": name, "password": PASSWORD})
            self.csrf, self.id = told["csrf"], told["user"]["id"]

    def ask(self, method: str, path: str, json: Any = None, **more: Any) -> Any:
        headers = {"X-CSRF-Token": self.csrf, **more.pop("headers", {})}
        if method in ("POST", "PATCH", "PUT") and json is None and "content" not in more:
            json = {}
        return self.http.request(method, path, json=json, headers=headers, **more)

    def ok(self, method: str, path: str, json: Any = None, **more: Any) -> Any:
        answer = self.ask(method, path, json, **more)
        assert answer.status_code in (200, 202), (answer.status_code, answer.text)
        return answer.json()

    def get(self, path: str) -> Any:
        return self.ok("GET", path)

    def post(self, path: str, json: Any = None) -> Any:
        return self.ok("POST", path, json)

    def act(self, sheet: int, kind: str, base: int = 0, **payload: Any) -> Any:
        """One event; its result."""
        values = {name.rstrip("_"): value for name, value in payload.items()}
        event = {"id": uuid.uuid4().hex, "base": base, "kind": kind, "payload": values}
        told = self.post(f"/api/sheets/{sheet}/events", {"client": "tab", "events": [event]})
        return told["results"][0]

    def upload(self, project: int, content: bytes, **query: str) -> Any:
        more = "&".join(f"{name}={value}" for name, value in query.items())
        path = f"/api/projects/{project}/import?{more}"
        return self.ask("POST", path, content=content)


class World:
    """A server with people of every role, in two projects that know nothing of each other."""

    def __init__(self, database: Database, backups: Path | None = None, ranker: Any = None) -> None:
        self.database = database
        self.services = Services(
            database, ServerOptions(hosts=("testserver",), backups=backups), ranker
        )
        self.app = create_app(self.services)
        self.project = projects.create(database, "one", "document", {"annotators": 2})
        self.other = projects.create(database, "two", "document", {})
        self.problems = projects.create(database, "three", "problem", {})
        with database.write() as connection:
            for name in ("administrator", *ROLES, "second", "stranger"):
                admin = name == "administrator"
                id = self.services.accounts.add(connection, name, PASSWORD, admin)
                role = name if name in ROLES else "annotator"
                where = (self.other,) if name == "stranger" else (self.project, self.problems)
                for project in () if admin else where:
                    projects.set_member(connection, project, id, role)
        self._clients: dict[str, Client] = {}

    def __getitem__(self, name: str) -> Client:
        if name not in self._clients:
            self._clients[name] = Client(self.app, name)
        return self._clients[name]

    def anybody(self) -> Client:
        """A browser that has not logged in."""
        return Client(self.app)

    def fill(
        self, count: int = 2, purpose: str = "work", project: int | None = None, start: int = 0
    ) -> None:
        """Documents for a project; training ones have gold."""
        made = [text(f"{purpose}-{start + number}") for number in range(count)]
        if purpose == "training":
            made = [replace(each, entities=ENTITIES) for each in made]
        self.bring(made, purpose, project or self.project)

    def bring(self, items: Any, purpose: str = "work", project: int | None = None) -> Any:
        from sqlalchemy import select

        from coindex.annotate.store.tables import projects as table

        with self.database.read() as connection:
            wanted = table.c.id == (project or self.project)
            row = connection.execute(select(table).where(wanted)).one()
        return importer.import_items(self.services.events, row, items, purpose)


def text(name: str, words: Any = WORDS) -> Document:
    return Document.of(name, [list(words)])


def problem(id: str) -> Problem:
    passage = "Ann met Bea when she fell."
    names = (Candidate("Ann", Chars(0, 3)), Candidate("Bea", Chars(8, 11)))
    return Problem(id, passage, Chars(17, 20), names, group="feminine", source="http://x/y")
