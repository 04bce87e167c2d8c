"""The queue: who annotates which document, for how long it is reserved, and why this one.

A document needs some number of annotators. A place is taken by those who have finished, and
by those whose lease has not expired. A lease that expires frees the place; the assignment and
its events remain, and its annotator may still continue and finish.
"""

from __future__ import annotations

import random
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select, update

from coindex.annotate.assignments.ranking import IMPORT_ORDER
from coindex.annotate.errors import not_found
from coindex.annotate.exchange import conversion
from coindex.annotate.people.access import Person
from coindex.annotate.projects import annotators_per_document, settings_of
from coindex.annotate.quality.training import training_refusal
from coindex.annotate.store.database import Database, insert_row
from coindex.annotate.store.events import RELEASED, EventStore, working_time
from coindex.annotate.store.lifecycle import in_state, state_of
from coindex.annotate.store.tables import assignments, documents, projects, rankings, ranks


def next_assignment(events: EventStore, project: int, person: Person) -> dict[str, Any]:
    """Return the next assignment of a person: training, then unfinished work, then the queue."""
    database = events.database
    now = database.clock()
    with database.write() as connection:
        row = _locked_project(connection, project)
        if state_of(row) != "active":
            return {"sheet": None, "why": None, "reason": "the project is archived"}
        training = _next_training(connection, project, person.id)
        if training is not None:
            assignment = open_assignment(events, connection, training, person.id)
            return {"sheet": assignment, "why": {**_reason(), "text": "a document to train on"}}
        unfinished = _unfinished(connection, project, person.id)
        if unfinished is not None:
            _renew_lease(connection, unfinished.id, now, row)
            return {"sheet": unfinished.id, "why": unfinished.why}
        refused = training_refusal(connection, row, person.id)
        if refused is not None:
            return {"sheet": None, "why": None, "reason": "training", "message": refused}
        chosen = _choose(connection, row, person.id, now)
        if chosen is None:
            return {"sheet": None, "why": None, "reason": "nothing left"}
        by_rank = settings_of(row).strategy != IMPORT_ORDER and chosen.rank is not None
        why = _reason(chosen) if by_rank else _reason()
        assignment = open_assignment(events, connection, chosen, person.id, why=why)
        _renew_lease(connection, assignment, now, row)
        return {"sheet": assignment, "why": why}


def _locked_project(connection: Connection, project: int) -> Row[Any]:
    """Return the project, locked, so that two people cannot take the last place together."""
    own = projects.c.id == project
    return connection.execute(select(projects).where(own).with_for_update()).one()


def _next_training(connection: Connection, project: int, user: int) -> Row[Any] | None:
    done = select(assignments.c.document).where((assignments.c.user == user) & assignments.c.done)
    open_ = (documents.c.project == project) & documents.c.training & documents.c.id.not_in(done)
    open_ &= in_state(documents)
    return connection.execute(select(documents).where(open_).order_by(documents.c.position)).first()


def _unfinished(connection: Connection, project: int, user: int) -> Row[Any] | None:
    own = (documents.c.project == project) & (assignments.c.user == user)
    own &= assignments.c.done.is_(False) & (assignments.c.purpose == "annotate")
    own &= in_state(documents)
    return connection.execute(
        select(assignments)
        .join(documents, documents.c.id == assignments.c.document)
        .where(own & assignments.c.lease.is_not(None))
        .order_by(func.coalesce(assignments.c.deadline, 10**15), assignments.c.id)
    ).first()


def _choose(connection: Connection, project: Row[Any], user: int, now: int) -> Row[Any] | None:
    """Return the first document, by rank and then by position, with a place for this person."""
    annotating = assignments.c.purpose == "annotate"
    held = annotating & (assignments.c.done | (assignments.c.lease > now))
    taken = (
        select(assignments.c.document, func.count().label("taken"))
        .where(held)
        .group_by(assignments.c.document)
        .subquery()
    )
    own = select(assignments.c.document).where(annotating & (assignments.c.user == user))
    free = func.coalesce(taken.c.taken, 0) < annotators_per_document(project)
    eligible = (documents.c.project == project.id) & documents.c.training.is_(False)
    eligible &= in_state(documents)
    order: list[ColumnElement[Any]] = [documents.c.position]
    if settings_of(project).strategy != IMPORT_ORDER:
        order.insert(0, func.coalesce(ranks.c.rank, 10**9))
    return connection.execute(
        select(documents, ranks.c.rank, ranks.c.score, rankings.c.strategy)
        .join(taken, taken.c.document == documents.c.id, isouter=True)
        .join(ranks, ranks.c.document == documents.c.id, isouter=True)
        .join(rankings, rankings.c.id == ranks.c.ranking, isouter=True)
        .where(eligible & free & documents.c.id.not_in(own))
        .order_by(*order)
        .limit(1)
    ).first()


