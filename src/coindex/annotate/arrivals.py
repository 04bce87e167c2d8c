"""What importing counts and needs: facts of exported files, people by name."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, insert, select

from coindex.annotate.database import put
from coindex.annotate.fail import Fail
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


def person(connection: Connection, project: int, name: str, now: int) -> int:
    """Somebody by name; an account that nobody can log in to where there is none."""
    name = name.strip()[:100] or "unknown"
    row = connection.execute(
        select(users.c.id).where(func.lower(users.c.name) == name.lower())
    ).first()
    told = {"password": f"!{secrets.token_hex(8)}", "administrator": False, "disabled": True}
    id = row.id if row else put(connection, users, name=name, created=now, **told)
    own = (members.c.project == project) & (members.c.user == id)
    if connection.execute(select(members.c.user).where(own)).first() is None:
        values = {"project": project, "user": id, "role": "annotator"}
        connection.execute(insert(members), values)
    return int(id)
