"""CEAFm (Luo 2005): the best one-to-one alignment of entities, counted in mentions.

The similarity of two entities is the number of mentions they share. recall =
similarity of the best alignment / key mentions; precision = / response mentions.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Table
from coindex.metrics._assignment import best_total
from coindex.metrics._ratio import RECALL_PRECISION, recall_precision_f1

TITLE = "CEAFm"
COUNTS = RECALL_PRECISION


def count(table: Table) -> Floats:
    """Mentions in aligned entities, and all mentions on each side."""
    best = best_total(table.rows, table.columns, table.overlaps.astype(float))
    return np.array([best, table.key.sum(), best, table.response.sum()], float)


def score(totals: Floats) -> Floats:
    """Recall, precision and F1."""
    return recall_precision_f1(totals)
