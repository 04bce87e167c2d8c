"""Routes of one assignment: the next one, the state and events of one, heartbeats, accuracy checks.

Paths and JSON call an assignment `sheet`, as in version 0.1 (see `store.tables`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from coindex.annotate.assignments import queue
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.importer import ANSWER
from coindex.annotate.projects import settings_of
from coindex.annotate.quality.accuracy_check import check_accuracy
from coindex.annotate.store.events import SubmittedEvent, state_json, undo_stacks
from coindex.annotate.store.tables import assignments, documents, events
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
        "lease_until": current.lease, "deadline": current.deadline, "seconds": current.spent // 1000, "why": row.why,
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
    Route("GET", _S, "reader", show, "An assignment: document, state, undo steps", query={"tokens": one_of("0", "1")}),
    Route("POST", f"{_S}/events", "owner", post, "Store events",
          object_schema("client events", client=_ID, events=_EVENTS)),
    Route("GET", f"{_S}/events", "reader", log, "Events after a revision",
          query={"after": integer_schema(), "limit": integer_schema(1, PAGE)}),
    Route("POST", f"{_S}/beat", "owner", heartbeat, "Heartbeat: renew the lease, measure time", object_schema(client=_ID)),
    Route("POST", f"{_S}/check", "owner", check, "Accuracy check: compare with gold", object_schema()),
)  # fmt: skip
