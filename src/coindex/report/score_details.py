"""Tables of one system in detail: scores by document and by type of mention, errors."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from coindex.report.score_tables import irregularities, metric_title, signatures
from coindex.report.table import Cell, Note, Table, pluralize, text_notes
from coindex.scoring import metrics
from coindex.scoring.error_analysis import ErrorCount, ErrorReport
from coindex.scoring.metrics.ratio import MENTIONS
from coindex.scoring.scorer import Result, f1_of, ranking_metric
from coindex.scoring.scores_by_type import METRICS, TypeCounts, type_scores
from coindex.text.mention_classes import KINDS


def document_table(result: Result) -> Table:
    """One row per document, the worst first."""
    names = result.options.metrics
    values = {metric: 100 * f1_of(metric, result.counts) for metric in names}
    main = values[ranking_metric(names)]
    mentions = _mention_counts(result)
    rows: list[tuple[Cell, ...]] = []
    empty = 0
    for at in sorted(range(len(result.documents)), key=lambda at: float(main[at])):
        sizes = [] if mentions is None else mentions[at]
        empty += sizes == [0, 0]
        rows.append((result.documents[at], *(float(values[m][at]) for m in names), *sizes))
    notes: tuple[Note, ...] = ()
    if empty:
        none = "with no mention on either side: nothing over nothing is scored as 0."
        notes = text_notes(f"{pluralize(empty, 'document')} {none}")
    return Table(
        f"F1 in each document, {result.name}",
        ("document", *map(metric_title, names), *(() if mentions is None else MENTIONS)),
        tuple(rows),
        (*notes, *irregularities([result]), *signatures([result])),
    )


def _mention_counts(result: Result) -> list[list[int]] | None:
    """The mentions of key and response in each document, if a metric counts them."""
    for metric, counts in result.counts.items():
        named = metrics.load_counting(metric).COUNTS
        if set(MENTIONS) <= set(named):
            return [[int(row[named.index(name)]) for name in MENTIONS] for row in counts]
    return None


def type_table(counts: TypeCounts, title: str) -> Table:
    """One row per type of mention, and one for all mentions."""
    every = {metric: np.sum([counts[kind][metric] for kind in KINDS], axis=0) for metric in METRICS}
    shown: TypeCounts = {**counts, "all": every}
    rows: list[tuple[Cell, ...]] = []
    for name, scores in type_scores(shown).items():
        sizes = (int(shown[name]["mentions"][index]) for index in (1, 3))
        each = (scores[metric] for metric in METRICS)
        rows.append((name, *sizes, *(v for s in each for v in (s.recall, s.precision, s.f1))))
    parts = tuple(f"{metric} {part}" for metric in ("mention", "B³") for part in ("R", "P", "F1"))
    notes = text_notes(
        "Types are judged on the key's words and tags; the groups add up to the pronouns."
    )
    return Table(title, ("type", "key", "response", *parts), tuple(rows), notes)


def error_tables(report: ErrorReport) -> list[Table]:
    """A table of all counts, then one of examples for each type of error that occurs."""
    rows: list[tuple[Cell, ...]] = [
        (each.error, each.count, each.entities, *(each.by_kind[kind] for kind in KINDS))
        for each in report.errors
    ]
    columns = ("error", "count", "places", *KINDS)
    notes = text_notes(
        f"{report.matched} of {report.key_mentions} key and {report.response_mentions} response"
        f" mentions match, in {report.documents} documents.",
        "An entity in n pieces counts n - 1 times as divided or conflated, and is one place.",
    )
    tables = [Table("errors", columns, tuple(rows), notes)]
    return tables + [_example_table(each) for each in report.errors if each.examples]


def _example_table(counted: ErrorCount) -> Table:
    divided = any(example.pieces for example in counted.examples)
    rows: list[tuple[Cell, ...]] = []
    for each in counted.examples:
        tokens = "+".join(f"{start}-{end}" for start, end in each.spans)
        row: tuple[Cell, ...] = (each.document, tokens, each.kind, each.context)
        parts = " | ".join(f"{part.name} ({part.mentions})" for part in each.pieces)
        rows.append((*row, parts) if divided else row)
    columns = ("document", "tokens", "kind", "in context")
    return Table(
        f"{counted.error}: {len(rows)} of {counted.entities}",
        (*columns, "pieces") if divided else columns,
        tuple(rows),
    )


def error_json(report: ErrorReport) -> dict[str, object]:
    """The report as plain values; errors by name, with `_` for the space."""
    values = asdict(report)
    values["errors"] = {each.pop("error").replace(" ", "_"): each for each in values["errors"]}
    return values
