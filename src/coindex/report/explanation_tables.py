"""An explanation of one document's scores: the text with its mentions, and a table per metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coindex.report.explanation_html import text_html
from coindex.report.score_details import error_json, error_tables
from coindex.report.score_tables import metric_title
from coindex.report.table import Cell, Table, text_notes
from coindex.scoring import metrics
from coindex.scoring.explanation import ExplainedMention, ExplainedMetric, Explanation
from coindex.scoring.metrics.terms import Term
from coindex.scoring.scorer import score_of

_STATUS = {(True, True): "matched", (True, False): "missing", (False, True): "extra"}


def explanation_tables(found: Explanation, system: str) -> list[Table]:
    """The text, its mentions, the terms of each metric, and the errors."""
    title = f"{system}: {found.name}"
    tables = [_text_table(found, title), _mention_table(found, title)]
    tables += [_metric_table(found, metric, title) for metric in found.metrics]
    for table in error_tables(found.errors):
        tables.append(Table(f"{title}: {table.title}", table.columns, table.rows, table.notes))
    return tables


def status_of(mention: ExplainedMention) -> str:
    """Whether a mention is matched, missing from the response, or extra in it."""
    return _STATUS[mention.key is not None, mention.response is not None]


def label_of(mention: ExplainedMention) -> str:
    """The entities of a mention: `K1·R2`, `K1` or `R2`."""
    return "·".join(filter(None, (_name("K", mention.key), _name("R", mention.response))))


def _name(letter: str, entity: int | None) -> str:
    return "" if entity is None else f"{letter}{entity + 1}"


def _text_table(found: Explanation, title: str) -> Table:
    """The sentences with brackets; on a web page, the text with marked mentions."""
    opening, closing = _brackets(found.mentions)
    rows = []
    for number, span in enumerate(found.document.sentence_spans(), 1):
        words = (
            "".join(["[" * opening.get(at, 0), found.document.tokens[at], closing.get(at, "")])
            for at in range(span.start, span.end)
        )
        rows.append((str(number), " ".join(words)))
    notes = text_notes(
        "K: an entity of the key, R: of the response. A mention with both is matched; one with K"
        " only is missing from the response, one with R only is extra in it."
    )
    columns = ("sentence", "text")
    return Table(f"{title}: text", columns, tuple(rows), notes, page_body=text_html(found))


def _brackets(mentions: Sequence[ExplainedMention]) -> tuple[dict[int, int], dict[int, str]]:
    """How many brackets open before each token, and the brackets that close after it."""
    opening: dict[int, int] = {}
    closing: dict[int, str] = {}
    for mention in sorted(mentions, key=lambda each: -each.spans[0][0]):
        for start, end in mention.spans:
            opening[start] = opening.get(start, 0) + 1
            closing[end - 1] = closing.get(end - 1, "") + f"]{label_of(mention)}"
    return opening, closing


def _mention_table(found: Explanation, title: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in found.mentions:
        tokens = "+".join(f"{start}-{end}" for start, end in each.spans)
        key, response = (
            _entity(found.key, "K", each.key),
            _entity(found.response, "R", each.response),
        )
        rows.append(
            (each.words, tokens, each.kind, status_of(each), key, response, each.recall,
             each.precision)
        )  # fmt: skip
    columns = (
        "mention", "tokens", "kind", "status", "key entity", "response entity", "B³ recall",
        "B³ precision",
    )  # fmt: skip
    return Table(f"{title}: its mentions", columns, tuple(rows))


def _entity(names: Sequence[str], letter: str, entity: int | None) -> str:
    return "" if entity is None else f"{letter}{entity + 1} {names[entity]}"


def _metric_table(found: Explanation, metric: ExplainedMetric, title: str) -> Table:
    """A row for each term, and their sum."""
    names = metrics.load_counting(metric.name).COUNTS
    whole = [
        all(float(term.counts[at]).is_integer() for term in metric.terms)
        for at in range(len(names))
    ]
    rows: list[tuple[Cell, ...]] = [
        (_term(found, term), term.detail, *_cells(term.counts, whole)) for term in metric.terms
    ]
    totals = zip(metric.counts, whole, strict=True)
    rows.append(("sum", "", *(int(value) if exact else value for value, exact in totals)))
    score = score_of(metric.name, {metric.name: np.array(metric.counts)})
    notes = text_notes(
        f"recall {score.recall:.2f}, precision {score.precision:.2f}, F1 {score.f1:.2f}"
        " in this document"
    )
    marked = frozenset((len(rows) - 1, column) for column in range(2, 2 + len(names)))
    heading = f"{title}: {metric_title(metric.name)}"
    return Table(heading, ("term", "how", *names), tuple(rows), notes, marked)


def _cells(counts: Sequence[float], whole: Sequence[bool]) -> list[Cell]:
    """Counts as cells; zeros are left out, except beside a total."""
    cells: list[Cell] = []
    for at, (value, exact) in enumerate(zip(counts, whole, strict=True)):
        beside = len(counts) == 4 and at % 2 == 0 and counts[at + 1]
        shown = value or beside
        cells.append((int(value) if exact else float(value)) if shown else None)
    return cells


def _term(found: Explanation, term: Term) -> str:
    key, response = _entity(found.key, "K", term.key), _entity(found.response, "R", term.response)
    return " · ".join(filter(None, (key, response))) or "document"


def explanation_json(found: Explanation) -> dict[str, Any]:
    """The explanation as plain values; entities are numbered from 1, as in K1 and R1."""
    return {
        "document": found.name,
        "entities": {"key": list(found.key), "response": list(found.response)},
        "mentions": [_mention_json(each) for each in found.mentions],
        "metrics": {
            metric.name: {
                "counts": _named(metric, metric.counts),
                "terms": [
                    {
                        "key": _number(term.key),
                        "response": _number(term.response),
                        "counts": list(term.counts),
                        "detail": term.detail,
                    }
                    for term in metric.terms
                ],
            }
            for metric in found.metrics
        },
        "errors": error_json(found.errors),
    }


def _mention_json(mention: ExplainedMention) -> dict[str, Any]:
    return {
        "spans": [list(span) for span in mention.spans],
        "words": mention.words,
        "kind": mention.kind,
        "status": status_of(mention),
        "key": _number(mention.key),
        "response": _number(mention.response),
        "b3": {"recall": mention.recall, "precision": mention.precision},
    }


def _named(metric: ExplainedMetric, counts: Sequence[float]) -> list[dict[str, Any]]:
    names = metrics.load_counting(metric.name).COUNTS
    return [{"name": name, "value": value} for name, value in zip(names, counts, strict=True)]


def _number(entity: int | None) -> int | None:
    return None if entity is None else entity + 1
