"""What importing counts and needs: facts of exported files, people by name."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, insert, select

from coindex.annotate.database import put
from coindex.annotate.fail import Fail, Invalid
from coindex.annotate.tables import members, users
from coindex.core.document import Document
from coindex.core.problem import Problem

ABOUT, SHEET, BY = "annotate.document", "annotate.sheet", "annotate.annotator"
"""The facts that say of an item that it is a document with its settings, somebody's sheet
with its history, or somebody's annotation from another tool."""

Item = Document | Problem


@dataclass
class Imported:
    """What came in, and what did not, with the reason."""

    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[dict[str, str]] = field(default_factory=list)
    people: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        kinds = ("documents", "sheets", "events", "suggestions", "gold")
        return {"imported": {k: self.counts[k] for k in kinds}, "skipped": self.skipped}

    def skip(self, item: Item, reason: str) -> None:
        """One more that stays out."""
        self.skipped.append({"name": name_of(item), "reason": reason})


def name_of(item: Item) -> str:
    """The name a document goes by in its project."""
    return item.key if isinstance(item, Document) else item.id


def parsed(text: str, item: Item) -> dict[str, Any]:
    """The object that a fact holds as JSON."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Fail(422, "invalid", f"{item.id}: expected JSON in its facts, found none") from error
    if not isinstance(found, dict):
        raise Fail(422, "invalid", f"{item.id}: expected an object in its facts")
    return found


class People:
    """Those whose work a file holds, by name, as members of the project it goes to.

    A name that is not known here gets an account that nobody can log in to. An account that
    somebody can log in to is taken into a project, with work said to be theirs, only by an
    administrator (`all`); a manager's file may speak of members alone.
    """

    def __init__(self, connection: Connection, project: int, now: int, *, all: bool) -> None:
        self.connection, self.project, self.now, self.all = connection, project, now, all
        self._known: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """Whose work has come in."""
        return sorted(self._known)

    def named(self, name: str) -> int:
        """Somebody by name; `Invalid` where this file may not speak of them."""
        name = name.strip()[:100]
        if name not in self._known:
            self._known[name] = self._member(name)
        return self._known[name]

    def _member(self, name: str) -> int:
        same = func.lower(users.c.name) == name.lower()
        row = self.connection.execute(select(users.c.id, users.c.disabled).where(same)).first()
        told = {"password": f"!{secrets.token_hex(8)}", "administrator": False, "disabled": True}
        id = row.id if row else put(self.connection, users, name=name, created=self.now, **told)
        own = (members.c.project == self.project) & (members.c.user == id)
        if self.connection.execute(select(members.c.user).where(own)).first() is None:
            if row is not None and not row.disabled and not self.all:
                raise Invalid(
                    f"{name!r} has an account but is no member of this project:"
                    " make them one, or let an administrator import this"
                )
            values = {"project": self.project, "user": id, "role": "annotator"}
            self.connection.execute(insert(members), values)
        return int(id)
