"""Routes of assignments: the queue, the state and events of one, heartbeats, accuracy checks.

Paths and JSON call an assignment `sheet`, as in version 0.1 (see `store.tables`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from coindex.annotate.assignments import queue
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.importer import ANSWER
from coindex.annotate.people.access import LEVELS, role_in
from coindex.annotate.projects import settings_of
from coindex.annotate.quality.accuracy_check import check_accuracy
from coindex.annotate.store.events import SubmittedEvent, state_json, undo_stacks
from coindex.annotate.store.tables import assignments, documents, events, members, ranks, users
from coindex.annotate.web.guidelines import render_guidelines
from coindex.annotate.web.routing import ApiRequest, ApiResponse, Json, Route, Services, json_text
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema

MAX_STEPS = 1000
"""How many undo steps are sent at once; `undo_left` says how many more there are."""
PAGE = 5000
"""How many events are sent at once."""


def next_assignment(services: Services, request: ApiRequest) -> Json:
    """Return the next assignment."""
    return queue.next_assignment(services.events, request.row.id, request.user)


def list_assignments(services: Services, request: ApiRequest) -> Json:
    """Return the assignments of the person who is logged in, or everybody's."""
    every = request.query.get("all") == "1"
    with services.database.read() as connection:
        role = role_in(connection, request.user, request.row.id) or "annotator"
        if every and LEVELS.index(role) < LEVELS.index("manager"):
            raise ApiError(403, "forbidden", "only managers may see others' assignments")
        own = documents.c.project == request.row.id
        if not every:
            own &= assignments.c.user == request.user.id
        rows = connection.execute(
            select(assignments, documents.c.name, documents.c.training, users.c.name.label("who"))
            .join(documents, documents.c.id == assignments.c.document)
            .join(users, users.c.id == assignments.c.user)
            .where(own)
            .order_by(documents.c.position, assignments.c.id)
        ).all()
    return {"sheets": [_summary(row, every) for row in rows]}


def _summary(row: Any, every: bool) -> dict[str, Any]:
    values = {
        "id": row.id, "document": row.document, "name": row.name, "purpose": row.purpose,
        "status": "done" if row.done else "open", "revision": row.revision,
        "lease_until": row.lease, "seconds": row.spent // 1000, "training": row.training,
    }  # fmt: skip
    return {**values, "user": row.user, "name_of_user": row.who} if every else values


def list_documents(services: Services, request: ApiRequest) -> Json:
    """Return the documents, with the numbers of finished and open assignments."""
    with services.database.read() as connection:
        rows = connection.execute(
            select(documents.c.id, documents.c.name, documents.c.tokens, documents.c.training,
                   documents.c.gold.is_not(None).label("given"), ranks.c.rank, ranks.c.score)
            .join(ranks, ranks.c.document == documents.c.id, isouter=True)
            .where(documents.c.project == request.row.id)
            .order_by(documents.c.position)
        ).all()  # fmt: skip
        counts: dict[tuple[int, str, bool], int] = {
            (row.document, row.purpose, row.done): row.number
            for row in connection.execute(
                select(assignments.c.document, assignments.c.purpose, assignments.c.done, func.count().label("number"))
                .join(documents, documents.c.id == assignments.c.document)
                .where(documents.c.project == request.row.id)
                .group_by(assignments.c.document, assignments.c.purpose, assignments.c.done)
            )
        }  # fmt: skip
    return {"documents": [_document_summary(row, counts) for row in rows]}


def _document_summary(row: Any, counts: dict[tuple[int, str, bool], int]) -> dict[str, Any]:
    why = None if row.rank is None else {"rank": row.rank, "score": row.score}
    return {
        "id": row.id, "name": row.name, "tokens": row.tokens, "training": row.training,
        "done": counts.get((row.id, "annotate", True), 0),
        "open": counts.get((row.id, "annotate", False), 0),
        "gold": bool(row.given or counts.get((row.id, "adjudicate", True))), "why": why,
    }  # fmt: skip


def assign(services: Services, request: ApiRequest) -> Json:
    """Assign a document to a member."""
    own = (members.c.project == request.row.project) & (members.c.user == request.json["user"])
    with services.database.read() as connection:
        if connection.execute(select(members.c.user).where(own)).first() is None:
            raise ApiError(422, "invalid", "user: expected a member of this project")
    assignment = queue.assign(services.events, request.row, request.json["user"])
    services.log(request.user, "assigned", request.row.name, user=request.json["user"])
    return {"sheet": assignment}


def release(services: Services, request: ApiRequest) -> Json:
    """Free somebody's place; their work remains."""
    queue.release(services.database, request.row.id, request.path["user"])
    services.log(request.user, "released", request.row.name, user=request.path["user"])
    return {}


def show(services: Services, request: ApiRequest) -> ApiResponse:
    """Return everything the editor needs."""
    row = request.row
    with services.database.read() as connection:
        current = connection.execute(select(assignments).where(assignments.c.id == row.id)).one()
        state = state_json(connection, row.id)
        own = documents.c.id == row.document
        suggested = (
            connection.execute(select(documents.c.suggestions).where(own)).scalar()
            if row.kind == "problem"
            else None
        )
        stacks = undo_stacks(connection, row.id)
    undo, redo = list(stacks.undo), list(stacks.redo)
    settings = settings_of(row)
    values = {
        "sheet": row.id, "document": _document(row, request.query.get("tokens") != "0"), "purpose": row.purpose,
        "project": {"id": row.project, "name": row.project_name, "guide": settings.guide,
                    "guidelines": render_guidelines(settings.guide)},
        "mine": row.user == request.user.id, "status": "done" if current.done else "open",
        "revision": current.revision, "undo": undo[-MAX_STEPS:], "redo": redo[-MAX_STEPS:],
        "undo_left": max(0, len(undo) - MAX_STEPS), "redo_left": max(0, len(redo) - MAX_STEPS),
        "lease_until": current.lease, "seconds": current.spent // 1000, "why": row.why,
        "looks": {"used": current.accuracy_checks, "allowed": settings.accuracy_checks},
        "suggestion": _suggested_answer(row, suggested),
    }  # fmt: skip
    return ApiResponse(f'{json_text(values)[:-1]},"state":{state}}}')


