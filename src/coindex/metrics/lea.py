"""LEA (Moosavi and Strube 2016): links resolved, weighted by the size of the entity.

recall = sum over key entities K of |K| * (links of K that the response has) /
(links of K), over all key mentions; an entity of n mentions has n(n-1)/2 links.
A singleton has one link, to itself, which is resolved if the response has the
same singleton. Precision with the sides swapped.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Ints, Table
from coindex.metrics._ratio import RECALL_PRECISION, recall_precision_f1

TITLE = "LEA"
COUNTS = RECALL_PRECISION


def count(table: Table) -> Floats:
    """Resolved importance, and all mentions on each side."""
    alone = (table.key[table.rows] == 1) & (table.response[table.columns] == 1)
    links = np.where(alone, 1, table.overlaps * (table.overlaps - 1) / 2)
    recall = (links * _weight(table.key[table.rows])).sum()
    precision = (links * _weight(table.response[table.columns])).sum()
    return np.array([recall, table.key.sum(), precision, table.response.sum()], float)


def _weight(sizes: Ints) -> Floats:
    """What one link of an entity is worth: its size over its number of links."""
    return np.where(sizes == 1, 1.0, 2.0 / np.maximum(sizes - 1, 1))


def score(totals: Floats) -> Floats:
    """Recall, precision and F1."""
    return recall_precision_f1(totals)
