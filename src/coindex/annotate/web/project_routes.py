"""Routes of projects: settings, members, progress, the queue, import and export."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from coindex.annotate import projects, work
from coindex.annotate.access import LEVELS, ROLES, role_in
from coindex.annotate.accounts import note
from coindex.annotate.board import leaderboard, tally
from coindex.annotate.consensus import PROTOCOLS
from coindex.annotate.fail import Fail
from coindex.annotate.tables import documents, members, ranks, sheets, users
from coindex.annotate.web.route import Ask, Route
from coindex.annotate.web.schema import integer, obj, one_of, text
from coindex.annotate.web.services import Services


def mine(services: Services, ask: Ask) -> Any:
    """One's projects."""
    with services.database.read() as connection:
        return {"projects": projects.mine(connection, ask.user)}


def create(services: Services, ask: Ask) -> Any:
    """A new project."""
    body = ask.body
    id = projects.create(services.database, body["name"], body["kind"], body.get("settings", {}))
    _log(services, ask, "project made", body["name"])
    return _project(services, ask, id)


def _project(services: Services, ask: Ask, id: int) -> Any:
    with services.database.read() as connection:
        return {"project": projects.told(connection, ask.user, id)}


def _log(services: Services, ask: Ask, action: str, target: str, **detail: Any) -> None:
    with services.database.write() as connection:
        note(connection, services.database.clock(), ask.user.id, action, target, **detail)


def show(services: Services, ask: Ask) -> Any:
    """A project."""
    return _project(services, ask, ask.row.id)


def change(services: Services, ask: Ask) -> Any:
    """Rename a project, or change settings; a new resolver begins to suggest."""
    old = ask.row.settings.get("suggestions")
    new = ask.body.get("settings", {}).get("suggestions", old)
    projects.change(services.database, ask.row.id, ask.body)
    if new != old and ask.row.kind == "document":
        services.suggestions.change(ask.row.id, new)
    _log(services, ask, "project changed", ask.row.name, **ask.body)
    return _project(services, ask, ask.row.id)


def people(services: Services, ask: Ask) -> Any:
    """The members."""
    with services.database.read() as connection:
        return {"members": projects.people(connection, ask.row.id)}


def set_member(services: Services, ask: Ask) -> Any:
    """Give somebody a role, or none."""
    with services.database.write() as connection:
        projects.set_member(connection, ask.row.id, ask.body["user"], ask.body["role"])
        now = services.database.clock()
        note(connection, now, ask.user.id, "member set", ask.row.name, **ask.body)
        return {"members": projects.people(connection, ask.row.id)}


def progress(services: Services, ask: Ask) -> Any:
    """How far the project is."""
    with services.database.read() as connection:
        role = role_in(connection, ask.user, ask.row.id) or "annotator"
        every = LEVELS.index(role) >= LEVELS.index("manager")
        return projects.progress(connection, ask.row.id, ask.user, every)


def board(services: Services, ask: Ask) -> Any:
    """The leaderboard of those who want to be on it."""
    with services.database.read() as connection:
        tallied = services.kept.get(
            connection, ask.row.id, "tally", lambda: tally(connection, ask.row)
        )
        return {"rows": leaderboard(connection, tallied)}


def next_sheet(services: Services, ask: Ask) -> Any:
    """What to work on next."""
    return work.next_sheet(services.events, ask.row.id, ask.user)


def list_sheets(services: Services, ask: Ask) -> Any:
    """One's sheets; everybody's for a manager."""
    every = ask.query.get("all") == "1"
    with services.database.read() as connection:
        role = role_in(connection, ask.user, ask.row.id) or "annotator"
        if every and LEVELS.index(role) < LEVELS.index("manager"):
            raise Fail(403, "forbidden", "others' sheets are for managers")
        wanted = documents.c.project == ask.row.id
        if not every:
            wanted &= sheets.c.user == ask.user.id
        rows = connection.execute(
            select(sheets, documents.c.name, documents.c.training, users.c.name.label("who"))
            .join(documents, documents.c.id == sheets.c.document)
            .join(users, users.c.id == sheets.c.user)
            .where(wanted)
            .order_by(documents.c.position, sheets.c.id)
        ).all()
    return {"sheets": [_sheet(row, every) for row in rows]}


def _sheet(row: Any, every: bool) -> dict[str, Any]:
    told = {
        "id": row.id, "document": row.document, "name": row.name, "purpose": row.purpose,
        "status": "done" if row.done else "open", "revision": row.revision,
        "lease_until": row.lease, "seconds": row.spent // 1000, "training": row.training,
    }  # fmt: skip
    return {**told, "user": row.user, "name_of_user": row.who} if every else told


