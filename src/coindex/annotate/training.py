"""Training documents: an annotator's work against gold, with every difference in its place."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, select, update

from coindex.annotate import papers
from coindex.annotate.agreement import OPTIONS, PLAIN, defined, figures
from coindex.annotate.database import Database
from coindex.annotate.fail import Fail
from coindex.annotate.projection import load
from coindex.annotate.projects import DEFAULTS
from coindex.annotate.tables import sheets
from coindex.core.document import Document
from coindex.scoring.errors import find_errors
from coindex.scoring.run import Result, score_pairs


def check(database: Database, sheet: Row[Any]) -> dict[str, Any]:
    """Scores and differences, for one of a set number of looks."""
    if not sheet.training or sheet.gold is None:
        raise Fail(
            409, "no-gold", "this is no training document: there is nothing to check against"
        )
    allowed = int({**DEFAULTS, **sheet.settings}["looks"])
    with database.write() as connection:
        row = connection.execute(
            select(sheets.c.looks).where(sheets.c.id == sheet.id).with_for_update()
        ).one()
        if row.looks >= allowed:
            raise Fail(403, "looks", f"all {allowed} looks have been used")
        values = {"looks": row.looks + 1}
        connection.execute(update(sheets).where(sheets.c.id == sheet.id).values(**values))
        found = load(connection, sheet.id)
    own = papers.made(papers.document_of(sheet.body), found, notes=False)
    told = compare(papers.document_of(sheet.gold), own)
    return {**told, "looks": {"used": row.looks + 1, "allowed": allowed}}


def _score(result: Result, name: str) -> dict[str, float | None]:
    """A metric's score; nothing where neither side has anything that it counts."""
    if defined(result, name) is None:
        return {"recall": None, "precision": None, "f1": None}
    found = result.scores[name]
    return {"recall": found.recall, "precision": found.precision, "f1": found.f1}


def compare(gold: Document, own: Document) -> dict[str, Any]:
    """The scores of an annotation, and all its differences from gold."""
    result = score_pairs([(gold, own)], OPTIONS)
    scores = {name: _score(result, name) for name in PLAIN}
    scores["conll"] = {"recall": None, "precision": None, "f1": figures(result)["conll"]}
    most = len(gold.mentions) + len(own.mentions)
    report = find_errors([(gold, own)], OPTIONS, examples=most)
    differences: list[dict[str, Any]] = [
        {
            "kind": kind.error, "spans": [list(span) for span in each.spans], "words": each.words,
            "context": each.context,
            "pieces": [{"name": piece.name, "mentions": piece.mentions} for piece in each.pieces],
        }
        for kind in report.errors
        for each in kind.examples
    ]  # fmt: skip
    ordered = sorted(differences, key=lambda each: each["spans"])
    return {
        "scores": scores,
        "signature": f"{result.signature}|undefined:left-out",
        "differences": ordered,
    }
