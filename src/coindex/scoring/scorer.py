"""Scoring one response: counts of each document, their sums, scores, a signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coindex import __version__
from coindex.errors import UsageError
from coindex.scoring import matching, metrics
from coindex.scoring.contingency import (
    REPEATS,
    ContingencyTable,
    Floats,
    Identities,
    contingency_table,
)
from coindex.scoring.counting import count_all, count_stacked
from coindex.scoring.table_stack import TableStack, stack

if TYPE_CHECKING:  # what documents need is imported when they are scored
    from pandas import DataFrame

    from coindex.types.document import Document

RELATIONS = ("identity", "discourse-deixis")
"""The relations that entities can be scored for; the first is the default."""


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and F1 in percent; an average has only an F1."""

    recall: float | None
    precision: float | None
    f1: float
    counts: tuple[float, ...] = ()


def default_metrics() -> tuple[str, ...]:
    """The CoNLL average, after the metrics that it averages."""
    return metrics.expand(metrics.DEFAULT)


CHOICES = {
    "singletons": ("keep", "drop"),
    "zeros": ("keep", "drop"),
    "missing": ("error", "empty"),
    "zero_match": ("linear", "dependent"),
    "repeats": REPEATS,
    "relation": RELATIONS,
    "split_antecedents": ("drop", "keep"),
    "extra_documents": ("error", "ignore"),
}
"""The values of the options that are a choice of few; the first is the default."""


@dataclass(frozen=True)
class ScoringOptions:
    """What is scored and how: all that a score depends on.

    zero_match  how zeros match: by their position, or first by their dependencies
    repeats     what is done with a mention of several entities (see `contingency`)
    relation    the relation whose entities are scored
    split_antecedents  whether split antecedents count (see `split_antecedents`)
    trees   what made the key's trees, if they were predicted
    """

    metrics: tuple[str, ...] = field(default_factory=default_metrics)
    match: str = "exact"
    singletons: str = "keep"
    zeros: str = "keep"
    missing: str = "error"
    zero_match: str = "linear"
    repeats: str = REPEATS[0]
    relation: str = RELATIONS[0]
    split_antecedents: str = "drop"
    extra_documents: str = "error"
    trees: str = ""

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                expected = " or ".join(allowed)
                raise UsageError(f"{name}: expected {expected}, found {getattr(self, name)!r}")
        if self.split_antecedents == "keep" and self.singletons == "drop":
            raise UsageError("split antecedents may be singletons: they need --singletons keep")
        matching.load(self.match)
        for metric in self.metrics:
            metrics.load(metric)


@dataclass(frozen=True)
class Result:
    """The counts of one response, document by document, and the scores that follow from them.

    counts     for each metric, one row per document
    repeated   mentions left out as repeats, in the key and in the response
    merged     mentions of different entities that are the same under the matching rule
    collapsed  mentions of one entity that are the same under the matching rule
    absent     documents missing from the response, and from the key
    ignored    documents that only the response has, left out on request
    """

    name: str
    options: ScoringOptions
    documents: tuple[str, ...]
    counts: dict[str, Floats]
    repeated: tuple[int, int] = (0, 0)
    merged: tuple[int, int] = (0, 0)
    collapsed: tuple[int, int] = (0, 0)
    absent: tuple[int, int] = (0, 0)
    ignored: int = 0

    @cached_property
    def scores(self) -> dict[str, Score]:
        """The score of each metric over all documents."""
        return self._scores({name: rows.sum(axis=0) for name, rows in self.counts.items()})

    def document_scores(self, row: int) -> dict[str, Score]:
        """The scores of one document."""
        return self._scores({name: rows[row] for name, rows in self.counts.items()})

    def _scores(self, totals: Mapping[str, Floats]) -> dict[str, Score]:
        return {metric: score_of(metric, totals) for metric in self.options.metrics}

    def to_pandas(self, table: str = "scores") -> DataFrame:
        """The scores, or those of each document, as a data frame: see `coindex.to_pandas`."""
        import coindex

        return coindex.to_pandas(self, table)

    @property
    def signature(self) -> str:
        """All that the scores depend on, in one line."""
        options = self.options
        irregular = {
            "repeats-once" if options.repeats == REPEATS[0] else "repeated": self.repeated,
            "merged": self.merged,
            "collapsed": self.collapsed,
            "missing-empty": self.absent,
        }
        parts = [
            "+".join(options.metrics),
            f"match:{matching.describe(options.match)}",
            f"singletons:{options.singletons}",
            f"zeros:{options.zeros}",
            *([f"zero-match:{options.zero_match}"] if options.zero_match != "linear" else []),
            *([f"relation:{options.relation}"] if options.relation != RELATIONS[0] else []),
            *(["split-antecedents:keep"] if options.split_antecedents == "keep" else []),
            *([f"repeats:{options.repeats}"] if options.repeats != REPEATS[0] else []),
            *([f"trees:{options.trees}"] if options.trees else []),
            *(f"{name}:{one}+{two}" for name, (one, two) in irregular.items() if one or two),
            *([f"extra-ignored:{self.ignored}"] if self.ignored else []),
            f"docs:{len(self.documents)}",
            f"v:{__version__}",
        ]
        return "|".join(parts)


