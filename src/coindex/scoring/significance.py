"""Is it chance? Intervals by the bootstrap, differences by two paired tests.

Documents are the units. All tests work on counts: a resampled corpus is a sum of
resampled rows, so ten thousand of them are one matrix product. The seed is fixed,
and stands in the signature with the number of resamples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coindex.arrays import Floats
from coindex.errors import UsageError
from coindex.scoring.run import Result, f1_of

RESAMPLES = 10_000
SEED = 1


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


def bootstrap_weights(documents: int, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """How often each document is drawn in each resample."""
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, documents, size=(resamples, documents))
    flat = (draws + np.arange(resamples)[:, None] * documents).ravel()
    counts = np.bincount(flat, minlength=resamples * documents)
    return counts.reshape(resamples, documents).astype(float)


def intervals(result: Result, resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, Interval]:
    """A 95 % interval for the F1 of each metric; none for a single document."""
    if len(result.documents) < 2:
        return {}
    weights = bootstrap_weights(len(result.documents), resamples, seed)
    totals = {name: weights @ rows for name, rows in result.counts.items()}
    return {metric: _interval(f1_of(metric, totals)) for metric in result.options.metrics}


def _interval(values: Floats) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(100 * float(low), 100 * float(high))


def compare(
    first: Result, second: Result, metric: str, resamples: int = RESAMPLES, seed: int = SEED
) -> Comparison:
    """Two responses to the same key, over the same documents."""
    if first.documents != second.documents:
        raise UsageError(f"{first.name} and {second.name} were scored on different documents")
    count = len(first.documents)
    observed = _difference(first, second, metric, np.ones((1, count)))[0]
    weights = bootstrap_weights(count, resamples, seed)
    drawn = _difference(first, second, metric, weights)
    shifted = np.sum(np.abs(drawn - drawn.mean()) >= abs(observed) - 1e-12)
    swapped = _swapped(first, second, metric, resamples, seed)
    extreme = np.sum(np.abs(swapped) >= abs(observed) - 1e-12)
    return Comparison(
        first.name,
        second.name,
        metric,
        100 * float(observed),
        float((extreme + 1) / (resamples + 1)),
        float((shifted + 1) / (resamples + 1)),
        _interval(drawn),
    )


def _difference(first: Result, second: Result, metric: str, weights: Floats) -> Floats:
    """The difference in F1 for each row of document weights."""
    sides = []
    for result in (first, second):
        totals = {name: weights @ rows for name, rows in result.counts.items()}
        sides.append(f1_of(metric, totals))
    return sides[0] - sides[1]


def _swapped(first: Result, second: Result, metric: str, resamples: int, seed: int) -> Floats:
    """Differences when each document's two outputs are exchanged at random."""
    rng = np.random.default_rng(seed)
    keep = rng.integers(0, 2, size=(resamples, len(first.documents))).astype(float)
    sides = []
    for a, b in ((first, second), (second, first)):
        totals = {
            name: keep @ rows + (1 - keep) @ b.counts[name] for name, rows in a.counts.items()
        }
        sides.append(f1_of(metric, totals))
    return sides[0] - sides[1]
