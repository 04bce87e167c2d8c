"""Fractions and F1 over arrays, with zero over zero as zero."""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import Floats

RATIOS = ("recall numerator", "recall total", "precision numerator", "precision total")
"""The counts of a metric whose recall and precision are two ratios."""

MENTIONS = ("key mentions", "response mentions")
MENTION_RATIOS = ("recall numerator", MENTIONS[0], "precision numerator", MENTIONS[1])
"""The same, where the totals are the mentions of the key and of the response."""


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part over whole; zero where the whole is zero."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)


def f1(recall: Floats, precision: Floats) -> Floats:
    """The harmonic mean; zero where both are zero."""
    return ratio(2 * recall * precision, recall + precision)


def recall_precision_f1(totals: Floats) -> Floats:
    """Recall, precision and F1 of totals laid out as `RATIOS`."""
    recall = ratio(totals[..., 0], totals[..., 1])
    precision = ratio(totals[..., 2], totals[..., 3])
    return np.stack([recall, precision, f1(recall, precision)], axis=-1)
