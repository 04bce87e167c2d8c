"""What webhooks are told, stored with the work itself, and sent until it has been received.

A delivery is stored in the transaction that finishes the work, so that none is lost when the
server is killed. It is sent up to `1 + len(RETRIES)` times. The request is signed:

    X-Coindex-Signature: sha256=HMAC-SHA256(secret, "{X-Coindex-Timestamp}.{body}")
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from coindex.annotate.errors import ApiError
from coindex.annotate.projects import annotators_per_document
from coindex.annotate.store.database import Database
from coindex.annotate.store.lifecycle import in_state
from coindex.annotate.store.tables import (
    assignments,
    deliveries,
    documents,
    projects,
    users,
    webhooks,
)
from coindex.annotate.webhooks.requests import RequestFailed, post

KINDS = ("assignment.done", "document.done", "adjudication.done", "project.done")
MINUTE = 60_000
RETRIES = (MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 720 * MINUTE)
"""How long to wait before each further attempt."""
CLAIM = 2 * MINUTE
"""For how long a delivery belongs to the server that is sending it."""


def work_finished(connection: Connection, assignment: int, now: int) -> None:
    """Store deliveries for the webhooks of a project whose assignment has been finished."""
    row = connection.execute(
        select(
            assignments.c.id, assignments.c.purpose, assignments.c.document, documents.c.project,
            documents.c.name, documents.c.training, users.c.name.label("annotator"),
        )
        .join(documents, documents.c.id == assignments.c.document)
        .join(users, users.c.id == assignments.c.user)
        .where(assignments.c.id == assignment)
    ).one()  # fmt: skip
    hooks = connection.execute(select(webhooks).where(webhooks.c.project == row.project)).all()
    if row.training or not hooks:
        return
    project = connection.execute(select(projects).where(projects.c.id == row.project)).one()
    for kind in _kinds(connection, project, row):
        body = {
            "kind": kind, "at": now, "project": {"id": project.id, "name": project.name},
            "document": {"id": row.document, "name": row.name},
            "sheet": row.id, "annotator": row.annotator,
        }  # fmt: skip
        for hook in hooks:
            if kind in hook.kinds:
                add_delivery(connection, hook.id, kind, body, now)


def _kinds(connection: Connection, project: Row[Any], row: Any) -> list[str]:
    """Return what a finished assignment finishes."""
    if row.purpose == "adjudicate":
        return ["adjudication.done"]
    done = select(func.count()).where(
        (assignments.c.document == row.document)
        & (assignments.c.purpose == "annotate")
        & assignments.c.done
    )
    wanted = annotators_per_document(project)
    if connection.execute(done).scalar_one() != wanted:
        return ["assignment.done"]
    finished = (
        select(assignments.c.document)
        .where((assignments.c.purpose == "annotate") & assignments.c.done)
        .group_by(assignments.c.document)
        .having(func.count() >= wanted)
    )
    own = (documents.c.project == project.id) & documents.c.training.is_(False)
    own &= in_state(documents) & documents.c.id.not_in(finished)
    left = connection.execute(select(func.count()).select_from(documents).where(own)).scalar_one()
    return ["assignment.done", "document.done", *([] if left else ["project.done"])]


def add_delivery(connection: Connection, hook: int, kind: str, body: Any, now: int) -> None:
    """Store something to be sent at once."""
    values = {"state": "waiting", "attempts": 0, "message": "", "created": now, "due": now}
    connection.execute(insert(deliveries), {"webhook": hook, "kind": kind, "body": body, **values})


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header `X-Coindex-Signature`."""
    signed = f"{timestamp}.".encode() + body
    return "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def send_due(database: Database, *, private: bool) -> int:
    """Send the deliveries that are due; return how many."""
    now = database.clock()
    due = (deliveries.c.state == "waiting") & (deliveries.c.due <= now)
    with database.read() as connection:  # mostly there is nothing: nobody waits for a lock
        if connection.execute(select(deliveries.c.id).where(due).limit(1)).first() is None:
            return 0
    with database.write() as connection:
        rows = connection.execute(
            select(deliveries, webhooks.c.url, webhooks.c.secret)
            .join(webhooks, webhooks.c.id == deliveries.c.webhook)
            .where(due)
            .order_by(deliveries.c.due, deliveries.c.id)
            .limit(20)
            .with_for_update(of=deliveries, skip_locked=True)
        ).all()
        ids = [row.id for row in rows]
        claimed = update(deliveries).where(deliveries.c.id.in_(ids))
        connection.execute(claimed.values(due=now + CLAIM))
    for row in rows:
        _send(database, row, private)
    return len(rows)


def _send(database: Database, row: Row[Any], private: bool) -> None:
    now, attempts = database.clock(), row.attempts + 1
    body = json.dumps({**row.body, "id": row.id}, ensure_ascii=False).encode()
    headers = {
        "Content-Type": "application/json", "User-Agent": "coindex-annotate",
        "X-Coindex-Event": row.kind, "X-Coindex-Delivery": str(row.id),
        "X-Coindex-Timestamp": str(now), "X-Coindex-Signature": signature(row.secret, now, body),
    }  # fmt: skip
    values: dict[str, Any] = {"attempts": attempts}
    try:
        status = post(row.url, body, headers, private=private)
        values |= {"state": "delivered", "message": f"answered with {status}"}
    except (RequestFailed, ApiError) as error:
        values["message"] = str(error)[:500]
        if attempts > len(RETRIES):
            values["state"] = "failed"
        else:
            values["due"] = now + RETRIES[attempts - 1]
    with database.write() as connection:
        own = deliveries.c.id == row.id
        connection.execute(update(deliveries).where(own).values(**values))
