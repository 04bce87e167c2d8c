"""Projects: their settings, members and progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from coindex import formats, plugins
from coindex.annotate.assignments.ranking import IMPORT_ORDER, strategies
from coindex.annotate.assignments.resolver_choices import check_choice
from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.exchange import tool_projects
from coindex.annotate.people.access import Person, role_in
from coindex.annotate.quality.consensus import PROTOCOLS
from coindex.annotate.store.database import Database, insert_row
from coindex.annotate.store.lifecycle import in_state, state_of
from coindex.annotate.store.tables import (
    assignments,
    documents,
    members,
    projects,
    records,
    users,
)
from coindex.errors import UsageError

DEFAULT_SETTINGS: dict[str, Any] = {
    "annotators": 3, "lease_minutes": 60, "looks": 3, "strategy": IMPORT_ORDER, "seed": 1,
    "suggestions": None, "protocol": "gap", "raters": 3, "agree": 2, "guide": "",
    "training_score": 0,
}  # fmt: skip
"""The settings as they are stored; `raters` and `agree` default to those of the protocol."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The settings of a project.

    annotators        annotators per document
    lease_minutes     how long a document is reserved for an annotator who does nothing
    accuracy_checks   how often an annotator may compare a training document with gold
    strategy, seed    the order of documents
    suggestions       the resolver whose suggestions annotators see
    protocol          the rules for pronoun problems, with raters and how many must agree
    guide             the annotation guidelines
    training_score    the mean CoNLL F1 that an annotator must reach on the training documents
                      before they get others; 0 for no such condition
    """

    annotators: int
    lease_minutes: int
    accuracy_checks: int
    strategy: str
    seed: int
    suggestions: str | None
    protocol: str
    raters: int
    agree: int
    guide: str
    training_score: int


def settings_of(project: Row[Any]) -> ProjectSettings:
    """Return the settings of a row that has the column `settings`."""
    values = {**DEFAULT_SETTINGS, **project.settings}
    known = {name: values[name] for name in DEFAULT_SETTINGS if name != "looks"}
    return ProjectSettings(accuracy_checks=values["looks"], **known)


def annotators_per_document(project: Row[Any]) -> int:
    """Return how many people annotate each document, or rate each problem."""
    settings = settings_of(project)
    return settings.annotators if project.kind == "document" else settings.raters


def merged_settings(changed: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return valid settings: changed ones over old ones over the defaults."""
    base = {**DEFAULT_SETTINGS, **(old or {})}
    name = changed.get("protocol", base["protocol"])
    if name not in PROTOCOLS:
        raise _invalid(f"protocol: expected one of {', '.join(PROTOCOLS)}")
    if name != base["protocol"]:
        base |= {"raters": PROTOCOLS[name].raters, "agree": PROTOCOLS[name].agree}
    merged = {**base, **changed}
    if merged["strategy"] not in strategies():
        known = ", ".join(strategies())
        raise _invalid(f"strategy: expected one of {known}, found {merged['strategy']!r}")
    if merged["suggestions"] is not None:
        check_choice(merged["suggestions"])
    if merged["agree"] > merged["raters"]:
        raise _invalid("agree: expected no more than raters")
    return merged


def _invalid(message: str) -> ApiError:
    return ApiError(422, "invalid", message)


def create(database: Database, name: str, kind: str, settings: dict[str, Any]) -> int:
    """Create a project and return its id."""
    values = {"kind": kind, "settings": merged_settings(settings), "created": database.clock()}
    try:
        with database.write() as connection:
            return insert_row(connection, projects, name=_valid_name(name), **values)
    except IntegrityError as error:
        raise ApiError(409, "taken", f"there is a project called {name!r} already") from error


def change(database: Database, project: int, body: dict[str, Any]) -> None:
    """Rename a project, or change some of its settings."""
    own = projects.c.id == project
    try:
        with database.write() as connection:
            row = connection.execute(select(projects).where(own)).one()
            settings = merged_settings(body.get("settings", {}), row.settings)
            name = _valid_name(body["name"]) if "name" in body else row.name
            values = {"settings": settings, "name": name}
            connection.execute(update(projects).where(own).values(**values))
    except IntegrityError as error:
        raise ApiError(409, "taken", "there is a project of that name already") from error


