"""Shares and differences over texts, with intervals, and the least difference that can be detected.

Intervals are by the bootstrap over texts (or pairs of sentences), since what is in one text goes
together. Where all texts agree the bootstrap has no spread: a share is then given Wilson's
interval over the number of texts, and a difference the one that the "rule of three" gives: what
occurs in less than about 3/n of all texts may well not occur in n of them.

The least detectable difference is that which a test at 5 % finds in four of five cases (a power of
80 %): 2.8 standard errors, by the width of the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from coindex.benchmarks.accuracy import wilson
from coindex.benchmarks.figures import ratio, resampled
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import Interval

LEVEL = 0.05
POWER = 0.8
_Z = NormalDist().inv_cdf(1 - LEVEL / 2)
_POWER_Z = NormalDist().inv_cdf(POWER)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval, and the number of items behind it; None if it is undefined."""

    value: float | None
    interval: Interval | None
    of: int


@dataclass(frozen=True, slots=True)
class Draws:
    """The number of bootstrap resamples, and their seed."""

    resamples: int
    seed: int


def detectable(interval: Interval | None) -> float | None:
    """The least difference that can be detected, by the width of an interval."""
    if interval is None:
        return None
    error = (interval.high - interval.low) / (2 * _Z)
    return (_Z + _POWER_Z) * error


def share(rows: Sequence[tuple[float, ...]], draws: Draws) -> Estimate:
    """A share in percent: for each text how many of how many."""
    counts = np.array(rows, dtype=float).reshape(-1, 2)
    part, whole = counts.sum(axis=0)
    if not whole:
        return Estimate(None, None, 0)
    value = float(100 * part / whole)
    texts = int((counts[:, 1] > 0).sum())
    if value in (0.0, 100.0):
        bounds: Interval | None = wilson(texts if value else 0, texts)
    else:
        sums = resampled(counts, draws.resamples, draws.seed)
        bounds = quantiles(100 * ratio(sums[:, 0], sums[:, 1]))
    return Estimate(value, bounds, int(whole))


def difference(rows: Sequence[tuple[float, ...]], draws: Draws, level: float = LEVEL) -> Estimate:
    """A difference of two shares in points: for each text right and all, of one and of the other."""
    return combined(rows, lambda shares: shares[0] - shares[1], draws, level)


def combined(
    rows: Sequence[tuple[float, ...]],
    combine: Callable[[Floats], Floats],
    draws: Draws,
    level: float = LEVEL,
) -> Estimate:
    """A difference that is computed from several shares, two columns for each in the rows."""
    counts = np.array(rows, dtype=float)
    if counts.ndim < 2 or not counts[:, 1::2].sum(axis=0).all():
        return Estimate(None, None, 0)
    of = int(counts[:, 1::2].sum())

    def computed(sums: Floats) -> Floats:
        return combine(np.moveaxis(100 * ratio(sums[..., 0::2], sums[..., 1::2]), -1, 0))

    value = float(computed(counts.sum(axis=0)))
    bounds = quantiles(computed(resampled(counts, draws.resamples, draws.seed)), level)
    if bounds is not None and bounds.low == bounds.high:
        rare = 100 * (1 - level ** (1 / len(counts)))
        bounds = Interval(value - rare, value + rare)
    return Estimate(value, bounds, of)


def quantiles(values: Floats, level: float = LEVEL) -> Interval | None:
    """The middle part of resampled values, without the share `level` at both ends together."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [100 * level / 2, 100 - 100 * level / 2])
    return Interval(float(low), float(high))
