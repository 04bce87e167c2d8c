"""Accuracy checks: an annotator's training document compared with gold, with all differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, select, update

from coindex.annotate.errors import ApiError
from coindex.annotate.exchange.conversion import annotated_document, parse_document
from coindex.annotate.projects import settings_of
from coindex.annotate.quality.agreement import OPTIONS, PLAIN, defined_f1, figures
from coindex.annotate.store.database import Database
from coindex.annotate.store.events import load_records
from coindex.annotate.store.tables import assignments
from coindex.scoring.error_analysis import find_errors
from coindex.scoring.scorer import Result, score_pairs
from coindex.types.document import Document


def check_accuracy(database: Database, assignment: Row[Any]) -> dict[str, Any]:
    """Return scores and differences; a project limits the number of checks."""
    if not assignment.training or assignment.gold is None:
        message = "this is not a training document: there is no gold to compare it with"
        raise ApiError(409, "no-gold", message)
    allowed = settings_of(assignment).accuracy_checks
    own = assignments.c.id == assignment.id
    with database.write() as connection:
        query = select(assignments.c.accuracy_checks).where(own).with_for_update()
        used = connection.execute(query).scalar_one()
        if used >= allowed:
            raise ApiError(403, "looks", f"all {allowed} accuracy checks have been used")
        connection.execute(update(assignments).where(own).values(accuracy_checks=used + 1))
        records = load_records(connection, assignment.id)
    annotated = annotated_document(parse_document(assignment.body), records, notes=False)
    result = compare(parse_document(assignment.gold), annotated)
    return {**result, "looks": {"used": used + 1, "allowed": allowed}}


def _score(result: Result, name: str) -> dict[str, float | None]:
    """Return the scores of a metric; None where it is undefined."""
    if defined_f1(result, name) is None:
        return {"recall": None, "precision": None, "f1": None}
    score = result.scores[name]
    return {"recall": score.recall, "precision": score.precision, "f1": score.f1}


def compare(gold: Document, annotated: Document) -> dict[str, Any]:
    """Return the scores of an annotation, and all its differences from gold."""
    result = score_pairs([(gold, annotated)], OPTIONS)
    scores = {name: _score(result, name) for name in PLAIN}
    scores["conll"] = {"recall": None, "precision": None, "f1": figures(result)["conll"]}
    most = len(gold.mentions) + len(annotated.mentions)
    report = find_errors([(gold, annotated)], OPTIONS, examples=most)
    differences: list[dict[str, Any]] = [
        {
            "kind": kind.error, "spans": [list(span) for span in each.spans], "words": each.words,
            "context": each.context,
            "pieces": [{"name": piece.name, "mentions": piece.mentions} for piece in each.pieces],
        }
        for kind in report.errors
        for each in kind.examples
    ]  # fmt: skip
    for each in differences:
        each["says"] = mistake_in_words(each)
    return {
        "scores": scores,
        "signature": f"{result.signature}|undefined:left-out",
        "differences": sorted(differences, key=lambda each: each["spans"]),
    }


def mistake_in_words(difference: Mapping[str, Any]) -> str:
    """Return a difference from gold as a sentence for its annotator."""
    words = f"“{difference['words']}”"
    parts = " and ".join(f"“{part['name']}”" for part in difference["pieces"][:4])
    return {
        "missing mention": f"you missed {words}",
        "extra mention": f"{words} should not be marked",
        "missing entity": f"you missed everything about {words}",
        "extra entity": f"the group of {words} should not be there",
        "divided": f"{words} is one group, which you divided: {parts}",
        "conflated": f"your group of {words} mixes several: {parts}",
    }.get(difference["kind"], f"{difference['kind']}: {words}")
