"""Statistical significance: bootstrap intervals, and two paired tests of differences.

Documents are resampled. All tests work on counts: a resampled corpus is a sum of resampled
rows, so ten thousand of them are one matrix product (or a few, for a corpus of very many
documents). The seed is fixed; reports state it with the number of resamples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from coindex.errors import UsageError
from coindex.scoring.contingency import Floats
from coindex.scoring.scorer import Result, counted_metrics, f1_of

RESAMPLES = 10_000
SEED = 1
LEVEL = 0.05
"""The significance level."""

CELLS = 80_000
"""The maximum number of documents times resamples in one batch, so that it stays in the cache."""

STACK = 20
"""The resamples of one matrix product: BLAS starts threads for larger ones, which cost more."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of an F1, in percent."""

    low: float
    high: float


Intervals = Mapping[str, Interval]
"""The interval of each metric."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two responses in one metric, and its p values.

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
    """The number of times each document is drawn in each resample."""
    draws = rng.integers(0, documents, size=(resamples, documents))
    draws += np.arange(resamples)[:, None] * documents
    counts = np.bincount(draws.ravel(), minlength=resamples * documents)
    return counts.reshape(resamples, documents).astype(float)


def _batches(documents: int, resamples: int) -> Iterator[int]:
    """The sizes of batches of resamples that fit into memory."""
    size = max(1, CELLS // max(documents, 1))
    for done in range(0, resamples, size):
        yield min(size, resamples - done)


def bootstrap(
    result: Result, names: Sequence[str], resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Floats]:
    """The F1 of metrics over resampled documents, as fractions.

    The same resamples are drawn for all systems with the same number of documents.
    """
    rng = np.random.default_rng(seed)
    counted = counted_metrics(names)
    rows = np.concatenate([result.counts[name] for name in counted], axis=1)
    products = np.empty((resamples, rows.shape[1]))
    done = 0
    for size in _batches(len(result.documents), resamples):
        weights = bootstrap_weights(len(result.documents), size, rng)
        _products(weights, rows, products[done : done + size])
        done += size
    borders = np.cumsum([result.counts[name].shape[1] for name in counted])[:-1]
    columns = np.split(products, borders, axis=1)
    totals = dict(zip(counted, columns, strict=True))
    return {name: f1_of(name, totals) for name in names}


def _products(weights: Floats, rows: Floats, products: Floats | None = None) -> Floats:
    """The matrix product, in stacks of small matrices; it is stored in `products` if given."""
    if products is None:
        products = np.empty((len(weights), rows.shape[1]))
    even = len(weights) // STACK * STACK
    stacks = even // STACK, STACK
    stacked = weights[:even].reshape(*stacks, weights.shape[1])
    np.matmul(stacked, rows, out=products[:even].reshape(*stacks, rows.shape[1]))
    np.matmul(weights[even:], rows, out=products[even:])
    return products


def intervals(result: Result, resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, Interval]:
    """The 95 % interval of the F1 of each metric; empty for a single document."""
    if len(result.documents) < 2:
        return {}
    resampled = bootstrap(result, result.options.metrics, resamples, seed)
    return {metric: _interval(values) for metric, values in resampled.items()}


def _interval(values: Floats) -> Interval:
    borders = LEVEL / 2, 1 - LEVEL / 2
    last = len(values) - 1
    needed = [min(int(last * border) + more, last) for border in borders for more in (0, 1)]
    ordered = np.partition(values, needed)
    low, high = (100 * _quantile(ordered, border) for border in borders)
    return Interval(low, high)


def _quantile(ordered: Floats, fraction: float) -> float:
    """A quantile by linear interpolation, as `np.percentile` has it without its imports.

    Only the values beside it need to be in their places.
    """
    at, rest = divmod((len(ordered) - 1) * fraction, 1)
    low, high = (float(ordered[min(int(at) + more, len(ordered) - 1)]) for more in (0, 1))
    return low + (high - low) * rest if rest < 0.5 else high - (high - low) * (1 - rest)


def compare_all(
    results: Sequence[Result], metric: str, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Comparison]:
    """Comparisons of every pair of responses; each response is resampled once."""
    for result in results[1:]:
        if result.documents != results[0].documents:
            names = f"{results[0].name} and {result.name}"
            raise UsageError(f"{names} were scored on different documents")
    resampled = [bootstrap(result, [metric], resamples, seed)[metric] for result in results]
    comparisons = []
    for (first, one), (second, two) in combinations(zip(results, resampled, strict=True), 2):
        observed = (first.scores[metric].f1 - second.scores[metric].f1) / 100
        difference = one - two
        swapped = _swapped(first, second, metric, resamples, seed)
        comparisons.append(
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
    return comparisons


def _p(values: Floats, observed: float) -> float:
    """The fraction of values at least as extreme as the observed difference."""
    extreme = np.sum(np.abs(values) >= abs(observed) - 1e-12)
    return float((extreme + 1) / (len(values) + 1))


def _swapped(first: Result, second: Result, metric: str, resamples: int, seed: int) -> Floats:
    """Differences after the two outputs of each document are exchanged at random."""
    rng = np.random.default_rng(seed)
    names = counted_metrics([metric])
    sums = {name: (first.counts[name].sum(0), second.counts[name].sum(0)) for name in names}
    parts = []
    for size in _batches(len(first.documents), resamples):
        keep = rng.integers(0, 2, size=(size, len(first.documents))).astype(float)
        moved = {name: _products(keep, first.counts[name] - second.counts[name]) for name in names}
        one = f1_of(metric, {name: sums[name][1] + moved[name] for name in names})
        two = f1_of(metric, {name: sums[name][0] - moved[name] for name in names})
        parts.append(one - two)
    return np.concatenate(parts)


def holm(values: Sequence[float]) -> list[float]:
    """P values corrected by Holm's step-down method.

    The smallest of n is multiplied by n, the next by n - 1, and so on; each is at least as
    large as the one before it, and at most 1.
    """
    corrected = [0.0] * len(values)
    least = 0.0
    for done, at in enumerate(sorted(range(len(values)), key=lambda at: values[at])):
        least = min(1.0, max(least, (len(values) - done) * values[at]))
        corrected[at] = least
    return corrected


def corrected_p(comparisons: Sequence[Comparison]) -> list[float]:
    """The greater p of the two tests of each comparison, corrected for their number."""
    return holm([max(each.randomization, each.bootstrap) for each in comparisons])
