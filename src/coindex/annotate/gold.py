"""From annotations to gold: the queue of adjudication, and the Quiz Bowl paper's rule.

The rule (Guha et al. 2015): a document is taken when at least four annotators are above a
set similarity, and is then verified. Here: the largest set of annotators each pair of which
is at least that similar (CoNLL F1); its most central member is what an adjudicator verifies.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate import adjudicate, papers
from coindex.annotate.adjudicate import Annotation
from coindex.annotate.agreement import similarity
from coindex.annotate.events import Events
from coindex.annotate.fail import Fail
from coindex.annotate.majority import majority
from coindex.annotate.projection import load
from coindex.annotate.tables import documents, sheets
from coindex.annotate.work import open_sheet
from coindex.core.document import Document

MOST = 12


def collected(connection: Connection, project: int) -> dict[int, list[Annotation]]:
    """The finished annotations of each document, under aliases."""
    made: dict[int, list[tuple[int, str, Document]]] = {}
    for sheet, document, found in papers.finished(connection, project):
        own = papers.made(papers.document_of(document.body), found, notes=False)
        made.setdefault(document.id, []).append((sheet.user, sheet.user_name, own))
    return {id: adjudicate.aliases(each, str(id)) for id, each in made.items()}


def waiting(connection: Connection, project: int) -> list[dict[str, Any]]:
    """Documents to adjudicate: those with two finished annotations or more."""
    done = collected(connection, project)
    rows = _working(connection, project)
    found = []
    for row in rows:
        own = done.get(row.id, [])
        sheet = _adjudication(connection, row.id)
        if len(own) < 2 and sheet is None:
            continue
        records = load(connection, sheet.id) if sheet else {}
        open_ = [each for each in adjudicate.disagreements(own, records) if not each["decided"]]
        status = "waiting" if sheet is None else "done" if sheet.done else "open"
        told = {"id": row.id, "name": row.name, "annotators": len(own)}
        id = sheet.id if sheet else None
        found.append({**told, "disagreements": len(open_), "sheet": id, "status": status})
    return found


def _working(connection: Connection, project: int) -> Any:
    wanted = (documents.c.project == project) & documents.c.training.is_(False)
    return connection.execute(select(documents).where(wanted).order_by(documents.c.position)).all()


def _adjudication(connection: Connection, document: int) -> Row[Any] | None:
    """The sheet of a document's adjudication: one a document, whoever opened it."""
    own = (sheets.c.document == document) & (sheets.c.purpose == "adjudicate")
    return connection.execute(select(sheets).where(own).order_by(sheets.c.id)).first()


def begin(events: Events, document: Row[Any], user: int) -> int:
    """The adjudication of a document, begun with what all agree on."""
    with events.database.write() as connection:
        found = _adjudication(connection, document.id)
        if found is not None and found.user != user:
            raise Fail(409, "taken", "somebody else has begun to adjudicate this document")
        if found is not None:
            return int(found.id)
        own = collected(connection, document.project).get(document.id, [])
        start = adjudicate.premerged([each.document for each in own])
        return _begin(events, connection, document, user, start)


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
