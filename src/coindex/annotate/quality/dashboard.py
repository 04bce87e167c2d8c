"""The dashboard of a project: finished work by day, time per document, agreement over time.

A document or item is finished when its last event was stored. Agreement is that of the
documents that several people have finished, on the day of the last of them: CoNLL F1, or for
problems the proportion of pairs of raters with the same label, both in percent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime, timezone
from itertools import accumulate, combinations
from statistics import fmean, median
from typing import Any

from sqlalchemy import Connection, Row, func, select

from coindex.annotate.exchange.export import judgements
from coindex.annotate.projects import annotators_per_document
from coindex.annotate.quality.agreement import agreement
from coindex.annotate.quality.leaderboard import finished_documents
from coindex.annotate.store.lifecycle import in_state
from coindex.annotate.store.tables import assignments, documents, events, users


def dashboard(connection: Connection, project: Row[Any], now: int) -> dict[str, Any]:
    """Return the figures of a project's dashboard."""
    rows = _work(connection, project.id)
    done = [row for row in rows if row.done]
    total = connection.execute(
        select(func.count()).where(
            (documents.c.project == project.id)
            & documents.c.training.is_(False)
            & in_state(documents)
        )
    ).scalar_one()
    late = sum(not row.done and row.deadline is not None and row.deadline < now for row in rows)
    return {
        "wanted": total * annotators_per_document(project), "done": len(done),
        "open": len(rows) - len(done), "late": late,
        "by_day": _by_day(done), "time": _times(done),
        "agreement": _agreement_by_day(connection, project, done),
    }  # fmt: skip


def _work(connection: Connection, project: int) -> list[Any]:
    """Return the assignments that are no training, each with the time of its last event."""
    last = (
        select(events.c.assignment, func.max(events.c.at).label("last"))
        .group_by(events.c.assignment)
        .subquery()
    )
    own = (documents.c.project == project) & documents.c.training.is_(False)
    own &= in_state(documents) & (assignments.c.purpose == "annotate")
    query = (
        select(
            assignments.c.id, assignments.c.document, assignments.c.user, assignments.c.done,
            assignments.c.spent, assignments.c.deadline, documents.c.name, documents.c.tokens,
            users.c.name.label("who"), func.coalesce(last.c.last, assignments.c.created).label("last"),
        )
        .join(documents, documents.c.id == assignments.c.document)
        .join(users, users.c.id == assignments.c.user)
        .join(last, last.c.assignment == assignments.c.id, isouter=True)
        .where(own)
    )  # fmt: skip
    return list(connection.execute(query).all())


def day_of(milliseconds: int) -> str:
    """Return the day of a time, in UTC, as 2026-11-18."""
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d")


def _by_day(done: list[Any]) -> list[dict[str, Any]]:
    counts = Counter(day_of(row.last) for row in done)
    days = sorted(counts)
    totals = accumulate(counts[day] for day in days)
    return [
        {"day": day, "done": counts[day], "total": total}
        for day, total in zip(days, totals, strict=True)
    ]


def _times(done: list[Any]) -> dict[str, Any]:
    """Return the seconds per document: of everybody, and of each annotator."""
    by_person: defaultdict[str, list[Any]] = defaultdict(list)
    for row in done:
        by_person[row.who].append(row)
    people = [
        {"name": name, "documents": len(own), **_seconds(own)}
        for name, own in sorted(by_person.items())
    ]
    return {**_seconds(done), "by_annotator": people}


def _seconds(rows: list[Any]) -> dict[str, Any]:
    spent = [row.spent / 1000 for row in rows if row.spent]  # what was imported has no time
    tokens = sum(row.tokens for row in rows)
    rate = 60_000 * tokens / total if tokens and (total := sum(row.spent for row in rows)) else None
    return {"median": median(spent) if spent else None, "total": sum(spent), "tokens_per_minute": rate}  # fmt: skip


def _agreement_by_day(
    connection: Connection, project: Row[Any], done: list[Any]
) -> list[dict[str, Any]]:
    """Return the mean agreement of the documents that were finished on each day."""
    last: dict[int, int] = {}
    names = {row.name: row.document for row in done}
    for row in done:
        last[row.document] = max(last.get(row.document, 0), row.last)
    by_day: defaultdict[str, list[float]] = defaultdict(list)
    for document, value in _agreement(connection, project, names).items():
        if document in last:
            by_day[day_of(last[document])].append(value)
    return [
        {"day": day, "documents": len(values), "agreement": fmean(values)}
        for day, values in sorted(by_day.items())
    ]


def _agreement(
    connection: Connection, project: Row[Any], names: Mapping[str, int]
) -> dict[int, float]:
    """Return the agreement of each document that several people have finished."""
    if project.kind == "document":
        rows = agreement(finished_documents(connection, project.id))["documents"]
        return {names[row["name"]]: row["conll"] for row in rows if row["name"] in names}
    values: dict[int, float] = {}
    for document, judged in judgements(connection, project.id).items():
        pairs = [one[1] == other[1] for one, other in combinations(judged, 2)]
        if pairs:
            values[document] = 100 * fmean(pairs)
    return values
