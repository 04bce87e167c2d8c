"""Responses scored against a key, compared and ranked: one run, to be shown in any style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from coindex import matching
from coindex.core.document import Document
from coindex.errors import UsageError
from coindex.scoring import tables
from coindex.scoring.align import Alignment, align
from coindex.scoring.grid import Grid
from coindex.scoring.run import CONLL, Options, Result, deciding, score_pairs
from coindex.scoring.significance import (
    RESAMPLES,
    SEED,
    Comparison,
    Interval,
    compare_all,
    intervals,
)


@dataclass(frozen=True)
class Settings:
    """What is scored, how, and what is shown of it.

    rules  matching rules; None for exact, or for exact, MINA and head spans if there
           are several responses to a key with trees
    """

    metrics: tuple[str, ...] = CONLL
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


class Report:
    """The results of one or more responses under one or more matching rules."""

    def __init__(
        self,
        key: Sequence[Document],
        responses: Mapping[str, Sequence[Document]],
        settings: Settings,
        repeated: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        if not responses:
            raise UsageError("expected a response to score, found none")
        self.settings = settings
        self.rules = settings.rules or _default_rules(key, len(responses))
        for rule in self.rules:
            matching.load(rule)
        self.sides: dict[str, Alignment] = {
            name: align(key, documents, zeros=settings.zeros, missing=settings.missing, name=name)
            for name, documents in responses.items()
        }
        known = repeated or {}
        self.results = {
            rule: [
                score_pairs(side, self._options(rule), name, known.get(name, (0, 0)))
                for name, side in self.sides.items()
            ]
            for rule in self.rules
        }

    def _options(self, rule: str) -> Options:
        each = self.settings
        return Options(each.metrics, rule, each.singletons, each.zeros, each.missing)

    @property
    def first(self) -> list[Result]:
        """The results under the first rule, which the tables are about."""
        return self.results[self.rules[0]]

    @cached_property
    def intervals(self) -> list[dict[str, Interval]]:
        """The intervals of each system."""
        return [intervals(r, self.settings.resamples, self.settings.seed) for r in self.first]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every pair of systems, if there are documents to resample."""
        if len(self.first) < 2 or len(self.first[0].documents) < 2:
            return []
        metric = deciding(self.settings.metrics)
        return compare_all(self.first, metric, self.settings.resamples, self.settings.seed)

    def grids(self) -> list[Grid]:
        """What to show, as tables."""
        draws = {"resamples": self.settings.resamples, "seed": self.settings.seed}
        if len(self.first) == 1:
            grids = [tables.score_grid(self.first[0], self.intervals[0], **draws)]
        else:
            grids = [tables.systems_grid(self.first, self.intervals, **draws)]
        if self.comparisons:
            grids.append(tables.comparison_grid(self.comparisons, **draws))
        if len(self.rules) > 1:
            names = dict.fromkeys([deciding(self.settings.metrics), "lea"])
            ranked = [name for name in names if name in self.settings.metrics]
            grids += [tables.ranking_grid(self.results, metric) for metric in ranked]
        for result in self.first:
            signature = f"Signature: {result.signature}"
            for grid in self._details(result):
                grids.append(replace(grid, notes=(*grid.notes, signature)))
        return grids

    def _details(self, result: Result) -> list[Grid]:
        grids = [tables.document_grid(result)] if self.settings.per_document else []
        if self.settings.by_type:
            from coindex.scoring import by_type

            title = f"{result.name}: by type of mention"
            counts = by_type.count_by_type(self.sides[result.name], result.options)
            grids.append(by_type.type_grid(counts, title))
        if self.settings.errors:
            from coindex.scoring import errors

            found = errors.find_errors(
                self.sides[result.name], result.options, examples=self.settings.examples
            )
            grids += [
                replace(grid, title=f"{result.name}: {grid.title}")
                for grid in errors.error_grids(found)
            ]
        return grids

    def json(self) -> dict[str, Any]:
        """What to show, for machines."""
        found: dict[str, Any] = {
            "signature": self.first[0].signature,
            "resamples": self.settings.resamples,
            "seed": self.settings.seed,
            "systems": [
                self._system(result, low_high)
                for result, low_high in zip(self.first, self.intervals, strict=True)
            ],
        }
        if len(self.rules) > 1:
            found["rules"] = {
                rule: [tables.result_json(r, {}) | {"signature": r.signature} for r in results]
                for rule, results in self.results.items()
            }
        if self.comparisons:
            found["comparisons"] = tables.comparisons_json(self.comparisons)
        return found

    def _system(self, result: Result, low_high: Mapping[str, Interval]) -> dict[str, Any]:
        system = tables.result_json(result, low_high) | {"signature": result.signature}
        side = self.sides[result.name]
        if self.settings.per_document:
            system["documents"] = [
                {"id": id} | tables.scores_json(result.document_scores(row))
                for row, id in enumerate(result.documents)
            ]
        if self.settings.by_type:
            from coindex.scoring import by_type

            scores = by_type.type_scores(by_type.count_by_type(side, result.options))
            system["by_type"] = {kind: tables.scores_json(each) for kind, each in scores.items()}
        if self.settings.errors:
            from coindex.scoring import errors

            examples = self.settings.examples
            report = errors.find_errors(side, result.options, examples=examples)
            system["errors"] = errors.error_json(report)
        return system


def _default_rules(key: Sequence[Document], responses: int) -> tuple[str, ...]:
    trees = all(document.parse is not None for document in key)
    return ("exact", "mina", "head") if responses > 1 and trees else ("exact",)
