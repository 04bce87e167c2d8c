"""Fractions and F1 over arrays, with zero over zero as zero."""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats

RECALL_PRECISION = ("recall numerator", "recall total", "precision numerator", "precision total")


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part over whole; zero where the whole is zero."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)


def f1(recall: Floats, precision: Floats) -> Floats:
    """The harmonic mean; zero where both are zero."""
    return ratio(2 * recall * precision, recall + precision)


def recall_precision_f1(totals: Floats) -> Floats:
    """The three scores of totals laid out as `RECALL_PRECISION`."""
    recall = ratio(totals[..., 0], totals[..., 1])
    precision = ratio(totals[..., 2], totals[..., 3])
    return np.stack([recall, precision, f1(recall, precision)], axis=-1)
