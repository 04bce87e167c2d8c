"""The adjudication queue, and gold documents by a rule.

The rule of the Quiz Bowl paper (Guha et al. 2015): a document is accepted when at least four
annotators exceed a set similarity, and is then verified. Here: the largest set of annotators
each pair of which has at least that similarity (CoNLL F1); an adjudicator verifies the
annotation of its most central member.

A document has one adjudication. It is reserved for its adjudicator by a lease, as documents
are for annotators. When the lease has expired, or a manager has released it, somebody else
can take it over in its current state; the events record who did what. An adjudication that a
rule opened is free until somebody begins.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select, update

from coindex.annotate.assignments.queue import lease_until, open_assignment
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.people.accounts import log_action
from coindex.annotate.quality import adjudication
from coindex.annotate.quality.adjudication import Annotation
from coindex.annotate.quality.agreement import most_similar
from coindex.annotate.quality.majority import majority
from coindex.annotate.store.events import RELEASED, EventStore, load_records
from coindex.annotate.store.tables import assignments, documents, projects, users
from coindex.types.document import Document


def annotations_of(connection: Connection, project: int) -> dict[int, list[Annotation]]:
    """Return the finished annotations of each document, under aliases."""
    by_document: dict[int, list[tuple[int, str, Document]]] = {}
    for assignment, document, annotation in conversion.finished_annotations(connection, project):
        own = by_document.setdefault(document.id, [])
        own.append((assignment.user, assignment.user_name, annotation))
    return {id: adjudication.with_aliases(own, str(id)) for id, own in by_document.items()}


def adjudication_queue(
    connection: Connection, project: int, user: int | None, now: int
) -> list[dict[str, Any]]:
    """Return the documents with at least two finished annotations, or an adjudication."""
    annotations = annotations_of(connection, project)
    queue = []
    for row in _work_documents(connection, project):
        own = annotations.get(row.id, [])
        assignment = _adjudication(connection, row.id)
        if len(own) < 2 and assignment is None:
            continue
        if assignment is None:
            records = adjudication.agreed_records([each.document for each in own])
        else:
            records = load_records(connection, assignment.id)
        every = adjudication.disagreements(own, records)
        undecided = sum(not each["decided"] and _is_question(each) for each in every)
        values = {"id": row.id, "name": row.name, "annotators": len(own)}
        queue.append({**values, "disagreements": undecided, **_status(assignment, user, now)})
    return queue


def _is_question(disagreement: dict[str, Any]) -> bool:
    """Return whether the options differ in what they do; the editor does not ask otherwise."""
    effects = [option["events"] for option in disagreement["options"]]
    return any(effects) or any(each != effects[0] for each in effects)


def _status(assignment: Row[Any] | None, user: int | None, now: int) -> dict[str, Any]:
    """Return whether and by whom a document is adjudicated, and whether it is free."""
    if assignment is None:
        values = {"sheet": None, "status": "waiting", "by": None, "user": None}
        return {**values, "mine": False, "free": True, "lease_until": None}
    own = assignment.user == user
    return {
        "sheet": assignment.id, "status": "done" if assignment.done else "open",
        "by": assignment.user_name, "user": assignment.user, "mine": own,
        "free": own or _is_free(assignment, now), "lease_until": assignment.lease,
    }  # fmt: skip


def _is_free(assignment: Row[Any], now: int) -> bool:
    """Return whether somebody else may take over an adjudication: released, or expired.

    A finished one is somebody's decision, and is free only when a manager has released it.
    """
    if assignment.lease == RELEASED:
        return True
    return not assignment.done and (assignment.lease is None or assignment.lease <= now)


def _work_documents(connection: Connection, project: int) -> list[Row[Any]]:
    return [row for row in conversion.project_documents(connection, project) if not row.training]


def _adjudication(connection: Connection, document: int) -> Row[Any] | None:
    """Return the one adjudication of a document, whoever has it."""
    own = (assignments.c.document == document) & (assignments.c.purpose == "adjudicate")
    return connection.execute(
        select(assignments, users.c.name.label("user_name"))
        .join(users, users.c.id == assignments.c.user)
        .where(own)
        .order_by(assignments.c.id)
    ).first()


def begin_adjudication(events: EventStore, document: Row[Any], user: int) -> int:
    """Begin an adjudication with what all agree on, or take over the existing one."""
    now = events.database.clock()
    with events.database.write() as connection:
        project = _lock(connection, document)
        old = _adjudication(connection, document.id)
        if old is None:
            own = annotations_of(connection, document.project).get(document.id, [])
            start = adjudication.agreed_records([each.document for each in own])
            assignment = _open(events, connection, document, user, start)
        elif old.user == user or _is_free(old, now):
            assignment = int(old.id)
        else:
            raise ApiError(
                409, "taken", f"{old.user_name!r} is adjudicating this document; it is free when"
                " they have not worked on it for a while, or a manager has released it",
                by=old.user_name, lease_until=old.lease,
            )  # fmt: skip
        if old is not None and old.user != user:
            log_action(connection, now, user, "adjudication taken over", document.name,
                       sheet=assignment, **{"from": old.user_name})  # fmt: skip
        lease = None if old is not None and old.done else lease_until(project, now)
        statement = update(assignments).where(assignments.c.id == assignment)
        connection.execute(statement.values(user=user, lease=lease))
        return assignment


def _lock(connection: Connection, document: Row[Any]) -> Row[Any]:
    """Lock the document, so that it gets one adjudication only; return its project."""
    own = select(documents.c.id).where(documents.c.id == document.id).with_for_update()
    connection.execute(own)
    return connection.execute(select(projects).where(projects.c.id == document.project)).one()


def _open(
    events: EventStore, connection: Connection, document: Row[Any], user: int, start: Any
) -> int:
    assignment = open_assignment(events, connection, document, user, purpose="adjudicate")
    events.seed(connection, assignment, user, start)
    return assignment


def gold_by_rule(
    events: EventStore, project: int, user: int, rule: str, least: int, threshold: float
) -> list[dict[str, Any]]:
    """Open an adjudication, to be verified, for each document that a rule accepts."""
    rows = []
    with events.database.write() as connection:
        annotations = annotations_of(connection, project)
        for row in _work_documents(connection, project):
            own = annotations.get(row.id, [])
            old = _adjudication(connection, row.id)
            agreeing, start = _accepted([each.document for each in own], rule, least, threshold)
            status, assignment = "too few", None
            if old is not None:
                status, assignment = "gold" if old.done else "to verify", int(old.id)
            elif start is not None:
                records = conversion.entity_records(start, done=False)
                assignment = _open(events, connection, row, user, records)
                status = "to verify"
            values = {"id": row.id, "name": row.name, "annotators": len(own)}
            rows.append({**values, "agreeing": agreeing, "status": status, "sheet": assignment})
    return rows


def _accepted(
    annotations: list[Document], rule: str, least: int, threshold: float
) -> tuple[int, Document | None]:
    """Return how many annotators agree, and the document that the rule accepts."""
    if rule == "majority":
        enough = annotations and len(annotations) >= least
        return len(annotations), majority(annotations) if enough else None
    agreeing = most_similar(annotations, threshold)
    accepted = annotations[agreeing[0]] if len(agreeing) >= least else None
    return len(agreeing), accepted
