"""Projects, their settings, their members, and how far they are."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from coindex import formats, plugins
from coindex.annotate.access import Person, role_in
from coindex.annotate.consensus import PROTOCOLS
from coindex.annotate.database import Database, put
from coindex.annotate.fail import Fail, missing
from coindex.annotate.ranker import GIVEN, strategies
from coindex.annotate.tables import documents, members, projects, records, sheets, users

DEFAULTS: dict[str, Any] = {
    "annotators": 3, "lease_minutes": 60, "looks": 3, "strategy": GIVEN, "seed": 1,
    "suggestions": None, "protocol": "gap", "raters": 3, "agree": 2, "guide": "",
}  # fmt: skip
"""The settings of a project; raters and agreement are those of its protocol unless told."""


def settings(given: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any]:
    """Settings, with the old or usual values where none are given."""
    usual = {**DEFAULTS, **(old or {})}
    named = given.get("protocol", usual["protocol"])
    if named != usual["protocol"] and named in PROTOCOLS:
        usual |= {"raters": PROTOCOLS[named].raters, "agree": PROTOCOLS[named].agree}
    found = {**usual, **given}
    if named not in PROTOCOLS:
        raise Fail(422, "invalid", f"protocol: expected one of {', '.join(PROTOCOLS)}")
    if found["strategy"] not in strategies():
        known = ", ".join(strategies())
        raise Fail(
            422, "invalid", f"strategy: expected one of {known}, found {found['strategy']!r}"
        )
    if found["suggestions"] not in (None, *plugins.names("resolvers")):
        known = ", ".join(plugins.names("resolvers"))
        raise Fail(422, "invalid", f"suggestions: expected one of {known}, or null for none")
    if found["agree"] > found["raters"]:
        raise Fail(422, "invalid", "agree: expected no more than raters")
    return found


def create(database: Database, name: str, kind: str, given: dict[str, Any]) -> int:
    """A new project."""
    told = {"kind": kind, "settings": settings(given), "created": database.clock()}
    try:
        with database.write() as connection:
            return put(connection, projects, name=_name(name), **told)
    except IntegrityError as error:
        raise Fail(409, "taken", f"there is a project called {name!r} already") from error


def change(database: Database, project: int, given: dict[str, Any]) -> None:
    """Rename a project, or change some of its settings."""
    try:
        with database.write() as connection:
            row = connection.execute(select(projects).where(projects.c.id == project)).one()
            values: dict[str, Any] = {"settings": settings(given.get("settings", {}), row.settings)}
            if "name" in given:
                values["name"] = _name(given["name"])
            connection.execute(update(projects).where(projects.c.id == project).values(**values))
    except IntegrityError as error:
        raise Fail(409, "taken", "there is a project of that name already") from error


def _name(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable():
        raise Fail(422, "invalid", "name: expected some printable characters")
    return name


def told(connection: Connection, person: Person, project: int) -> dict[str, Any]:
    """A project for people."""
    row = connection.execute(select(projects).where(projects.c.id == project)).one()
    found = {"id": row.id, "name": row.name, "kind": row.kind}
    found["role"] = role_in(connection, person, project)
    return {**found, "settings": {**DEFAULTS, **row.settings}, "choices": choices(row.kind)}


def choices(kind: str) -> dict[str, list[str]]:
    """What there is to choose from in a project: formats, orders of documents, resolvers."""
    named = {"formats": formats.names(kind)}
    if kind == "document":
        named |= {"strategy": strategies(), "suggestions": plugins.names("resolvers")}
    return {name: list(values) for name, values in named.items()}


def mine(connection: Connection, person: Person) -> list[dict[str, Any]]:
    """The projects of a person: all of them for an administrator."""
    wanted = select(projects.c.id, projects.c.name, projects.c.kind, members.c.role).join(
        members,
        (members.c.project == projects.c.id) & (members.c.user == person.id),
        isouter=person.administrator,
    )
    rows = connection.execute(wanted.order_by(projects.c.name)).mappings()
    role = {"role": "administrator"} if person.administrator else {}
    return [{**row, **role} for row in rows]


def people(connection: Connection, project: int) -> list[dict[str, Any]]:
    """The members of a project."""
    rows = connection.execute(
        select(users.c.id.label("user"), users.c.name, members.c.role)
        .join(members, members.c.user == users.c.id)
        .where(members.c.project == project)
        .order_by(users.c.name)
    ).mappings()
    return [dict(row) for row in rows]


def set_member(connection: Connection, project: int, user: int, role: str | None) -> None:
    """Give somebody a role in a project, or none."""
    if connection.execute(select(users.c.id).where(users.c.id == user)).first() is None:
        raise missing("person")
    own = (members.c.project == project) & (members.c.user == user)
    connection.execute(delete(members).where(own))
    if role is not None:
        connection.execute(insert(members), {"project": project, "user": user, "role": role})


def progress(connection: Connection, project: int, person: Person, every: bool) -> dict[str, Any]:
    """How much is done, by whom, in what time; others' figures are for managers."""
    row = connection.execute(select(projects).where(projects.c.id == project)).one()
    places = {**DEFAULTS, **row.settings}["annotators" if row.kind == "document" else "raters"]
    own = documents.c.project == project
    counts = {
        training: connection.execute(
            select(func.count()).where(own & documents.c.training.is_(training))
        ).scalar_one()
        for training in (False, True)
    }
    rows = _by_person(connection, project)
    mine_ = next((each for each in rows if each["user"] == person.id), _nothing(person))
    training_done = connection.execute(
        select(func.count())
        .select_from(sheets.join(documents, documents.c.id == sheets.c.document))
        .where(own & documents.c.training & sheets.c.done & (sheets.c.user == person.id))
    ).scalar_one()
    keys = ("done", "open", "seconds")
    return {
        "documents": counts[False],
        "wanted": counts[False] * int(places),
        "done": sum(each["done"] for each in rows),
        "open": sum(each["open"] for each in rows),
        "mine": {key: mine_[key] for key in keys},
        "training": {"documents": counts[True], "mine_done": training_done},
        "by_annotator": rows if every else [each for each in rows if each["user"] == person.id],
    }


def _nothing(person: Person) -> dict[str, Any]:
    told = {"user": person.id, "name": person.name, "done": 0, "open": 0}
    return {**told, "seconds": 0, "mentions": 0}


def _by_person(connection: Connection, project: int) -> list[dict[str, Any]]:
    wanted = (documents.c.project == project) & (sheets.c.purpose == "annotate")
    wanted &= documents.c.training.is_(False)
    joined = sheets.join(documents, documents.c.id == sheets.c.document).join(
        users, users.c.id == sheets.c.user
    )
    counted = connection.execute(
        select(sheets.c.user, func.count().label("number"))
        .select_from(joined.join(records, records.c.sheet == sheets.c.id))
        .where(wanted & records.c.key.like("mentions/%"))
        .group_by(sheets.c.user)
    )
    mentions: dict[int, int] = {row.user: row.number for row in counted}
    rows = connection.execute(
        select(users.c.id, users.c.name, sheets.c.done, sheets.c.spent)
        .select_from(joined)
        .where(wanted)
        .order_by(users.c.name)
    ).all()
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        empty = {"user": row.id, "name": row.name, "done": 0, "open": 0, "seconds": 0}
        own = found.setdefault(row.id, {**empty, "mentions": mentions.get(row.id, 0)})
        own["done" if row.done else "open"] += 1
        own["seconds"] += row.spent // 1000
    return list(found.values())
