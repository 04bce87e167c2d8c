"""Scoring one response: counts for each document, sums, scores, a signature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from coindex import __version__, matching, metrics
from coindex.arrays import Floats, Identities, Table, table
from coindex.core.document import Document
from coindex.errors import UsageError

CONLL = ("muc", "b3", "ceafe", "conll")


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and F1 in percent; an average has only an F1."""

    recall: float | None
    precision: float | None
    f1: float
    counts: tuple[float, ...] = ()


@dataclass(frozen=True)
class Options:
    """What is scored and how: all that a number depends on."""

    metrics: tuple[str, ...] = CONLL
    match: str = "exact"
    singletons: str = "keep"
    zeros: str = "keep"
    missing: str = "error"

    def __post_init__(self) -> None:
        choices = (("singletons", "keep drop"), ("zeros", "keep drop"), ("missing", "error empty"))
        for name, allowed in choices:
            if getattr(self, name) not in allowed.split():
                wanted = " or ".join(allowed.split())
                raise UsageError(f"{name}: expected {wanted}, found {getattr(self, name)!r}")
        matching.load(self.match)
        for metric in self.metrics:
            metrics.load(metric)


@dataclass(frozen=True)
class Result:
    """The counts of one response, document by document, and what follows from them.

    counts     for each metric, a row for each document
    repeated   mentions left out as repeats, in the key and in the response
    merged     mentions of different entities that the matching rule made the same
    collapsed  mentions of one entity that the matching rule made the same
    absent     documents that the response, and that the key, did not have
    """

    name: str
    options: Options
    documents: tuple[str, ...]
    counts: dict[str, Floats]
    repeated: tuple[int, int] = (0, 0)
    merged: tuple[int, int] = (0, 0)
    collapsed: tuple[int, int] = (0, 0)
    absent: tuple[int, int] = (0, 0)

    @cached_property
    def scores(self) -> dict[str, Score]:
        """The score of each metric over all documents."""
        totals = {name: rows.sum(axis=0) for name, rows in self.counts.items()}
        return {metric: score_of(metric, totals) for metric in self.options.metrics}

    def document_scores(self, row: int) -> dict[str, Score]:
        """The scores of one document."""
        totals = {name: rows[row] for name, rows in self.counts.items()}
        return {metric: score_of(metric, totals) for metric in self.options.metrics}

    @property
    def signature(self) -> str:
        """All that the numbers depend on, in one line."""
        odd = [
            f"{name}:{one}+{two}"
            for name, (one, two) in (
                ("repeats-once", self.repeated),
                ("merged", self.merged),
                ("collapsed", self.collapsed),
                ("missing-empty", self.absent),
            )
            if one or two
        ]
        options = self.options
        parts = [
            "+".join(options.metrics),
            f"match:{options.match}",
            f"singletons:{options.singletons}",
            f"zeros:{options.zeros}",
            *odd,
            f"docs:{len(self.documents)}",
            f"v:{__version__}",
        ]
        return "|".join(parts)


def needed(names: Iterable[str]) -> tuple[str, ...]:
    """The metrics to count for these: averages are made of others."""
    found: dict[str, None] = {}
    for name in names:
        found.update(dict.fromkeys(getattr(metrics.load(name), "AVERAGE_OF", (name,))))
    return tuple(found)


def f1_of(metric: str, totals: dict[str, Floats]) -> Floats:
    """The F1 of a metric for any number of totals at once, as fractions."""
    parts = getattr(metrics.load(metric), "AVERAGE_OF", (metric,))
    scores = [metrics.load(part).score(totals[part])[..., 2] for part in parts]
    mean: Floats = np.mean(scores, axis=0)
    return mean


def score_of(metric: str, totals: dict[str, Floats]) -> Score:
    """The score of a metric for one set of totals, in percent."""
    module = metrics.load(metric)
    if hasattr(module, "AVERAGE_OF"):
        return Score(None, None, 100 * float(f1_of(metric, totals)))
    recall, precision, f1 = (100 * float(value) for value in module.score(totals[metric]))
    return Score(recall, precision, f1, tuple(map(float, totals[metric])))


def document_table(key: Document, response: Document, options: Options) -> Table:
    """The table of two documents under a matching rule."""
    of_key, of_response = matching.load(options.match).pair(key, response)
    least = 2 if options.singletons == "drop" else 1
    return table(
        [[of_key(m) for m in e.mentions] for e in key.entities if len(e) >= least],
        [[of_response(m) for m in e.mentions] for e in response.entities if len(e) >= least],
    )


def score_pairs(
    pairs: Iterable[tuple[Document, Document]],
    options: Options,
    name: str = "response",
    repeated: tuple[int, int] = (0, 0),
) -> Result:
    """Score documents that stand side by side.

    `repeated` counts mentions that readers already met twice in one entity.
    """
    sides = list(pairs)
    tables = [document_table(key, response, options) for key, response in sides]
    result = score_tables([key.key for key, _ in sides], tables, options, name)
    own, merged = list(repeated), [0, 0]
    for each, both in zip(tables, sides, strict=True):
        for side in (0, 1):
            plain = min(each.repeated[side], _repeats(both[side])) if each.repeated[side] else 0
            own[side] += plain
            merged[side] += each.repeated[side] - plain
    absent: tuple[int, int] = getattr(pairs, "absent", (0, 0))
    return replace(result, repeated=(own[0], own[1]), merged=(merged[0], merged[1]), absent=absent)


def _repeats(document: Document) -> int:
    """How many mentions have the tokens of another, of another entity."""
    mentions = document.mentions
    return len(mentions) - len({mention.spans for mention in mentions})


def deciding(names: Sequence[str]) -> str:
    """The metric that systems are ranked by: the CoNLL average, or the first one."""
    return "conll" if "conll" in names else names[0]


def score_sets(key: Identities, response: Identities, options: Options) -> Result:
    """Score plain entities: lists or sets of anything that can be compared."""
    least = 2 if options.singletons == "drop" else 1
    sides = [[list(entity) for entity in side if len(entity) >= least] for side in (key, response)]
    return score_tables(["sets"], [table(*sides)], options, "response")


def score_tables(
    documents: Sequence[str], tables: Sequence[Table], options: Options, name: str
) -> Result:
    """Count every metric over every table."""
    counts = {}
    for metric in needed(options.metrics):
        module = metrics.load(metric)
        counts[metric] = np.array([module.count(each) for each in tables])
    repeated, collapsed = (
        (
            sum(getattr(each, kind)[0] for each in tables),
            sum(getattr(each, kind)[1] for each in tables),
        )
        for kind in ("repeated", "collapsed")
    )
    return Result(name, options, tuple(documents), counts, repeated, collapsed=collapsed)
