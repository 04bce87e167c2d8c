"""Responses scored against a key, compared and ranked: one run, as tables or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from coindex.errors import UsageError
from coindex.scoring import matching, metrics, scorer
from coindex.scoring.significance import (
    LEVEL,
    RESAMPLES,
    SEED,
    Comparison,
    Interval,
    Intervals,
    compare_all,
    corrected_p,
    intervals,
)

if TYPE_CHECKING:  # what tables need is imported when they are made
    from coindex.report.table import Table
    from coindex.scoring.alignment import Alignment
    from coindex.scoring.error_analysis import ErrorReport
    from coindex.scoring.explanation import Explanation
    from coindex.scoring.scores_by_type import TypeCounts
    from coindex.types.document import Document


@dataclass(frozen=True)
class ScoreReportOptions:
    """What is scored, how, and what is shown of it.

    rules  matching rules; None for exact, or, for several responses to a key with trees, for
           the rules that rankings are shown for
    trees  the parser that made the key's trees, for the signature; empty if they are given
    explain  the name of a document to explain, or None
    """

    metrics: tuple[str, ...] = field(default_factory=scorer.default_metrics)
    rules: tuple[str, ...] | None = None
    singletons: str = "keep"
    zeros: str = "keep"
    missing: str = "error"
    resamples: int = RESAMPLES
    seed: int = SEED
    per_document: bool = False
    by_type: bool = False
    errors: bool = False
    examples: int = 5
    zero_match: str = "linear"
    repeats: str = "largest"
    relation: str = "identity"
    split_antecedents: str = "drop"
    extra_documents: str = "error"
    trees: str = ""
    explain: str | None = None

    def scoring(self, rule: str) -> scorer.ScoringOptions:
        """The options of scoring under one matching rule."""
        return scorer.ScoringOptions(
            self.metrics, rule, self.singletons, self.zeros, self.missing, self.zero_match,
            self.repeats, self.relation, self.split_antecedents, self.extra_documents, self.trees,
        )  # fmt: skip


class ScoreReport:
    """The results of one or more responses under one or more matching rules.

    results     the results of all responses under each rule
    alignments  the documents of each response with those of the key; none if nothing but their
                tables was read
    """

    def __init__(
        self,
        results: Mapping[str, list[scorer.Result]],
        options: ScoreReportOptions,
        alignments: Mapping[str, Alignment] | None = None,
    ) -> None:
        self.options = options
        self.rules = tuple(results)
        self.results = results
        self.alignments = alignments or {}

    @classmethod
    def of_documents(
        cls,
        key: Sequence[Document],
        responses: Mapping[str, Sequence[Document]],
        options: ScoreReportOptions,
        repeated: Mapping[str, tuple[int, int]] | None = None,
    ) -> ScoreReport:
        """Score responses against a key.

        `repeated` counts, for each response, the mentions of the key and of the response that
        readers dropped because their entity had them twice.
        """
        from coindex.scoring.alignment import align

        if not responses:
            raise UsageError("expected a response to score, found none")
        rules = options.rules or _default_rules(key, len(responses))
        for rule in rules:
            matching.load(rule)
        alignments = {
            name: align(
                key, documents, missing=options.missing, extra=options.extra_documents, name=name
            )
            for name, documents in responses.items()
        }
        known = repeated or {}
        results = {
            rule: [
                scorer.score_pairs(pairs, options.scoring(rule), name, known.get(name, (0, 0)))
                for name, pairs in alignments.items()
            ]
            for rule in rules
        }
        return cls(results, options, alignments)

    @property
    def first(self) -> list[scorer.Result]:
        """The results under the first rule, which most tables show."""
        return self.results[self.rules[0]]

    @cached_property
    def intervals(self) -> list[dict[str, Interval]]:
        """The intervals of each system."""
        return [intervals(r, self.options.resamples, self.options.seed) for r in self.first]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every pair of systems, if there are documents to resample."""
        if len(self.first) < 2 or len(self.first[0].documents) < 2:
            return []
        metric = scorer.ranking_metric(self.options.metrics)
        return compare_all(self.first, metric, self.options.resamples, self.options.seed)

    def tables(self) -> list[Table]:
        """The report as tables."""
        from coindex.report import score_tables
        from coindex.report.table import Note

        draws = {"resamples": self.options.resamples, "seed": self.options.seed}
        if len(self.first) == 1:
            tables = [score_tables.score_table(self.first[0], self.intervals[0], **draws)]
        else:
            tables = [score_tables.systems_table(self.first, self.intervals, **draws)]
        if self.comparisons:
            tables.append(score_tables.comparison_table(self.comparisons, **draws))
        if len(self.rules) > 1:
            names = self.options.metrics
            ranked = [
                scorer.ranking_metric(names),
                *(m for m in names if metrics.load(m).IN_RANKINGS),
            ]
            for metric in dict.fromkeys(ranked):
                tables.append(score_tables.ranking_table(self.results, metric))
        for result in self.first:
            signature = Note("signature", result.signature)
            for table in self._details(result):
                tables.append(replace(table, notes=(*table.notes, signature)))
        return tables

    def _score_details(self, result: scorer.Result) -> list[Table]:
        """The tables by document, by type of mention, and of errors that the options ask for."""
        from coindex.report import score_details  # it needs documents, which scores alone do not

        tables = [score_details.document_table(result)] if self.options.per_document else []
        if self.options.by_type:
            title = f"{result.name}: by type of mention"
            tables.append(score_details.type_table(self._by_type(result), title))
        if self.options.errors:
            for table in score_details.error_tables(self._errors(result)):
                tables.append(replace(table, title=f"{result.name}: {table.title}"))
        return tables

    def _details(self, result: scorer.Result) -> list[Table]:
        options = self.options
        tables: list[Table] = []
        if options.per_document or options.by_type or options.errors:
            tables += self._score_details(result)
        if found := self._explanation(result):
            from coindex.report.explanation_tables import explanation_tables

            tables += explanation_tables(found, result.name)
        return tables

    def _explanation(self, result: scorer.Result) -> Explanation | None:
        if self.options.explain is None:
            return None
        from coindex.scoring.explanation import explain, find_pair

        pair = find_pair(self.alignments[result.name].pairs, self.options.explain)
        return explain(pair, result.options)

    def _by_type(self, result: scorer.Result) -> TypeCounts:
        from coindex.scoring.scores_by_type import count_by_type

        return count_by_type(self.alignments[result.name], result.options)

    def _errors(self, result: scorer.Result) -> ErrorReport:
        from coindex.scoring.error_analysis import find_errors

        pairs = self.alignments[result.name]
        return find_errors(pairs, result.options, examples=self.options.examples)

    def json(self) -> dict[str, Any]:
        """The report as JSON values: scores in percent, unrounded."""
        report: dict[str, Any] = {
            "signature": self.first[0].signature,
            "resamples": self.options.resamples,
            "seed": self.options.seed,
            "systems": [
                self._system(result, known)
                for result, known in zip(self.first, self.intervals, strict=True)
            ],
        }
        if len(self.rules) > 1:
            report["rules"] = {
                rule: [_result_json(result, {}) for result in results]
                for rule, results in self.results.items()
            }
        if self.comparisons:
            report["comparisons"] = comparisons_json(self.comparisons)
        return report

    def _system(self, result: scorer.Result, known: Intervals) -> dict[str, Any]:
        system = _result_json(result, known)
        if self.options.per_document:
            system["documents"] = [
                {"id": id, "scores": scores_json(result.document_scores(row))}
                for row, id in enumerate(result.documents)
            ]
        if self.options.by_type:
            from coindex.scoring.scores_by_type import type_scores

            scores = type_scores(self._by_type(result))
            system["by_type"] = {
                kind: {"scores": scores_json(each)} for kind, each in scores.items()
            }
        if self.options.errors:
            from coindex.report import score_details

            system["errors"] = score_details.error_json(self._errors(result))
        if found := self._explanation(result):
            from coindex.report.explanation_tables import explanation_json

            system["explanation"] = explanation_json(found)
        return system