def _reason(ranked: Row[Any] | None = None) -> dict[str, Any]:
    """Return why a document comes next, for the annotator to see."""
    if ranked is None:
        text = "the next in the order of import"
        return {"text": text, "strategy": IMPORT_ORDER, "rank": None, "score": None}
    order = f"number {ranked.rank} in the order of what a model can learn most from"
    text = "of all documents, a model can learn most from this one" if ranked.rank == 1 else order
    return {"text": text, "strategy": ranked.strategy, "rank": ranked.rank, "score": ranked.score}


def lease_until(project: Row[Any], now: int) -> int:
    """Return when a lease that begins now ends; the row needs the column `settings`."""
    return now + settings_of(project).lease_minutes * 60_000


def _renew_lease(connection: Connection, assignment: int, now: int, project: Row[Any]) -> None:
    values = {"lease": lease_until(project, now)}
    connection.execute(update(assignments).where(assignments.c.id == assignment).values(**values))


def open_assignment(
    events: EventStore, connection: Connection, document: Row[Any], user: int, *,
    purpose: str = "annotate", why: dict[str, Any] | None = None,
) -> int:  # fmt: skip
    """Return the id of a person's assignment, created with its suggestions if it is new."""
    own = (assignments.c.document == document.id) & (assignments.c.user == user)
    own &= assignments.c.purpose == purpose
    existing = connection.execute(select(assignments.c.id).where(own)).scalar()
    if existing is not None:
        return int(existing)
    created = insert_row(
        connection, assignments, document=document.id, user=user, purpose=purpose,
        order=_shuffled_candidates(document), created=events.database.clock(), why=why,
        revision=0, done=False, spent=0, accuracy_checks=0,
    )  # fmt: skip
    if document.suggestions and document.tokens and purpose == "annotate":
        events.seed(connection, created, user, document.suggestions)
    return created


def _shuffled_candidates(document: Row[Any]) -> list[int] | None:
    """Return a random order of a problem's candidates; None for a document."""
    if document.tokens:
        return None
    order = list(range(len(conversion.parse_problem(document.body).candidates)))
    random.SystemRandom().shuffle(order)
    return order


def assign(events: EventStore, document: Row[Any], user: int, deadline: int | None = None) -> int:
    """Assign a document to somebody, even if all its places are taken."""
    with events.database.write() as connection:
        project = _locked_project(connection, document.project)
        assignment = open_assignment(events, connection, document, user)
        _renew_lease(connection, assignment, events.database.clock(), project)
        own = assignments.c.id == assignment
        connection.execute(update(assignments).where(own).values(deadline=deadline))
        return assignment


def release(database: Database, document: int, user: int) -> None:
    """Free a person's place, or their adjudication for others; their work remains."""
    own = (assignments.c.document == document) & (assignments.c.user == user)
    with database.write() as connection:
        freed = 0
        for purpose, lease in (("annotate", None), ("adjudicate", RELEASED)):
            statement = update(assignments).where(own & (assignments.c.purpose == purpose))
            freed += connection.execute(statement.values(lease=lease)).rowcount
        if not freed:
            raise not_found("assignment of this person")


def heartbeat(database: Database, assignment: Row[Any]) -> dict[str, Any]:
    """Renew the lease of an open assignment and add to its working time."""
    now = database.clock()
    own = assignments.c.id == assignment.id
    with database.write() as connection:
        row = connection.execute(select(assignments).where(own).with_for_update()).one()
        spent = row.spent + working_time(row.seen, now)
        keep = row.done or row.lease == RELEASED
        lease = row.lease if keep else lease_until(assignment, now)
        values = {"spent": spent, "lease": lease, "seen": now}
        connection.execute(update(assignments).where(own).values(**values))
        return {"lease_until": lease, "seconds": spent // 1000, "revision": row.revision}
