"""From annotations to gold: the queue of adjudication, and the Quiz Bowl paper's rule.

The rule (Guha et al. 2015): a document is taken when at least four annotators are above a
set similarity, and is then verified. Here: the largest set of annotators each pair of which
is at least that similar (CoNLL F1); its most central member is what an adjudicator verifies.

A document has one adjudication. It is its adjudicator's while they work on it (a lease, as
annotators have one); after that, or when a manager releases it, another takes it over as it
is. The events keep who did what. What a rule opened is free until somebody begins.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row, select, update

from coindex.annotate import adjudicate, papers
from coindex.annotate.accounts import note
from coindex.annotate.adjudicate import Annotation
from coindex.annotate.agreement import similarity
from coindex.annotate.events import RELEASED, Events
from coindex.annotate.fail import Fail
from coindex.annotate.majority import majority
from coindex.annotate.projection import load
from coindex.annotate.tables import documents, projects, sheets, users
from coindex.annotate.work import lease_until, open_sheet
from coindex.core.document import Document

MOST = 12


def collected(connection: Connection, project: int) -> dict[int, list[Annotation]]:
    """The finished annotations of each document, under aliases."""
    made: dict[int, list[tuple[int, str, Document]]] = {}
    for sheet, document, found in papers.finished(connection, project):
        own = papers.made(papers.document_of(document.body), found, notes=False)
        made.setdefault(document.id, []).append((sheet.user, sheet.user_name, own))
    return {id: adjudicate.aliases(each, str(id)) for id, each in made.items()}


def waiting(
    connection: Connection, project: int, user: int | None, now: int
) -> list[dict[str, Any]]:
    """Documents to adjudicate: those with two finished annotations or more, and with whom."""
    done = collected(connection, project)
    found = []
    for row in _working(connection, project):
        own = done.get(row.id, [])
        sheet = _adjudication(connection, row.id)
        if len(own) < 2 and sheet is None:
            continue
        records = load(connection, sheet.id) if sheet else {}
        open_ = [each for each in adjudicate.disagreements(own, records) if not each["decided"]]
        told = {"id": row.id, "name": row.name, "annotators": len(own)}
        found.append({**told, "disagreements": len(open_), **_whose(sheet, user, now)})
    return found


def _whose(sheet: Row[Any] | None, user: int | None, now: int) -> dict[str, Any]:
    """Whether a document is being adjudicated, by whom, and whether it can be taken over."""
    if sheet is None:
        told: dict[str, Any] = {"sheet": None, "status": "waiting", "by": None}
        told |= {"user": None, "mine": False}
        return {**told, "free": True, "lease_until": None}
    told = {"sheet": sheet.id, "status": "done" if sheet.done else "open", "by": sheet.user_name}
    mine = sheet.user == user
    return {
        **told,
        "user": sheet.user,
        "mine": mine,
        "free": mine or _free(sheet, now),
        "lease_until": sheet.lease,
    }


def _free(sheet: Row[Any], now: int) -> bool:
    """Whether another may go on with an adjudication: it was released, or left too long.

    A finished one is somebody's decision, and is free only when a manager released it.
    """
    if sheet.lease == RELEASED:
        return True
    return not sheet.done and (sheet.lease is None or sheet.lease <= now)


def _working(connection: Connection, project: int) -> Any:
    wanted = (documents.c.project == project) & documents.c.training.is_(False)
    return connection.execute(select(documents).where(wanted).order_by(documents.c.position)).all()


def _adjudication(connection: Connection, document: int) -> Row[Any] | None:
    """The sheet of a document's adjudication: one a document, whoever has it."""
    own = (sheets.c.document == document) & (sheets.c.purpose == "adjudicate")
    wanted = select(sheets, users.c.name.label("user_name")).where(own)
    joined = wanted.join(users, users.c.id == sheets.c.user).order_by(sheets.c.id)
    return connection.execute(joined).first()