def _suggested_answer(row: Any, suggestions: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the suggested answer to a problem by the labels that are shown; None without one."""
    answer = (suggestions or {}).get(ANSWER)
    if answer is None:
        return None
    shown = sorted(row.order.index(at) for at in answer["chosen"])
    every = len(shown) > 1 and len(shown) == len(row.order)
    choice = "N" if not shown else "T" if every else chr(65 + shown[0])
    return {"choice": choice, "resolver": answer["resolver"]}


def _document(row: Any, tokens: bool) -> dict[str, Any]:
    values = {"id": row.document, "name": row.name, "kind": row.kind, "training": row.training}
    if row.kind == "problem":
        problem = conversion.parse_problem(row.body)
        shown = [problem.candidates[at] for at in row.order]
        return {
            **values, "text": problem.text, "target": [problem.target.start, problem.target.end],
            "candidates": [
                {"label": chr(65 + at), "text": each.text,
                 "chars": [each.chars.start, each.chars.end] if each.chars else None}
                for at, each in enumerate(shown)
            ],
        }  # fmt: skip
    document = conversion.parse_document(row.body)
    names = [
        "text",
        "starts",
        "ends",
        "sentences",
        "speakers",
        "zeros",
        *(["tokens"] if tokens else []),
    ]
    return {**values, **{name: getattr(document, name) for name in names}}


def post(services: Services, request: ApiRequest) -> Json:
    """Store the events of a client."""
    submitted = [
        SubmittedEvent(each["id"], each["base"], each["kind"], each["payload"], each.get("at"))
        for each in request.json["events"]
    ]
    if any(each.id.startswith("seed-") for each in submitted):
        raise ApiError(422, "invalid", "ids that begin with seed- are reserved for the server")
    revision, results, lease = services.events.store(
        request.row.id, request.user.id, request.json["client"], submitted
    )
    return {"revision": revision, "results": results, "lease_until": lease}


def log(services: Services, request: ApiRequest) -> Json:
    """Return the events after a revision, for synchronisation with other tabs."""
    after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", PAGE))
    names = ("id", "revision", "kind", "payload", "changes", "client", "at")
    with services.database.read() as connection:
        newer = (events.c.assignment == request.row.id) & (events.c.revision > after)
        rows = connection.execute(
            select(events).where(newer).order_by(events.c.revision).limit(limit)
        ).all()
        current = connection.execute(
            select(assignments.c.revision).where(assignments.c.id == request.row.id)
        ).scalar()
    return {"revision": current, "events": [{n: getattr(row, n) for n in names} for row in rows]}


def heartbeat(services: Services, request: ApiRequest) -> Json:
    """Renew the lease and measure working time."""
    return queue.heartbeat(services.database, request.row)


def check(services: Services, request: ApiRequest) -> Json:
    """Compare a training document with its gold."""
    return check_accuracy(services.database, request.row)


_ID = string_schema(64, 1, r"^[A-Za-z0-9_.:-]{1,64}$")
_EVENT = object_schema(
    "id base kind payload", id=_ID, base=integer_schema(), kind=string_schema(30, 1), payload={"type": "object"},
    at={"type": ["integer", "null"], "minimum": 0, "maximum": 2**53},
)  # fmt: skip
_EVENTS = {"type": "array", "items": _EVENT, "minItems": 1, "maxItems": 500}
_P = "/api/projects/{project:int}"
_S = "/api/sheets/{sheet:int}"

ROUTES = (
    Route("POST", f"{_P}/next", "annotator", next_assignment, "Get the next assignment", object_schema()),
    Route("GET", f"{_P}/sheets", "annotator", list_assignments, "List assignments", query={"all": one_of("0", "1")}),
    Route("GET", f"{_P}/documents", "manager", list_documents, "The documents"),
    Route("POST", "/api/documents/{document:int}/assign", "manager", assign,
          "Assign a document to a member", object_schema("user", user=integer_schema(1))),
    Route("DELETE", "/api/documents/{document:int}/assign/{user:int}", "manager", release,
          "Release an assignment"),
    Route("GET", _S, "reader", show, "An assignment: document, state, undo steps", query={"tokens": one_of("0", "1")}),
    Route("POST", f"{_S}/events", "owner", post, "Store events",
          object_schema("client events", client=_ID, events=_EVENTS)),
    Route("GET", f"{_S}/events", "reader", log, "Events after a revision",
          query={"after": integer_schema(), "limit": integer_schema(1, PAGE)}),
    Route("POST", f"{_S}/beat", "owner", heartbeat, "Heartbeat: renew the lease, measure time", object_schema(client=_ID)),
    Route("POST", f"{_S}/check", "owner", check, "Accuracy check: compare with gold", object_schema()),
)  # fmt: skip
