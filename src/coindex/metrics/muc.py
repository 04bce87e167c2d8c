"""MUC (Vilain et al. 1995): links that need not be added to join what belongs together.

recall = sum over key entities K of (|K| - p(K)) / sum of (|K| - 1), where p(K) is
the number of pieces into which the response cuts K, mentions it misses being
pieces of their own; precision with the sides swapped. Both numerators are the
matched mentions less the cells of the table that are not empty. Singletons
have no link and do not count: all-singleton documents are 0/0, hence 0.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Table
from coindex.metrics._ratio import RECALL_PRECISION, recall_precision_f1

TITLE = "MUC"
COUNTS = RECALL_PRECISION


def count(table: Table) -> Floats:
    """Links kept, and links needed on each side."""
    kept = table.overlaps.sum() - len(table.overlaps)
    key, response = (side.sum() - len(side) for side in (table.key, table.response))
    return np.array([kept, key, kept, response], float)


def score(totals: Floats) -> Floats:
    """Recall, precision and F1."""
    return recall_precision_f1(totals)
