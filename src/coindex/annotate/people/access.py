"""Access control: roles in projects, and the rights of administrators.

    annotator < adjudicator < manager < administrator

A person has a role in each project; an administrator has every role in all of them. What a
person may not see gets the same response as what does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.store.lifecycle import state_of
from coindex.annotate.store.tables import assignments, documents, members, projects

ROLES = ("annotator", "adjudicator", "manager")
LEVELS = ("public", "user", *ROLES, "administrator")


@dataclass(frozen=True, slots=True)
class Person:
    """An authenticated person; `csrf` is None for an API token, which needs none.

    scope    what a token may do; None for a session
    """

    id: int
    name: str
    administrator: bool
    shown_name: str | None = None
    keys: Any = None
    csrf: str | None = None
    secret: str | None = None
    scope: str | None = None
    second_factor: bool = False

    @classmethod
    def of(
        cls, row: Row[Any], csrf: str | None = None, secret: str | None = None,
        scope: str | None = None,
    ) -> Person:  # fmt: skip
        """Return the person of a row of `users`."""
        own = (row.id, row.name, row.administrator, row.shown_name, row.keys)
        return cls(*own, csrf, secret, scope, row.totp is not None)

    def as_json(self) -> dict[str, Any]:
        """Return plain values, without secrets."""
        named = {"id": self.id, "name": self.name, "administrator": self.administrator}
        role = "administrator" if self.administrator else "user"
        return {**named, "role": role, "shown_name": self.shown_name, "keys": self.keys}


def role_in(connection: Connection, person: Person, project: int) -> str | None:
    """Return a person's role in a project; None for those who are not members."""
    if person.administrator:
        return "administrator"
    own = (members.c.project == project) & (members.c.user == person.id)
    return connection.execute(select(members.c.role).where(own)).scalar()


def require_role(connection: Connection, person: Person, project: int, least: str) -> str:
    """Return the role of a person; an error if it is lower than `least`."""
    role = role_in(connection, person, project)
    if role is None:
        raise not_found("project")
    if LEVELS.index(role) < LEVELS.index(least):
        raise ApiError(403, "forbidden", f"this needs the role {least}; yours is {role}")
    return role


def project_row(
    connection: Connection, person: Person, project: int, least: str, *, deleted: bool = False
) -> Row[Any]:
    """Return a project in which a person has at least some role; a deleted one on request."""
    row = connection.execute(select(projects).where(projects.c.id == project)).first()
    if row is None or (row.deleted is not None and not deleted):
        raise not_found("project")
    require_role(connection, person, project, least)
    return row


def document_row(
    connection: Connection, person: Person, document: int, least: str, *, deleted: bool = False
) -> Row[Any]:
    """Return a document of a project in which a person has some role; a deleted one on request."""
    row = connection.execute(
        select(documents, projects.c.kind)
        .join(projects, projects.c.id == documents.c.project)
        .where((documents.c.id == document) & projects.c.deleted.is_(None))
    ).first()
    if row is None or role_in(connection, person, row.project) is None:
        raise not_found("document")
    if state_of(row) == "deleted" and not deleted:
        raise not_found("document")
    require_role(connection, person, row.project, least)
    return row


def assignment_row(
    connection: Connection, person: Person, assignment: int, *, own: bool = False
) -> Row[Any]:
    """Return an assignment that a person may read, or write if `own`.

    Managers read all assignments. Adjudicators read adjudications, which one may take over
    from another. Nobody writes in another person's assignment.
    """
    row = connection.execute(
        select(
            assignments, documents.c.project, documents.c.name, documents.c.body, documents.c.gold,
            documents.c.training, documents.c.tokens, projects.c.settings, projects.c.kind,
            projects.c.name.label("project_name"),
        )
        .join(documents, documents.c.id == assignments.c.document)
        .join(projects, projects.c.id == documents.c.project)
        .where(assignments.c.id == assignment)
        .where(documents.c.deleted.is_(None) & projects.c.deleted.is_(None))
    ).first()  # fmt: skip
    role = None if row is None else role_in(connection, person, row.project)
    if row is None or role is None:
        raise not_found("assignment")
    is_owner, adjudicated = row.user == person.id, row.purpose == "adjudicate"
    least = "adjudicator" if adjudicated else "annotator" if is_owner else "manager"
    if LEVELS.index(role) < LEVELS.index(least):
        raise not_found("assignment")
    if not is_owner and own:
        raise ApiError(403, "forbidden", "this is somebody else's assignment: you may only read it")
    return row
