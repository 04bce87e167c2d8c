"""Routes of documents: a list with search and pages, a preview, renaming, archiving, deleting."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, select, update
from sqlalchemy.exc import IntegrityError

from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.people.accounts import log_action
from coindex.annotate.store.lifecycle import STATES, UNDO, in_state, set_state, state_of
from coindex.annotate.store.tables import assignments, documents, ranks, users
from coindex.annotate.web.paging import PAGE_QUERY, Page
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema

PREVIEW = 20_000
"""How many characters of a text the preview shows."""
EXCERPT = 160
EXCERPT_TOKENS = 5000
"""Longer documents have no excerpt in lists: reading fifty of them would take seconds."""
DONE_ACTIONS = {
    "active": "document restored", "archived": "document archived", "deleted": "document deleted",
}  # fmt: skip

Counts = dict[tuple[int, str, bool], int]


def list_documents(services: Services, request: ApiRequest) -> Json:
    """Return the documents, with the numbers of finished and open assignments."""
    page = Page.of(request.query)
    state = request.query.get("state", "active")
    with services.database.read() as connection:
        query = (
            select(documents.c.id, documents.c.name, documents.c.tokens, documents.c.training,
                   documents.c.gold.is_not(None).label("given"), ranks.c.rank, ranks.c.score,
                   documents.c.archived, documents.c.deleted)
            .join(ranks, ranks.c.document == documents.c.id, isouter=True)
            .where((documents.c.project == request.row.id) & in_state(documents, state))
            .order_by(documents.c.position, documents.c.id)
        )  # fmt: skip
        wanted = page.matches(documents.c.name)
        total, rows = page.rows(connection, query if wanted is None else query.where(wanted))
        counts = _counts(connection, request.row.id)
        shown = [row.id for row in rows if page.limit and row.tokens <= EXCERPT_TOKENS]
        excerpts = _excerpts(connection, request.row.kind, shown)
    listed = [{**_summary(row, counts), **excerpts.get(row.id, {})} for row in rows]
    return {"documents": listed, "total": total}


def _counts(connection: Connection, project: int) -> Counts:
    rows = connection.execute(
        select(assignments.c.document, assignments.c.purpose, assignments.c.done, func.count().label("number"))
        .join(documents, documents.c.id == assignments.c.document)
        .where(documents.c.project == project)
        .group_by(assignments.c.document, assignments.c.purpose, assignments.c.done)
    )  # fmt: skip
    return {(row.document, row.purpose, row.done): row.number for row in rows}


def _excerpts(connection: Connection, kind: str, ids: list[int]) -> dict[int, Json]:
    """Return the beginnings of texts, for the rows of one page."""
    rows = connection.execute(
        select(documents.c.id, documents.c.body).where(documents.c.id.in_(ids))
    )
    if kind == "document":
        texts = {row.id: conversion.parse_document(row.body).text for row in rows}
    else:
        texts = {row.id: conversion.parse_problem(row.body).text for row in rows}
    return {id: {"excerpt": _beginning(text)} for id, text in texts.items()}


def _beginning(text: str) -> str:
    """Return the first words of a text."""
    words = " ".join(text[: EXCERPT * 2].split())
    if len(words) <= EXCERPT:
        return words
    whole = words[:EXCERPT].rpartition(" ")[0]
    return f"{whole or words[:EXCERPT]} …"


def _summary(row: Any, counts: Counts) -> Json:
    why = None if row.rank is None else {"rank": row.rank, "score": row.score}
    return {
        "id": row.id, "name": row.name, "tokens": row.tokens, "training": row.training,
        "done": counts.get((row.id, "annotate", True), 0),
        "open": counts.get((row.id, "annotate", False), 0),
        "gold": bool(row.given or counts.get((row.id, "adjudicate", True))), "why": why,
        "state": state_of(row), "until": None if row.deleted is None else row.deleted + UNDO,
    }  # fmt: skip


def preview(services: Services, request: ApiRequest) -> Json:
    """Return the beginning of a document or the passage of a problem, and its assignments."""
    row = request.row
    with services.database.read() as connection:
        own = connection.execute(
            select(assignments.c.id, assignments.c.user, assignments.c.done, assignments.c.purpose,
                   assignments.c.deadline, users.c.name)
            .join(users, users.c.id == assignments.c.user)
            .where(assignments.c.document == row.id)
            .order_by(users.c.name)
        ).mappings().all()  # fmt: skip
    shown = _problem(row.body) if row.kind == "problem" else _text(row.body)
    named = {"id": row.id, "name": row.name, "kind": row.kind, "tokens": row.tokens}
    named |= {"training": row.training, "gold": row.gold is not None, "state": state_of(row)}
    return {"document": {**named, **shown}, "sheets": [dict(each) for each in own]}


def _text(body: str) -> Json:
    text = conversion.parse_document(body).text
    return {"text": text[:PREVIEW], "cut": len(text) > PREVIEW}


def _problem(body: str) -> Json:
    problem = conversion.parse_problem(body)
    target = [problem.target.start, problem.target.end]
    names = [each.text for each in problem.candidates]
    return {"text": problem.text, "cut": False, "target": target, "candidates": names,
            "source": problem.source}  # fmt: skip


def change(services: Services, request: ApiRequest) -> Json:
    """Rename a document, make it training or not, or archive, delete or restore it."""
    row, body, now = request.row, request.json, services.database.clock()
    values: dict[str, Any] = {}
    if "name" in body:
        values["name"] = _valid_name(body["name"])
    if "training" in body:
        if body["training"] and row.gold is None:
            raise ApiError(409, "no-gold", "a training document needs gold: import its gold first")
        values["training"] = body["training"]
    own = documents.c.id == row.id
    try:
        with services.database.write() as connection:
            if values:
                connection.execute(update(documents).where(own).values(**values))
                log_action(connection, now, request.user.id, "document changed", row.name, **values)
            if body.get("state", state_of(row)) != state_of(row):
                set_state(connection, documents, [row.id], body["state"], now)
                action = DONE_ACTIONS[body["state"]]
                log_action(connection, now, request.user.id, action, row.name)
            new = connection.execute(select(documents).where(own)).one()
    except IntegrityError as error:
        raise ApiError(409, "taken", "there is a document of that name already") from error
    return {"id": new.id, "name": new.name, "training": new.training, "state": state_of(new)}


def _valid_name(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable():
        raise ApiError(422, "invalid", "name: expected some printable characters")
    return name


def change_many(services: Services, request: ApiRequest) -> Json:
    """Archive, delete or restore several documents of a project."""
    ids, state, now = request.json["documents"], request.json["state"], services.database.clock()
    with services.database.write() as connection:
        own = documents.c.id.in_(ids) & (documents.c.project == request.row.id)
        rows = connection.execute(select(documents.c.id, documents.c.name).where(own)).all()
        set_state(connection, documents, [row.id for row in rows], state, now)
        names = [row.name for row in rows]
        log_action(
            connection, now, request.user.id, DONE_ACTIONS[state].replace("document", "documents"),
            request.row.name, names=names[:50], count=len(names),
        )  # fmt: skip
    return {"changed": [row.id for row in rows]}


_P = "/api/projects/{project:int}"
_D = "/api/documents/{document:int}"
_STATE = one_of(*STATES)
_IDS = {"type": "array", "items": integer_schema(1), "minItems": 1, "maxItems": 1000}

ROUTES = (
    Route("GET", f"{_P}/documents", "manager", list_documents, "The documents",
          query={**PAGE_QUERY, "state": _STATE}),
    Route("POST", f"{_P}/documents/state", "manager", change_many,
          "Archive, delete or restore documents",
          object_schema("documents state", documents=_IDS, state=_STATE)),
    Route("GET", _D, "manager", preview, "A document: its text and its assignments", deleted=True),
    Route("PATCH", _D, "manager", change, "Rename, archive, delete or restore a document",
          object_schema(name=string_schema(500, 1), training={"type": "boolean"}, state=_STATE),
          deleted=True),
)  # fmt: skip
