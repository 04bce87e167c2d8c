"""What the tests of the annotation app share: a clock, people, documents, sheets."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert

from coindex.annotate.store.database import Database
from coindex.annotate.store.events import EventStore, SubmittedEvent
from coindex.annotate.store.tables import assignments, documents, members, projects, users
from coindex.formats.builtin import document_jsonl
from coindex.types.document import Document

WORDS = [
    "Ann",
    "met",
    "Bo",
    "in",
    "York",
    "and",
    "she",
    "told",
    "him",
    "that",
    "they",
    "should",
    "leave",
    "it",
    ".",
]


class Time:
    """A clock in milliseconds that only moves when told."""

    def __init__(self, start: int = 1_800_000_000_000) -> None:
        self.now = start

    def __call__(self) -> int:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@dataclass
class Bench:
    """A database with one project, one document, one person, one sheet."""

    database: Database
    events: EventStore = field(init=False)
    project: int = field(init=False)
    document: int = field(init=False)
    user: int = field(init=False)
    sheet: int = field(init=False)

    def __post_init__(self) -> None:
        self.events = EventStore(self.database)
        self.project = self.row(projects, name="p", kind="document", settings={}, created=0)
        self.user = self.person("ann")
        self.document = self.text("d")
        self.sheet = self.assign(self.document, self.user)

    def row(self, table: Any, **values: Any) -> int:
        with self.database.write() as connection:
            done = connection.execute(insert(table).values(**values))
            key = done.inserted_primary_key
            return int(key[0]) if key else 0

    def person(self, name: str, role: str = "annotator") -> int:
        told = {"password": "x", "administrator": False, "disabled": False, "created": 0}
        id = self.row(users, name=name, **told)
        self.row(members, project=self.project, user=id, role=role)
        return id

    def text(self, name: str, words: Iterable[str] = WORDS) -> int:
        given = Document.of(name, [list(words)])
        body = "".join(document_jsonl.write([given]))
        told = {"position": 0, "training": False, "tokens": len(given), "body": body}
        return self.row(documents, project=self.project, name=name, **told)

    def assign(self, document: int, user: int, purpose: str = "annotate") -> int:
        told = {"revision": 0, "done": False, "spent": 0, "accuracy_checks": 0, "created": 0}
        return self.row(assignments, document=document, user=user, purpose=purpose, **told)

    def do(self, kind: str, *, base: int | None = None, client: str = "tab", **payload: Any) -> Any:
        """One event; its result."""
        return self.send([event(kind, base or 0, **payload)], client)[0]

    def send(self, given: list[SubmittedEvent], client: str = "tab") -> list[dict[str, Any]]:
        return self.events.store(self.sheet, self.user, client, given)[1]


def event(kind: str, base: int = 0, id: str | None = None, **payload: Any) -> SubmittedEvent:
    """An event with an id of its own; `from_` stands for `from`."""
    values = {name.rstrip("_"): value for name, value in payload.items()}
    return SubmittedEvent(id or uuid.uuid4().hex, base, kind, values, None)
