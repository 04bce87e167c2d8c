"""Routes of who works on what: assignments in a list, given, given to somebody else, released."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, select

from coindex.annotate.assignments import queue
from coindex.annotate.errors import ApiError
from coindex.annotate.people.access import LEVELS, role_in
from coindex.annotate.store.lifecycle import in_state, state_of
from coindex.annotate.store.tables import assignments, documents, members, users
from coindex.annotate.web.paging import PAGE_QUERY, Page
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema


def list_assignments(services: Services, request: ApiRequest) -> Json:
    """Return the assignments of the person who is logged in, or everybody's."""
    every, page = request.query.get("all") == "1", Page.of(request.query)
    with services.database.read() as connection:
        role = role_in(connection, request.user, request.row.id) or "annotator"
        if every and LEVELS.index(role) < LEVELS.index("manager"):
            raise ApiError(403, "forbidden", "only managers may see others' assignments")
        own = (documents.c.project == request.row.id) & in_state(documents)
        if not every:
            own &= assignments.c.user == request.user.id
        own &= _status_condition(request.query.get("status"), services.database.clock())
        wanted = page.matches(documents.c.name, users.c.name)
        query = (
            select(assignments, documents.c.name, documents.c.training, users.c.name.label("who"))
            .join(documents, documents.c.id == assignments.c.document)
            .join(users, users.c.id == assignments.c.user)
            .where(own if wanted is None else own & wanted)
            .order_by(documents.c.position, assignments.c.id)
        )
        total, rows = page.rows(connection, query)
    return {"sheets": [_summary(row, every) for row in rows], "total": total}


def _status_condition(status: str | None, now: int) -> Any:
    if status is None:
        return assignments.c.id.is_not(None)
    if status == "late":
        return assignments.c.done.is_(False) & (assignments.c.deadline < now)
    return assignments.c.done.is_(status == "done")


def _summary(row: Any, every: bool) -> dict[str, Any]:
    values = {
        "id": row.id, "document": row.document, "name": row.name, "purpose": row.purpose,
        "status": "done" if row.done else "open", "revision": row.revision,
        "lease_until": row.lease, "seconds": row.spent // 1000, "training": row.training,
        "deadline": row.deadline,
    }  # fmt: skip
    return {**values, "user": row.user, "name_of_user": row.who} if every else values


def member_of(connection: Connection, project: int, body: Json) -> int:
    """Return the id of the member whom a request names, by number or by name."""
    if ("user" in body) == ("name" in body):
        raise ApiError(422, "invalid", "expected the user or the name of a member, one of them")
    own = members.c.project == project
    if "user" in body:
        own &= members.c.user == body["user"]
    else:
        own &= func.lower(users.c.name) == body["name"].strip().lower()
    found = connection.execute(
        select(members.c.user).join(users, users.c.id == members.c.user).where(own)
    ).scalar()
    if found is None:
        raise ApiError(422, "invalid", "user: expected a member of this project")
    return int(found)


def _require_active(request: ApiRequest) -> None:
    state = state_of(request.row)
    if state != "active":
        raise ApiError(409, "state", f"this document is {state}: restore it first")


def _require_unfinished(connection: Connection, document: int, user: int) -> None:
    """Refuse to assign a document to somebody who is done with it: they would not get it again."""
    own = (assignments.c.document == document) & (assignments.c.user == user)
    own &= (assignments.c.purpose == "annotate") & assignments.c.done
    name = connection.execute(
        select(users.c.name).join(assignments, assignments.c.user == users.c.id).where(own)
    ).scalar()
    if name is not None:
        message = f"{name} has finished this document already, and can reopen it"
        raise ApiError(409, "done", message)


def assign(services: Services, request: ApiRequest) -> Json:
    """Assign a document to a member, perhaps with a deadline."""
    _require_active(request)
    with services.database.read() as connection:
        user = member_of(connection, request.row.project, request.json)
        _require_unfinished(connection, request.row.id, user)
    deadline = request.json.get("deadline")
    assignment = queue.assign(services.events, request.row, user, deadline)
    services.log(request.user, "assigned", request.row.name, user=user, deadline=deadline)
    return {"sheet": assignment}


def reassign(services: Services, request: ApiRequest) -> Json:
    """Give somebody's assignment to somebody else; what the first has done remains theirs."""
    _require_active(request)
    old = request.path["user"]
    with services.database.read() as connection:
        user = member_of(connection, request.row.project, request.json)
        _require_unfinished(connection, request.row.id, user)
        own = (assignments.c.document == request.row.id) & (assignments.c.user == old)
        row = connection.execute(
            select(assignments).where(own & (assignments.c.purpose == "annotate"))
        ).first()
    if row is None or row.done:
        raise ApiError(409, "done", "there is no unfinished assignment of this person")
    if user == old:
        raise ApiError(422, "invalid", "user: expected somebody else")
    deadline = request.json.get("deadline", row.deadline)
    assignment = queue.assign(services.events, request.row, user, deadline)
    queue.release(services.database, request.row.id, old)
    services.log(request.user, "reassigned", request.row.name, user=user, deadline=deadline,
                 **{"from": old})  # fmt: skip
    return {"sheet": assignment}


def release(services: Services, request: ApiRequest) -> Json:
    """Free somebody's place; their work remains."""
    queue.release(services.database, request.row.id, request.path["user"])
    services.log(request.user, "released", request.row.name, user=request.path["user"])
    return {}


_P = "/api/projects/{project:int}"
_ASSIGN = "/api/documents/{document:int}/assign"
_DEADLINE = {"type": ["integer", "null"], "minimum": 0, "maximum": 10**15}
_WHO = {"user": integer_schema(1), "name": string_schema(100, 1), "deadline": _DEADLINE}

ROUTES = (
    Route("GET", f"{_P}/sheets", "annotator", list_assignments, "List assignments",
          query={"all": one_of("0", "1"), "status": one_of("open", "done", "late"), **PAGE_QUERY}),
    Route("POST", _ASSIGN, "manager", assign, "Assign a document to a member", object_schema(**_WHO)),
    Route("PATCH", f"{_ASSIGN}/{{user:int}}", "manager", reassign,
          "Give an assignment to somebody else", object_schema(**_WHO)),
    Route("DELETE", f"{_ASSIGN}/{{user:int}}", "manager", release, "Release an assignment"),
)  # fmt: skip
