"""The leaderboard: annotators who have chosen a display name, by work and agreement.

The score is the number of finished documents, multiplied by the mean agreement with others
on the same documents (CoNLL F1; for problems the proportion of others with the same label).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.export import judgements
from coindex.annotate.quality.agreement import agreement
from coindex.annotate.store.records import records_in
from coindex.annotate.store.tables import users
from coindex.types.document import Document


def finished_documents(connection: Connection, project: int) -> dict[str, dict[int, Document]]:
    """Return the annotations by document name and annotator; training is left out."""
    by_name: dict[str, dict[int, Document]] = {}
    for assignment, document, annotation in conversion.finished_annotations(connection, project):
        if not document.training:
            by_name.setdefault(document.name, {})[assignment.user] = annotation
    return by_name


def tally_work(connection: Connection, project: Row[Any]) -> dict[int, dict[str, Any]]:
    """Return for each annotator the amount of work and the agreement with others."""
    done: Counter[int] = Counter()
    mentions: Counter[int] = Counter()
    for assignment, document, records in conversion.finished_assignments(connection, project.id):
        if not document.training:
            done[assignment.user] += 1
            mentions[assignment.user] += len(records_in(records, "mentions"))
    agreed = _agreement_by_annotator(connection, project)
    return {
        user: {"done": count, "mentions": mentions[user], "agreement": agreed.get(user)}
        for user, count in done.items()
    }


def leaderboard(
    connection: Connection, tallied: Mapping[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the rows of those with a display name, the highest score first."""
    shown = select(users.c.id, users.c.shown_name).where(users.c.shown_name.is_not(None))
    rows = []
    for row in connection.execute(shown):
        own = tallied.get(row.id)
        if own is not None and row.shown_name:
            score = own["done"] * (own["agreement"] or 0.0) / 100
            rows.append({"shown_name": row.shown_name, **own, "score": round(score, 2)})
    return sorted(rows, key=lambda each: (-each["score"], each["shown_name"]))


def _agreement_by_annotator(connection: Connection, project: Row[Any]) -> dict[int, float]:
    """Return each annotator's agreement with the others, in percent."""
    if project.kind == "document":
        rows = agreement(finished_documents(connection, project.id))["by_annotator"]
        return {each["id"]: each["conll"] for each in rows}
    same: defaultdict[int, list[float]] = defaultdict(list)
    for judged in judgements(connection, project.id).values():
        for user, label in judged:
            others = [other for who, other in judged if who != user]
            if others:
                same[user].append(100 * others.count(label) / len(others))
    return {user: fmean(each) for user, each in same.items()}