def _valid_name(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable():
        raise _invalid("name: expected some printable characters")
    return name


def project_named(database: Database, name: str, kind: str | None = None) -> Row[Any]:
    """Return a project by its name; created where a kind is given and there is none."""
    query = select(projects).where(projects.c.name == name)
    with database.read() as connection:
        row = connection.execute(query).first()
        known = connection.execute(select(projects.c.name).order_by(projects.c.name)).scalars()
        names = ", ".join(known) or "none yet"
    if row is not None and state_of(row) == "deleted":
        raise UsageError(f"the project {name!r} has been deleted; a manager can restore it")
    if row is not None:
        return row
    if kind is None:
        raise UsageError(f"no project {name!r}; expected one of: {names}")
    try:
        create(database, name, kind, {})
    except ApiError as error:
        raise UsageError(error.message) from error
    with database.read() as connection:
        return connection.execute(query).one()


def describe(connection: Connection, person: Person, project: int) -> dict[str, Any]:
    """Return a project with its settings, and the role of a person in it."""
    row = connection.execute(select(projects).where(projects.c.id == project)).one()
    role = role_in(connection, person, project)
    settings = {**DEFAULT_SETTINGS, **row.settings}
    named = {"id": row.id, "name": row.name, "kind": row.kind, "role": role}
    named["state"] = state_of(row)
    return {**named, "settings": settings, "choices": choices(row.kind)}


def choices(kind: str) -> dict[str, list[str]]:
    """Return the possible formats, orders of documents and resolvers of a project."""
    named = {"formats": formats.names(kind)}
    if kind == "document":
        named |= {"strategy": strategies(), "suggestions": plugins.names("resolvers")}
        named["project_formats"] = tool_projects.NAMES
    return {name: list(values) for name, values in named.items()}


def projects_of(
    connection: Connection, person: Person, state: str = "active"
) -> list[dict[str, Any]]:
    """Return the projects of a person in a state: all of them for an administrator.

    Only their managers see the deleted ones.
    """
    own = (members.c.project == projects.c.id) & (members.c.user == person.id)
    columns = [projects.c.id, projects.c.name, projects.c.kind, members.c.role]
    query = select(*columns, *([] if state == "active" else [projects.c[state].label("since")]))
    query = query.join(members, own, isouter=person.administrator).where(in_state(projects, state))
    if state == "deleted" and not person.administrator:
        query = query.where(members.c.role == "manager")
    rows = connection.execute(query.order_by(projects.c.name)).mappings()
    role = {"role": "administrator"} if person.administrator else {}
    return [{**row, **role} for row in rows]


def list_members(connection: Connection, project: int) -> list[dict[str, Any]]:
    """Return the members of a project."""
    rows = connection.execute(
        select(users.c.id.label("user"), users.c.name, members.c.role, members.c.passed)
        .join(members, members.c.user == users.c.id)
        .where(members.c.project == project)
        .order_by(users.c.name)
    ).mappings()
    return [dict(row) for row in rows]


def set_member(connection: Connection, project: int, user: int, role: str | None) -> None:
    """Set the role of a person in a project; None removes the person."""
    if connection.execute(select(users.c.id).where(users.c.id == user)).first() is None:
        raise not_found("person")
    own = (members.c.project == project) & (members.c.user == user)
    if role is None:
        connection.execute(delete(members).where(own))
    elif not connection.execute(update(members).where(own).values(role=role)).rowcount:
        connection.execute(insert(members), {"project": project, "user": user, "role": role})


def progress(
    connection: Connection, project: int, person: Person, everybody: bool
) -> dict[str, Any]:
    """Return how much is done and in what time, for one person or `everybody`."""
    row = connection.execute(select(projects).where(projects.c.id == project)).one()
    own = (documents.c.project == project) & in_state(documents)

    def count(training: bool) -> int:
        query = select(func.count()).where(own & documents.c.training.is_(training))
        return connection.execute(query).scalar_one()

    working, training = count(False), count(True)
    rows = _progress_by_annotator(connection, project)
    personal = [each for each in rows if each["user"] == person.id]
    totals = personal[0] if personal else {}
    training_done = connection.execute(
        select(func.count())
        .select_from(assignments.join(documents, documents.c.id == assignments.c.document))
        .where(own & documents.c.training & assignments.c.done & (assignments.c.user == person.id))
    ).scalar_one()
    return {
        "documents": working,
        "wanted": working * annotators_per_document(row),
        "done": sum(each["done"] for each in rows),
        "open": sum(each["open"] for each in rows),
        "mine": {key: totals.get(key, 0) for key in ("done", "open", "seconds")},
        "training": {"documents": training, "mine_done": training_done},
        "by_annotator": rows if everybody else personal,
    }


def _progress_by_annotator(connection: Connection, project: int) -> list[dict[str, Any]]:
    own = (documents.c.project == project) & (assignments.c.purpose == "annotate")
    own &= documents.c.training.is_(False) & in_state(documents)
    joined = assignments.join(documents, documents.c.id == assignments.c.document).join(
        users, users.c.id == assignments.c.user
    )
    counted = connection.execute(
        select(assignments.c.user, func.count().label("number"))
        .select_from(joined.join(records, records.c.assignment == assignments.c.id))
        .where(own & records.c.key.like("mentions/%"))
        .group_by(assignments.c.user)
    )
    mentions: dict[int, int] = {row.user: row.number for row in counted}
    rows = connection.execute(
        select(users.c.id, users.c.name, assignments.c.done, assignments.c.spent)
        .select_from(joined)
        .where(own)
        .order_by(users.c.name)
    )
    annotators: dict[int, dict[str, Any]] = {}
    for row in rows:
        zero = {"user": row.id, "name": row.name, "done": 0, "open": 0, "seconds": 0}
        totals = annotators.setdefault(row.id, {**zero, "mentions": mentions.get(row.id, 0)})
        totals["done" if row.done else "open"] += 1
        totals["seconds"] += row.spent // 1000
    return list(annotators.values())
