"""Routes of a sheet: its state, its events, signs of life, checking against gold."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from coindex.annotate import papers, training, work
from coindex.annotate.events import Given, own_stacks
from coindex.annotate.fail import Fail
from coindex.annotate.projection import load
from coindex.annotate.projects import DEFAULTS
from coindex.annotate.records import nested
from coindex.annotate.tables import events, sheets
from coindex.annotate.web.route import Ask, Route
from coindex.annotate.web.schema import integer, obj, text
from coindex.annotate.web.services import Services

KEPT = 1000
"""How many steps back are told at once; `undo_left` says how many more there are."""
PAGE = 5000
"""How many events are told at once."""


def show(services: Services, ask: Ask) -> Any:
    """Everything the editor needs."""
    row = ask.row
    with services.database.read() as connection:
        now = connection.execute(select(sheets).where(sheets.c.id == row.id)).one()
        state = nested(load(connection, row.id))
        stacks = own_stacks(connection, row.id)
    undo, redo = list(stacks.undo), list(stacks.redo)
    settings = {**DEFAULTS, **row.settings}
    return {
        "sheet": row.id, "document": _document(row), "purpose": row.purpose,
        "project": {"id": row.project, "name": row.project_name, "guide": settings["guide"]},
        "mine": row.user == ask.user.id, "status": "done" if now.done else "open",
        "revision": now.revision, "state": state, "undo": undo[-KEPT:], "redo": redo[-KEPT:],
        "undo_left": max(0, len(undo) - KEPT), "redo_left": max(0, len(redo) - KEPT),
        "lease_until": now.lease, "seconds": now.spent // 1000, "why": row.why,
        "looks": {"used": now.looks, "allowed": settings["looks"]},
    }  # fmt: skip


def _document(row: Any) -> dict[str, Any]:
    told = {"id": row.document, "name": row.name, "kind": row.kind, "training": row.training}
    if row.kind == "problem":
        problem = papers.problem_of(row.body)
        shown = [problem.candidates[at] for at in row.order]
        return {
            **told, "text": problem.text, "target": [problem.target.start, problem.target.end],
            "candidates": [
                {"label": chr(65 + at), "text": each.text,
                 "chars": [each.chars.start, each.chars.end] if each.chars else None}
                for at, each in enumerate(shown)
            ],
        }  # fmt: skip
    found = papers.document_of(row.body)
    names = ("text", "tokens", "starts", "ends", "sentences", "speakers", "zeros")
    return {**told, **{name: getattr(found, name) for name in names}}


def post(services: Services, ask: Ask) -> Any:
    """Store events."""
    given = [
        Given(each["id"], each["base"], each["kind"], each["payload"], each.get("at"))
        for each in ask.body["events"]
    ]
    if any(each.id.startswith("seed-") for each in given):
        raise Fail(422, "invalid", "ids that begin with seed- are the server's own")
    revision, results, lease = services.events.store(
        ask.row.id, ask.user.id, ask.body["client"], given
    )
    return {"revision": revision, "results": results, "lease_until": lease}


def log(services: Services, ask: Ask) -> Any:
    """Events after a revision, to catch up with other tabs."""
    after, limit = int(ask.query.get("after", 0)), int(ask.query.get("limit", PAGE))
    names = ("id", "revision", "kind", "payload", "changes", "client", "at")
    with services.database.read() as connection:
        wanted = (events.c.sheet == ask.row.id) & (events.c.revision > after)
        rows = connection.execute(
            select(events).where(wanted).order_by(events.c.revision).limit(limit)
        ).all()
        now = connection.execute(
            select(sheets.c.revision).where(sheets.c.id == ask.row.id)
        ).scalar()
    return {"revision": now, "events": [{n: getattr(row, n) for n in names} for row in rows]}


def beat(services: Services, ask: Ask) -> Any:
    """A sign of life."""
    return work.beat(services.database, ask.row)


def check(services: Services, ask: Ask) -> Any:
    """Compare a training document with its gold."""
    return training.check(services.database, ask.row)


_ID = text(64, 1, r"^[A-Za-z0-9_.:-]{1,64}$")
_EVENT = obj(
    "id base kind payload", id=_ID, base=integer(), kind=text(30, 1), payload={"type": "object"},
    at={"type": ["integer", "null"], "minimum": 0, "maximum": 2**53},
)  # fmt: skip
_EVENTS = {"type": "array", "items": _EVENT, "minItems": 1, "maxItems": 500}
_S = "/api/sheets/{sheet:int}"

ROUTES = (
    Route("GET", _S, "reader", show, "A sheet: document, state, what can be undone"),
    Route("POST", f"{_S}/events", "owner", post, "Store events",
          obj("client events", client=_ID, events=_EVENTS)),
    Route("GET", f"{_S}/events", "reader", log, "Events after a revision",
          query={"after": integer(), "limit": integer(1, PAGE)}),
    Route("POST", f"{_S}/beat", "owner", beat, "A sign of life", obj(client=_ID)),
    Route("POST", f"{_S}/check", "owner", check, "Compare with gold", obj()),
)  # fmt: skip
