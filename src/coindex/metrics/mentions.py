"""Mentions: how many of them were found at all, whatever entity they were put in.

recall = matched / key mentions; precision = matched / response mentions.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Table
from coindex.metrics._ratio import RECALL_PRECISION, recall_precision_f1

TITLE = "mentions"
COUNTS = RECALL_PRECISION


def count(table: Table) -> Floats:
    """Matched mentions, and all mentions on each side."""
    matched = table.overlaps.sum()
    return np.array([matched, table.key.sum(), matched, table.response.sum()], float)


def score(totals: Floats) -> Floats:
    """Recall, precision and F1."""
    return recall_precision_f1(totals)