def list_documents(services: Services, ask: Ask) -> Any:
    """The documents, with how many have done them."""
    with services.database.read() as connection:
        rows = connection.execute(
            select(documents.c.id, documents.c.name, documents.c.tokens, documents.c.training,
                   documents.c.gold.is_not(None).label("given"), ranks.c.rank, ranks.c.score)
            .join(ranks, ranks.c.document == documents.c.id, isouter=True)
            .where(documents.c.project == ask.row.id)
            .order_by(documents.c.position)
        ).all()  # fmt: skip
        counts: dict[tuple[int, str, bool], int] = {
            (row.document, row.purpose, row.done): row.number
            for row in connection.execute(
                select(sheets.c.document, sheets.c.purpose, sheets.c.done, func.count().label("number"))
                .join(documents, documents.c.id == sheets.c.document)
                .where(documents.c.project == ask.row.id)
                .group_by(sheets.c.document, sheets.c.purpose, sheets.c.done)
            )
        }  # fmt: skip
    return {"documents": [_document(row, counts) for row in rows]}


def _document(row: Any, counts: dict[tuple[int, str, bool], int]) -> dict[str, Any]:
    why = None if row.rank is None else {"rank": row.rank, "score": row.score}
    return {
        "id": row.id, "name": row.name, "tokens": row.tokens, "training": row.training,
        "done": counts.get((row.id, "annotate", True), 0),
        "open": counts.get((row.id, "annotate", False), 0),
        "gold": bool(row.given or counts.get((row.id, "adjudicate", True))), "why": why,
    }  # fmt: skip


def assign(services: Services, ask: Ask) -> Any:
    """Give a document to a member."""
    own = (members.c.project == ask.row.project) & (members.c.user == ask.body["user"])
    with services.database.read() as connection:
        if connection.execute(select(members.c.user).where(own)).first() is None:
            raise Fail(422, "invalid", "user: expected a member of this project")
    sheet = work.assign(services.events, ask.row, ask.body["user"])
    _log(services, ask, "assigned", ask.row.name, user=ask.body["user"])
    return {"sheet": sheet}


def release(services: Services, ask: Ask) -> Any:
    """Free somebody's place; their work stays."""
    work.release(services.database, ask.row.id, ask.path["user"])
    _log(services, ask, "released", ask.row.name, user=ask.path["user"])
    return {}


_SETTINGS = obj(
    annotators=integer(1, 100), lease_minutes=integer(1, 10_000), looks=integer(0, 1000),
    strategy=text(60), seed=integer(), suggestions={"type": ["string", "null"], "maxLength": 60},
    protocol=one_of(*PROTOCOLS), raters=integer(1, 100), agree=integer(1, 100), guide=text(20_000),
)  # fmt: skip
_KIND = one_of("document", "problem")
_P = "/api/projects/{project:int}"
_ROLE = one_of(*ROLES, None)

ROUTES = (
    Route("GET", "/api/projects", "user", mine, "One's projects"),
    Route("POST", "/api/projects", "administrator", create, "A new project",
          obj("name kind", name=text(100, 1), kind=_KIND, settings=_SETTINGS)),
    Route("GET", _P, "annotator", show, "A project"),
    Route("PATCH", _P, "manager", change, "Change a project",
          obj(name=text(100, 1), settings=_SETTINGS)),
    Route("GET", f"{_P}/members", "manager", people, "The members"),
    Route("POST", f"{_P}/members", "manager", set_member, "Give somebody a role",
          obj("user role", user=integer(1), role=_ROLE)),
    Route("GET", f"{_P}/progress", "annotator", progress, "How far the project is"),
    Route("GET", f"{_P}/leaderboard", "annotator", board, "The leaderboard"),
    Route("POST", f"{_P}/next", "annotator", next_sheet, "What to work on next", obj()),
    Route("GET", f"{_P}/sheets", "annotator", list_sheets, "Sheets", query={"all": one_of("0", "1")}),
    Route("GET", f"{_P}/documents", "manager", list_documents, "The documents"),
    Route("POST", "/api/documents/{document:int}/assign", "manager", assign,
          "Give a document to a member", obj("user", user=integer(1))),
    Route("DELETE", "/api/documents/{document:int}/assign/{user:int}", "manager", release,
          "Free a member's place"),
)  # fmt: skip
