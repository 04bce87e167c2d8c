"""CEAFe (Luo 2005): the best one-to-one alignment of entities, counted in entities.

The similarity of two entities is 2 |K & R| / (|K| + |R|). recall = similarity of
the best alignment / key entities; precision = / response entities.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Table
from coindex.metrics._assignment import best_total
from coindex.metrics._ratio import RECALL_PRECISION, recall_precision_f1

TITLE = "CEAFe"
COUNTS = RECALL_PRECISION


def count(table: Table) -> Floats:
    """Similarity of aligned entities, and all entities on each side."""
    sizes = table.key[table.rows] + table.response[table.columns]
    best = best_total(table.rows, table.columns, 2 * table.overlaps / sizes)
    return np.array([best, len(table.key), best, len(table.response)], float)


def score(totals: Floats) -> Floats:
    """Recall, precision and F1."""
    return recall_precision_f1(totals)