def _default_rules(key: Sequence[Document], responses: int) -> tuple[str, ...]:
    if responses > 1 and all(document.parse is not None for document in key):
        return tuple(rule for rule in matching.in_order() if matching.load(rule).IN_RANKINGS)
    return ("exact",)


def _result_json(result: scorer.Result, known: Intervals) -> dict[str, Any]:
    scores = scores_json(result.scores, known)
    return {"name": result.name, "scores": scores, "signature": result.signature}


def scores_json(
    scores: Mapping[str, scorer.Score], known: Intervals | None = None
) -> dict[str, dict[str, Any]]:
    """`{"muc": {"recall": ...}, ..., "conll": {"f1": ...}}`, with the intervals that are known.

    An average has an F1 only.
    """
    return {metric: _score_json(each, (known or {}).get(metric)) for metric, each in scores.items()}


def _score_json(score: scorer.Score, interval: Interval | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if score.recall is not None and score.precision is not None:
        values |= {"recall": score.recall, "precision": score.precision}
    values["f1"] = score.f1
    if score.counts:
        values["counts"] = list(score.counts)
    if interval is not None:
        values["interval"] = [interval.low, interval.high]
    return values


def comparisons_json(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Differences with their intervals, the p values of both tests and the verdict."""
    return [
        {
            "first": each.first,
            "second": each.second,
            "metric": each.metric,
            "difference": each.difference,
            "interval": [each.interval.low, each.interval.high],
            "p": {"randomization": each.randomization, "bootstrap": each.bootstrap, "holm": p},
            "significant": p < LEVEL,
        }
        for each, p in zip(comparisons, corrected_p(comparisons), strict=True)
    ]