def counted_metrics(names: Iterable[str]) -> tuple[str, ...]:
    """The metrics to count for these, each once: averages are replaced by their components."""
    return tuple(dict.fromkeys(part for name in names for part in metrics.components(name)))


def f1_of(metric: str, totals: Mapping[str, Floats]) -> Floats:
    """The F1 of a metric for any number of totals at once, as fractions."""
    parts = metrics.components(metric)
    scores = [metrics.load_counting(part).score(totals[part])[..., 2] for part in parts]
    mean: Floats = np.mean(scores, axis=0)
    return mean


def score_of(metric: str, totals: Mapping[str, Floats]) -> Score:
    """The score of a metric for one set of totals, in percent."""
    if metrics.load(metric).AVERAGE_OF:
        return Score(None, None, 100 * float(f1_of(metric, totals)))
    scores = metrics.load_counting(metric).score(totals[metric])
    recall, precision, f1 = (100 * float(value) for value in scores)
    return Score(recall, precision, f1, tuple(map(float, totals[metric])))


def document_contingency(
    key: Document, response: Document, options: ScoringOptions
) -> ContingencyTable:
    """The contingency table of two documents under a matching rule."""
    from coindex.scoring.identities import scored_pair
    from coindex.scoring.split_antecedents import split_table

    pair = scored_pair(key, response, options)
    if options.split_antecedents == "keep":
        return split_table(pair)
    return contingency_table(
        [[pair.of_key(m) for m in entity.mentions] for entity in pair.key.entities],
        [[pair.of_response(m) for m in entity.mentions] for entity in pair.response.entities],
        repeats=options.repeats,
        pair=pair,
    )


def score_pairs(
    pairs: Iterable[tuple[Document, Document]],
    options: ScoringOptions,
    name: str = "response",
    repeated: tuple[int, int] = (0, 0),
) -> Result:
    """Score pairs of documents.

    `repeated` counts the mentions that readers dropped because their entity had them twice.
    """
    from coindex.scoring.alignment import Alignment
    from coindex.scoring.anaphora import check_relation

    sides = list(pairs)
    check_relation([key for key, _ in sides], options.relation)
    tables = [document_contingency(key, response, options) for key, response in sides]
    result = score_contingencies([key.key for key, _ in sides], tables, options, name)
    repeats, merged = list(repeated), [0, 0]
    for table in tables:
        documents = (table.pair.key, table.pair.response) if table.pair else ()
        for side, document in enumerate(documents):
            if table.repeated[side]:
                own = min(table.repeated[side], _repeats(document))
                repeats[side] += own
                merged[side] += table.repeated[side] - own
    return replace(
        result,
        repeated=(repeats[0], repeats[1]),
        merged=(merged[0], merged[1]),
        absent=pairs.absent if isinstance(pairs, Alignment) else (0, 0),
        ignored=pairs.ignored if isinstance(pairs, Alignment) else 0,
    )


def _repeats(document: Document) -> int:
    """The number of mentions that have the tokens of a mention of another entity."""
    mentions = document.mentions
    return len(mentions) - len({mention.spans for mention in mentions})


def ranking_metric(names: Sequence[str]) -> str:
    """The metric that systems are ranked by: the first average, or the first metric."""
    return next((name for name in names if metrics.load(name).AVERAGE_OF), names[0])


def score_sets(
    key: Identities, response: Identities, options: ScoringOptions, name: str = "response"
) -> Result:
    """Score plain entities: lists or sets of anything that can be compared."""
    least = 2 if options.singletons == "drop" else 1
    one, two = (
        [list(entity) for entity in side if len(entity) >= least] for side in (key, response)
    )
    return score_contingencies(
        ["sets"], [contingency_table(one, two, repeats=options.repeats)], options, name
    )


def score_contingencies(
    documents: Sequence[str], tables: Sequence[ContingencyTable], options: ScoringOptions, name: str
) -> Result:
    """Count every metric over every contingency table."""
    stacked = stack(tables)
    names = counted_metrics(options.metrics)
    counts = {metric: count_all(metric, tables, stacked) for metric in names}
    repeated = _total([table.repeated for table in tables])
    collapsed = _total([table.collapsed for table in tables])
    return Result(name, options, tuple(documents), counts, repeated, collapsed=collapsed)


def score_stack(
    documents: Sequence[str], stacked: TableStack, options: ScoringOptions, name: str
) -> Result:
    """As `score_contingencies`, for tables without irregularities and metrics that count stacks."""
    names = counted_metrics(options.metrics)
    counts = {metric: count_stacked(metric, stacked) for metric in names}
    return Result(name, options, tuple(documents), counts)


def _total(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(one for one, _ in pairs), sum(two for _, two in pairs)