def begin(events: Events, document: Row[Any], user: int) -> int:
    """The adjudication of a document, begun with what all agree on, or taken over as it is."""
    now = events.database.clock()
    with events.database.write() as connection:
        project = _lock(connection, document)
        found = _adjudication(connection, document.id)
        if found is None:
            own = collected(connection, document.project).get(document.id, [])
            start = adjudicate.premerged([each.document for each in own])
            sheet = _begin(events, connection, document, user, start)
        elif found.user == user or _free(found, now):
            sheet = int(found.id)
        else:
            raise Fail(
                409, "taken", f"{found.user_name!r} is adjudicating this document; it is free when"
                " they have not worked on it for a while, or a manager has released it",
                by=found.user_name, lease_until=found.lease,
            )  # fmt: skip
        if found is not None and found.user != user:
            note(connection, now, user, "adjudication taken over", document.name,
                 sheet=sheet, **{"from": found.user_name})  # fmt: skip
        lease = None if found is not None and found.done else lease_until(project, now)
        values = {"user": user, "lease": lease}
        connection.execute(update(sheets).where(sheets.c.id == sheet).values(**values))
        return sheet


def _lock(connection: Connection, document: Row[Any]) -> Row[Any]:
    """The project, after the document is locked: two who begin together do not both begin."""
    own = select(documents.c.id).where(documents.c.id == document.id).with_for_update()
    connection.execute(own)
    return connection.execute(select(projects).where(projects.c.id == document.project)).one()


def _begin(
    events: Events, connection: Connection, document: Row[Any], user: int, start: Any
) -> int:
    sheet = open_sheet(events, connection, document, user, purpose="adjudicate")
    events.seed(connection, sheet, user, start)
    return sheet


def by_rule(
    events: Events, project: int, user: int, rule: str, least: int, limit: float
) -> list[dict[str, Any]]:
    """Open a sheet to verify for each document that the rule takes."""
    found = []
    with events.database.write() as connection:
        done = collected(connection, project)
        for row in _working(connection, project):
            own = done.get(row.id, [])
            sheet = _adjudication(connection, row.id)
            agreeing, start = _taken(own, rule, least, limit)
            status = "too few"
            if sheet is not None:
                status = "gold" if sheet.done else "to verify"
            elif start is not None:
                records = papers.records_of(start, done=False)
                sheet_id = _begin(events, connection, row, user, records)
                status = "to verify"
            id = sheet.id if sheet is not None else sheet_id if status == "to verify" else None
            told = {"id": row.id, "name": row.name, "annotators": len(own)}
            found.append({**told, "agreeing": len(agreeing), "status": status, "sheet": id})
    return found


def _taken(
    own: list[Annotation], rule: str, least: int, limit: float
) -> tuple[list[Annotation], Document | None]:
    if rule == "majority":
        enough = len(own) >= least
        return own, majority([each.document for each in own]) if enough and own else None
    agreeing = most_alike(own, limit)
    return agreeing, agreeing[0].document if len(agreeing) >= least else None


def most_alike(own: list[Annotation], limit: float) -> list[Annotation]:
    """The largest set in which each pair is at least so similar, the most central one first.

    All sets are tried, so of more than `MOST` annotators the first ones are looked at.
    """
    own = own[:MOST]
    alike = {
        (a, b): similarity(own[a].document, own[b].document)
        for a, b in combinations(range(len(own)), 2)
    }
    for size in range(len(own), 0, -1):
        sets = [
            chosen
            for chosen in combinations(range(len(own)), size)
            if all(alike[pair] >= limit for pair in combinations(chosen, 2))
        ]
        if sets:
            return _central(own, alike, max(sets, key=lambda chosen: _sum(alike, chosen)))
    return []


def _sum(alike: dict[tuple[int, int], float], chosen: tuple[int, ...]) -> float:
    return sum(alike[pair] for pair in combinations(chosen, 2))


def _central(
    own: list[Annotation], alike: dict[tuple[int, int], float], chosen: tuple[int, ...]
) -> list[Annotation]:
    def mean(at: int) -> float:
        return sum(alike[min(at, other), max(at, other)] for other in chosen if other != at)

    return [own[at] for at in sorted(chosen, key=lambda at: -mean(at))]
