"""Training: how annotators do on documents with gold, in figures and in words.

A project may ask for a mean CoNLL F1 (`training_score`) before an annotator gets documents that
are no training. Who does not reach it may correct their training documents, or be let pass by
a manager.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate.exchange import conversion
from coindex.annotate.projects import settings_of
from coindex.annotate.quality.accuracy_check import compare
from coindex.annotate.store.tables import members, users

SHOWN = 40
"""How many mistakes of one document are listed."""


def training_results(connection: Connection, project: Row[Any]) -> list[dict[str, Any]]:
    """Return for each member their finished training documents, score and mistakes."""
    wanted = settings_of(project).training_score
    people = connection.execute(
        select(users.c.id, users.c.name, members.c.passed)
        .join(members, members.c.user == users.c.id)
        .where(members.c.project == project.id)
        .order_by(users.c.name)
    ).all()
    checked = _checked_documents(connection, project.id)
    total = len(_training_documents(connection, project.id))
    rows = []
    for person in people:
        own = checked.get(person.id, [])
        score = fmean(each["score"] for each in own) if own else None
        reached = total == len(own) and (score is None or score >= wanted)
        named = {"user": person.id, "name": person.name, "done": len(own), "of": total}
        passed = reached or not wanted or person.passed is not None
        rows.append({**named, "score": score, "passed": passed, "let_pass": person.passed,
                     "documents": own})  # fmt: skip
    return rows


def _training_documents(connection: Connection, project: int) -> list[Row[Any]]:
    return [
        row
        for row in conversion.project_documents(connection, project)
        if row.training and row.gold is not None
    ]


def _checked_documents(
    connection: Connection, project: int, user: int | None = None
) -> dict[int, list[dict[str, Any]]]:
    """Return the finished training documents of each person, compared with gold."""
    by_person: dict[int, list[dict[str, Any]]] = {}
    for assignment, document, annotation in conversion.finished_annotations(connection, project):
        if not document.training or document.gold is None or user not in (None, assignment.user):
            continue
        result = compare(conversion.parse_document(document.gold), annotation)
        mistakes = [each["says"] for each in result["differences"]]
        by_person.setdefault(assignment.user, []).append({
            "sheet": assignment.id, "name": document.name, "mistakes": mistakes[:SHOWN],
            "more": max(0, len(mistakes) - SHOWN), "score": result["scores"]["conll"]["f1"],
            "looks": assignment.accuracy_checks,
        })  # fmt: skip
    return by_person


def training_refusal(connection: Connection, project: Row[Any], user: int) -> str | None:
    """Return why somebody gets no documents but those of the training; None if they may."""
    wanted = settings_of(project).training_score
    if not wanted or project.kind != "document":
        return None
    member = (members.c.project == project.id) & (members.c.user == user)
    if connection.execute(select(members.c.passed).where(member)).scalar() is not None:
        return None
    if not _training_documents(connection, project.id):
        return None
    own = _checked_documents(connection, project.id, user).get(user, [])
    score = fmean(each["score"] for each in own) if own else 0.0
    if score >= wanted:
        return None
    return (
        f"Your training documents agree with gold by {score:.0f} of 100; this project asks for"
        f" {wanted}. Open them again and correct them, or ask a manager to let you pass."
    )
