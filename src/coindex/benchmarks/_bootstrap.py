"""Intervals by the bootstrap over items, from counts that add up.

A resample draws as many items as there are, with replacement, and scores the sum
of their counts. Items with the same counts are the same to the sum, and there are
few kinds of them, so a resample is one multinomial draw of how often each kind
comes: exactly the same distribution, at a fraction of the work.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats
from coindex.scoring.significance import Interval


def resampled(rows: Floats, resamples: int, seed: int) -> Floats:
    """Sums of counts over resampled items, `(items, n)` in, `(resamples, n)` out."""
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(rows), counts / len(rows), size=resamples)
    sums: Floats = weights.astype(float) @ kinds
    return sums


def interval(values: Floats) -> Interval | None:
    """The middle 95 % of the values; those that are not numbers are left out."""
    there = values[~np.isnan(values)]
    if not len(there):
        return None
    low, high = np.percentile(there, [2.5, 97.5])
    return Interval(float(low), float(high))


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part over whole; not a number where the whole is zero."""
    found: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)
    return found
