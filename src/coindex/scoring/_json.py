"""Results for machines: scores in percent, unrounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coindex.scoring._compare import LEVEL, holm
from coindex.scoring.run import Result, Score
from coindex.scoring.significance import Comparison, Interval


def result_json(result: Result, intervals: Mapping[str, Interval]) -> dict[str, Any]:
    """`{"name": ..., "scores": {"muc": {"recall": ...}, ..., "conll": {"f1": ...}}}`."""
    return {"name": result.name, **scores_json(result.scores, intervals)}


def scores_json(
    scores: Mapping[str, Score], intervals: Mapping[str, Interval] | None = None
) -> dict[str, Any]:
    """`{"scores": ...}`; an average has an F1 only, an interval is there if it is known."""
    known = intervals or {}
    return {"scores": {metric: _score(each, known.get(metric)) for metric, each in scores.items()}}


def comparisons_json(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Differences with the p of both tests, corrected for their number, and the verdict."""
    decide = holm([max(each.randomization, each.bootstrap) for each in comparisons])
    found = []
    for each, p in zip(comparisons, decide, strict=True):
        row = comparison_json(each)
        row["p"]["holm"] = p
        found.append({**row, "significant": p < LEVEL})
    return found


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A difference, its interval and the p of both tests."""
    low, high = comparison.interval.low, comparison.interval.high
    return {
        "first": comparison.first,
        "second": comparison.second,
        "metric": comparison.metric,
        "difference": comparison.difference,
        "interval": [low, high],
        "p": {"randomization": comparison.randomization, "bootstrap": comparison.bootstrap},
    }


def _score(score: Score, interval: Interval | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if score.recall is not None and score.precision is not None:
        found |= {"recall": score.recall, "precision": score.precision}
    found["f1"] = score.f1
    if score.counts:
        found["counts"] = list(score.counts)
    if interval is not None:
        found["interval"] = [interval.low, interval.high]
    return found
