"""What all imports share: the summary, metadata of exported files, annotators by name."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, insert, select

from coindex.annotate.errors import ApiError, InvalidAction
from coindex.annotate.store.database import insert_row
from coindex.annotate.store.tables import members, users
from coindex.types.document import Document
from coindex.types.problem import Problem

DOCUMENT_KEY, ASSIGNMENT_KEY, ANNOTATOR_KEY = (
    "annotate.document",
    "annotate.sheet",
    "annotate.annotator",
)
"""Keys in an item's metadata. They mark a document with its settings, an assignment with its
history, and an annotation from another tool. Files of version 0.1 have the same keys."""

Item = Document | Problem


@dataclass
class ImportSummary:
    """How much was imported, and which items were skipped for which reason."""

    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[dict[str, str]] = field(default_factory=list)
    people: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        kinds = ("documents", "sheets", "events", "suggestions", "gold")
        return {"imported": {k: self.counts[k] for k in kinds}, "skipped": self.skipped}

    def skip(self, item: Item, reason: str) -> None:
        """Count an item that is not imported."""
        self.skipped.append({"name": name_of(item), "reason": reason})


def name_of(item: Item) -> str:
    """Return the name of a document in its project."""
    return item.key if isinstance(item, Document) else item.id


def parse_metadata(text: str, item: Item) -> dict[str, Any]:
    """Return the object that an item's metadata holds as JSON."""
    try:
        value = json.loads(text)
    except ValueError as error:
        message = f"{item.id}: expected JSON in its metadata, found none"
        raise ApiError(422, "invalid", message) from error
    if not isinstance(value, dict):
        raise ApiError(422, "invalid", f"{item.id}: expected an object in its metadata")
    return value


def is_account_name(value: Any) -> bool:
    """Return whether a value can be the name of an account."""
    return isinstance(value, str) and 0 < len(value.strip()) <= 100 and value.isprintable()


class ImportedAnnotators:
    """The accounts, by name, of those whose work a file contains.

    An unknown name gets an account that nobody can log in to. Only an administrator (`all`)
    may import work of active accounts that are not members; a manager may import the work of
    members.
    """

    def __init__(self, connection: Connection, project: int, now: int, *, all: bool) -> None:
        self.connection, self.project, self.now, self.all = connection, project, now, all
        self._known: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """The names of those whose work was imported."""
        return sorted(self._known)

    def id_of(self, name: str) -> int:
        """Return the id of an account, made a member if necessary and allowed."""
        name = name.strip()[:100]
        if name not in self._known:
            self._known[name] = self._member(name)
        return self._known[name]

    def _member(self, name: str) -> int:
        same = func.lower(users.c.name) == name.lower()
        row = self.connection.execute(select(users.c.id, users.c.disabled).where(same)).first()
        locked = {"password": f"!{secrets.token_hex(8)}", "administrator": False, "disabled": True}
        id = (
            row.id
            if row
            else insert_row(self.connection, users, name=name, created=self.now, **locked)
        )
        own = (members.c.project == self.project) & (members.c.user == id)
        if self.connection.execute(select(members.c.user).where(own)).first() is None:
            if row is not None and not row.disabled and not self.all:
                raise InvalidAction(
                    f"{name!r} has an account but is not a member of this project:"
                    " make them one, or let an administrator import this"
                )
            values = {"project": self.project, "user": id, "role": "annotator"}
            self.connection.execute(insert(members), values)
        return int(id)
