"""Who may do what: roles in a project, and the few things that are for administrators.

    annotator < adjudicator < manager < administrator

A person has a role in each project; an administrator has every role in all of them. What a
person may not see is answered as if it were not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate.fail import Fail, missing
from coindex.annotate.tables import documents, members, projects, sheets

ROLES = ("annotator", "adjudicator", "manager")
LEVELS = ("public", "user", *ROLES, "administrator")


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks; `csrf` is None for a token, which needs none."""

    id: int
    name: str
    administrator: bool
    shown_name: str | None = None
    keys: Any = None
    csrf: str | None = None
    secret: str | None = None

    def as_json(self) -> dict[str, Any]:
        """As plain values, without secrets."""
        told = {"id": self.id, "name": self.name, "administrator": self.administrator}
        role = "administrator" if self.administrator else "user"
        return {**told, "role": role, "shown_name": self.shown_name, "keys": self.keys}


def role_in(connection: Connection, person: Person, project: int) -> str | None:
    """A person's role in a project; None if it is not theirs."""
    if person.administrator:
        return "administrator"
    own = (members.c.project == project) & (members.c.user == person.id)
    return connection.execute(select(members.c.role).where(own)).scalar()


def demand(connection: Connection, person: Person, project: int, least: str) -> str:
    """The role of a person who has at least this one; an error otherwise."""
    role = role_in(connection, person, project)
    if role is None:
        raise missing("project")
    if LEVELS.index(role) < LEVELS.index(least):
        raise Fail(403, "forbidden", f"this needs the role {least}; yours is {role}")
    return role


def project_row(connection: Connection, person: Person, project: int, least: str) -> Row[Any]:
    """A project in which a person has at least some role."""
    found = connection.execute(select(projects).where(projects.c.id == project)).first()
    if found is None:
        raise missing("project")
    demand(connection, person, project, least)
    return found


def document_row(connection: Connection, person: Person, document: int, least: str) -> Row[Any]:
    """A document of a project in which a person has at least some role."""
    found = connection.execute(select(documents).where(documents.c.id == document)).first()
    if found is None or role_in(connection, person, found.project) is None:
        raise missing("document")
    demand(connection, person, found.project, least)
    return found


def sheet_row(connection: Connection, person: Person, sheet: int, *, own: bool = False) -> Row[Any]:
    """A sheet that a person may read, or write (theirs alone).

    A manager reads all sheets, an adjudicator those of adjudication, which go from one to another.
    """
    found = connection.execute(
        select(
            sheets, documents.c.project, documents.c.name, documents.c.body, documents.c.gold,
            documents.c.training, documents.c.tokens, projects.c.settings, projects.c.kind,
            projects.c.name.label("project_name"),
        )
        .join(documents, documents.c.id == sheets.c.document)
        .join(projects, projects.c.id == documents.c.project)
        .where(sheets.c.id == sheet)
    ).first()  # fmt: skip
    role = None if found is None else role_in(connection, person, found.project)
    if found is None or role is None:
        raise missing("sheet")
    mine, adjudicated = found.user == person.id, found.purpose == "adjudicate"
    reads = "adjudicator" if adjudicated else "annotator" if mine else "manager"
    if LEVELS.index(role) < LEVELS.index(reads):
        raise missing("sheet")
    if not mine and own:
        raise Fail(403, "forbidden", "this sheet is somebody else's: you may read it only")
    return found
