"""B³ (Bagga and Baldwin 1998): for each mention, how much of its entity came with it.

recall = sum over mentions m of |K(m) & R(m)| / |K(m)|, over all key mentions; a
mention that was not found adds nothing. Over the table: sum of overlap² / |K|.
Precision with the sides swapped.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Table
from coindex.metrics._ratio import RECALL_PRECISION, recall_precision_f1

TITLE = "B³"
COUNTS = RECALL_PRECISION


def count(table: Table) -> Floats:
    """Shares of entities summed over mentions, and all mentions on each side."""
    squares = table.overlaps.astype(float) ** 2
    recall = (squares / table.key[table.rows]).sum()
    precision = (squares / table.response[table.columns]).sum()
    return np.array([recall, table.key.sum(), precision, table.response.sum()], float)


def score(totals: Floats) -> Floats:
    """Recall, precision and F1."""
    return recall_precision_f1(totals)
