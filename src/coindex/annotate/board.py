"""The leaderboard: those who chose a name for it, by work done times agreement.

A document finished fast and carelessly is worth little: the score is the number of finished
documents, weighted by the mean agreement (CoNLL F1; for problems the share of the others
who said the same) with those who did the same documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate import papers
from coindex.annotate.agreement import agreement
from coindex.annotate.outgoing import judgements
from coindex.annotate.records import folder
from coindex.annotate.tables import users
from coindex.core.document import Document


def collected(connection: Connection, project: int) -> dict[str, dict[int, Document]]:
    """For each document's name what each annotator made of it; training is left out."""
    made: dict[str, dict[int, Document]] = {}
    for sheet, document, found in papers.finished(connection, project):
        if not document.training:
            own = papers.made(papers.document_of(document.body), found, notes=False)
            made.setdefault(document.name, {})[sheet.user] = own
    return made


def tally(connection: Connection, project: Row[Any]) -> dict[int, dict[str, Any]]:
    """What each person has done, and how far they agree with others."""
    done: Counter[int] = Counter()
    mentions: Counter[int] = Counter()
    for sheet, document, found in papers.finished(connection, project.id):
        if not document.training:
            done[sheet.user] += 1
            mentions[sheet.user] += len(folder(found, "mentions"))
    shares = _shares(connection, project)
    return {
        user: {"done": count, "mentions": mentions[user], "agreement": shares.get(user)}
        for user, count in done.items()
    }


def leaderboard(
    connection: Connection, tallied: Mapping[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of those who have a name for it now, the highest score first."""
    shown = select(users.c.id, users.c.shown_name).where(users.c.shown_name.is_not(None))
    rows = []
    for row in connection.execute(shown):
        own = tallied.get(row.id)
        if own is not None and row.shown_name:
            score = own["done"] * (own["agreement"] or 0.0) / 100
            rows.append({"shown_name": row.shown_name, **own, "score": round(score, 2)})
    return sorted(rows, key=lambda each: (-each["score"], each["shown_name"]))


def _shares(connection: Connection, project: Row[Any]) -> dict[int, float]:
    """Each person's agreement with the others, in percent."""
    if project.kind == "document":
        found = agreement(collected(connection, project.id))["by_annotator"]
        return {each["id"]: each["conll"] for each in found}
    same: defaultdict[int, list[float]] = defaultdict(list)
    for said in judgements(connection, project.id).values():
        for user, label in said:
            others = [other for who, other in said if who != user]
            if others:
                same[user].append(100 * others.count(label) / len(others))
    return {user: fmean(each) for user, each in same.items()}
