"""The queue: who works on which document, for how long it is theirs, and why this one.

A document wants some number of annotators. A place is taken by who finished, and by whose
lease has not expired. A lease that expires frees the place; the sheet and all its events
stay, and its owner may still go on and finish.
"""

from __future__ import annotations

import random
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from coindex.annotate import papers
from coindex.annotate.access import Person
from coindex.annotate.database import Database, put
from coindex.annotate.events import RELEASED, Events, worked
from coindex.annotate.fail import missing
from coindex.annotate.projects import DEFAULTS
from coindex.annotate.ranker import GIVEN
from coindex.annotate.tables import documents, projects, rankings, ranks, sheets


def next_sheet(events: Events, project: int, person: Person) -> dict[str, Any]:
    """A sheet for somebody: training first, then what they left open, then the queue."""
    database = events.database
    now = database.clock()
    with database.write() as connection:
        found = _project(connection, project)
        training = _training(connection, project, person.id)
        if training is not None:
            sheet = open_sheet(events, connection, training, person.id)
            return {"sheet": sheet, "why": {**_why(found), "text": "a document to train on"}}
        left = _left_open(connection, project, person.id)
        if left is not None:
            _lease(connection, left.id, now, found)
            return {"sheet": left.id, "why": left.why}
        chosen = _choose(connection, found, person.id, now)
        if chosen is None:
            return {"sheet": None, "why": None, "reason": "nothing left"}
        why = _why(found, chosen)
        sheet = open_sheet(events, connection, chosen, person.id, why=why)
        _lease(connection, sheet, now, found)
        return {"sheet": sheet, "why": why}


def _project(connection: Connection, project: int) -> Row[Any]:
    """The project, locked, so that two people do not take the last place together."""
    return connection.execute(
        select(projects).where(projects.c.id == project).with_for_update()
    ).one()


def _setting(project: Row[Any], name: str) -> Any:
    return {**DEFAULTS, **project.settings}[name]


def _places(project: Row[Any]) -> int:
    return int(_setting(project, "annotators" if project.kind == "document" else "raters"))


def _training(connection: Connection, project: int, user: int) -> Row[Any] | None:
    done = select(sheets.c.document).where((sheets.c.user == user) & sheets.c.done)
    wanted = (documents.c.project == project) & documents.c.training
    return connection.execute(
        select(documents).where(wanted & documents.c.id.not_in(done)).order_by(documents.c.position)
    ).first()


def _left_open(connection: Connection, project: int, user: int) -> Row[Any] | None:
    wanted = (documents.c.project == project) & (sheets.c.user == user)
    wanted &= (
        sheets.c.done.is_(False) & (sheets.c.purpose == "annotate") & sheets.c.lease.is_not(None)
    )
    return connection.execute(
        select(sheets)
        .join(documents, documents.c.id == sheets.c.document)
        .where(wanted)
        .order_by(sheets.c.id)
    ).first()


def _choose(connection: Connection, project: Row[Any], user: int, now: int) -> Row[Any] | None:
    """The first document, by rank and then by position, with a place for this person."""
    held = sheets.c.done | (sheets.c.lease > now)
    taken = (
        select(sheets.c.document, func.count().label("taken"))
        .where(held & (sheets.c.purpose == "annotate"))
        .group_by(sheets.c.document)
        .subquery()
    )
    mine = select(sheets.c.document).where(
        (sheets.c.user == user) & (sheets.c.purpose == "annotate")
    )
    free = func.coalesce(taken.c.taken, 0) < _places(project)
    wanted = (documents.c.project == project.id) & documents.c.training.is_(False)
    order = [documents.c.position]
    if _setting(project, "strategy") != GIVEN:
        order.insert(0, func.coalesce(ranks.c.rank, 10**9))  # type: ignore[arg-type]
    return connection.execute(
        select(documents, ranks.c.rank, ranks.c.score, rankings.c.strategy)
        .join(taken, taken.c.document == documents.c.id, isouter=True)
        .join(ranks, ranks.c.document == documents.c.id, isouter=True)
        .join(rankings, rankings.c.id == ranks.c.ranking, isouter=True)
        .where(wanted & free & documents.c.id.not_in(mine))
        .order_by(*order)
        .limit(1)
    ).first()


