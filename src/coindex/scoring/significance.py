"""Is it chance? Intervals by the bootstrap, differences by two paired tests.

Documents are the units. All tests work on counts: a resampled corpus is a sum of
resampled rows, so ten thousand of them are one matrix product (or a few, for a
corpus of very many documents). The seed is fixed; reports give it with the number
of resamples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from coindex.arrays import Floats
from coindex.errors import UsageError
from coindex.scoring.run import Result, f1_of, needed

RESAMPLES = 10_000
SEED = 1
CELLS = 5_000_000
"""The most documents times resamples at once: 40 MB."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of an F1, in percent."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two responses in one metric, and how likely it is chance.

    difference      F1 of the first less F1 of the second, in points
    randomization   p of paired approximate randomization (two-sided)
    bootstrap       p of the paired bootstrap (two-sided)
    interval        the 95 % interval of the difference
    """

    first: str
    second: str
    metric: str
    difference: float
    randomization: float
    bootstrap: float
    interval: Interval


def bootstrap_weights(documents: int, resamples: int, rng: np.random.Generator) -> Floats:
    """How often each document is drawn in each resample."""
    draws = rng.integers(0, documents, size=(resamples, documents))
    flat = (draws + np.arange(resamples)[:, None] * documents).ravel()
    counts = np.bincount(flat, minlength=resamples * documents)
    return counts.reshape(resamples, documents).astype(float)


def _chunks(documents: int, resamples: int) -> Iterator[int]:
    """The resamples in portions that fit into memory, however many documents there are."""
    most = max(1, CELLS // max(documents, 1))
    for done in range(0, resamples, most):
        yield min(most, resamples - done)


def bootstrap(
    result: Result, names: Sequence[str], resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Floats]:
    """The F1 of metrics over resampled documents, as fractions; the same draws for all systems."""
    rng = np.random.default_rng(seed)
    parts: dict[str, list[Floats]] = {name: [] for name in names}
    for size in _chunks(len(result.documents), resamples):
        weights = bootstrap_weights(len(result.documents), size, rng)
        totals = {name: weights @ rows for name, rows in result.counts.items()}
        for name in names:
            parts[name].append(f1_of(name, totals))
    return {name: np.concatenate(found) for name, found in parts.items()}


def intervals(result: Result, resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, Interval]:
    """A 95 % interval for the F1 of each metric; none for a single document."""
    if len(result.documents) < 2:
        return {}
    drawn = bootstrap(result, result.options.metrics, resamples, seed)
    return {metric: _interval(values) for metric, values in drawn.items()}


def _interval(values: Floats) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(100 * float(low), 100 * float(high))


def compare(
    first: Result, second: Result, metric: str, resamples: int = RESAMPLES, seed: int = SEED
) -> Comparison:
    """Two responses to the same key, over the same documents."""
    return compare_all([first, second], metric, resamples, seed)[0]


def compare_all(
    results: Sequence[Result], metric: str, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Comparison]:
    """Every pair of responses; each is resampled once."""
    for result in results[1:]:
        if result.documents != results[0].documents:
            names = f"{results[0].name} and {result.name}"
            raise UsageError(f"{names} were scored on different documents")
    drawn = [bootstrap(result, [metric], resamples, seed)[metric] for result in results]
    found = []
    for (first, one), (second, two) in combinations(zip(results, drawn, strict=True), 2):
        observed = (first.scores[metric].f1 - second.scores[metric].f1) / 100
        difference = one - two
        swapped = _swapped(first, second, metric, resamples, seed)
        found.append(
            Comparison(
                first.name,
                second.name,
                metric,
                100 * observed,
                _p(swapped, observed),
                _p(difference - difference.mean(), observed),
                _interval(difference),
            )
        )
    return found


def _p(values: Floats, observed: float) -> float:
    """How often a difference as great as the observed one comes about by chance."""
    extreme = np.sum(np.abs(values) >= abs(observed) - 1e-12)
    return float((extreme + 1) / (len(values) + 1))


def _swapped(first: Result, second: Result, metric: str, resamples: int, seed: int) -> Floats:
    """Differences when each document's two outputs are exchanged at random."""
    rng = np.random.default_rng(seed)
    needed_counts = needed([metric])
    sums = {name: (first.counts[name].sum(0), second.counts[name].sum(0)) for name in needed_counts}
    parts = []
    for size in _chunks(len(first.documents), resamples):
        keep = rng.integers(0, 2, size=(size, len(first.documents))).astype(float)
        moved = {name: keep @ (first.counts[name] - second.counts[name]) for name in needed_counts}
        one = f1_of(metric, {name: sums[name][1] + moved[name] for name in needed_counts})
        two = f1_of(metric, {name: sums[name][0] - moved[name] for name in needed_counts})
        parts.append(one - two)
    return np.concatenate(parts)