def _why(project: Row[Any], chosen: Row[Any] | None = None) -> dict[str, Any]:
    """Why a document comes next, for the annotator to see."""
    strategy = _setting(project, "strategy")
    if chosen is None or strategy == GIVEN or chosen.rank is None:
        told = {"text": "the next in the order of import", "strategy": GIVEN}
        return {**told, "rank": None, "score": None}
    text = f"rank {chosen.rank} by {chosen.strategy}, with a score of {chosen.score:.4f}"
    return {"text": text, "strategy": chosen.strategy, "rank": chosen.rank, "score": chosen.score}


def lease_until(project: Row[Any], now: int) -> int:
    """When a lease that begins now ends."""
    return now + int(_setting(project, "lease_minutes")) * 60_000


def _lease(connection: Connection, sheet: int, now: int, project: Row[Any]) -> None:
    until = lease_until(project, now)
    connection.execute(update(sheets).where(sheets.c.id == sheet).values(lease=until))


def open_sheet(
    events: Events, connection: Connection, document: Row[Any], user: int, *,
    purpose: str = "annotate", why: dict[str, Any] | None = None,
) -> int:  # fmt: skip
    """Somebody's sheet on a document, made where there is none, with its suggestions."""
    own = (sheets.c.document == document.id) & (sheets.c.user == user)
    own &= sheets.c.purpose == purpose
    found = connection.execute(select(sheets.c.id).where(own)).scalar()
    if found is not None:
        return int(found)
    told = {"revision": 0, "done": False, "spent": 0, "looks": 0, "why": why}
    made = put(
        connection, sheets, document=document.id, user=user, purpose=purpose,
        order=_order(document), created=events.database.clock(), **told,
    )  # fmt: skip
    if document.suggestions and purpose == "annotate":
        events.seed(connection, made, user, document.suggestions)
    return made


def _order(document: Row[Any]) -> list[int] | None:
    """For a problem: the candidates shuffled, and stored so."""
    if document.tokens:
        return None
    order = list(range(len(papers.problem_of(document.body).candidates)))
    random.SystemRandom().shuffle(order)
    return order


def assign(events: Events, document: Row[Any], user: int) -> int:
    """Give a document to somebody, whatever its places."""
    with events.database.write() as connection:
        project = _project(connection, document.project)
        sheet = open_sheet(events, connection, document, user)
        _lease(connection, sheet, events.database.clock(), project)
        return sheet


def release(database: Database, document: int, user: int) -> None:
    """Free somebody's place, or their adjudication for others; what they did stays."""
    own = (sheets.c.document == document) & (sheets.c.user == user)
    with database.write() as connection:
        freed = 0
        for purpose, lease in (("annotate", None), ("adjudicate", RELEASED)):
            wanted = update(sheets).where(own & (sheets.c.purpose == purpose))
            freed += connection.execute(wanted.values(lease=lease)).rowcount
        if not freed:
            raise missing("sheet of this person")


def beat(database: Database, sheet: Row[Any]) -> dict[str, Any]:
    """A sign of life: renews the lease and measures time."""
    now = database.clock()
    with database.write() as connection:
        row = connection.execute(
            select(sheets).where(sheets.c.id == sheet.id).with_for_update()
        ).one()
        spent = row.spent + worked(row.seen, now)
        minutes = int({**DEFAULTS, **sheet.settings}["lease_minutes"])
        kept = row.done or row.lease == RELEASED
        lease = row.lease if kept else now + minutes * 60_000
        values = {"spent": spent, "lease": lease, "seen": now}
        connection.execute(update(sheets).where(sheets.c.id == row.id).values(**values))
        return {"lease_until": lease, "seconds": spent // 1000, "revision": row.revision}
