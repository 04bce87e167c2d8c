"""BLANC (Recasens and Hovy 2011; Luo et al. 2014): coreferent and other pairs alike.

Pairs of mentions are links: coreferent (C) or not (N). Recall and precision are
taken for each kind, and all three scores are the mean of the two kinds. If the
key has links of one kind only, the score is of that kind alone, as in the
reference program; so swapping key and response swaps recall and precision only
where the key has both kinds on either side. A key of one mention has no link at
all: 0/0, hence 0.
"""

from __future__ import annotations

import numpy as np

from coindex.arrays import Floats, Table
from coindex.metrics._ratio import f1, ratio

TITLE = "BLANC"
COUNTS = ("C shared", "C key", "C response", "N shared", "N key", "N response")


def count(table: Table) -> Floats:
    """Links of each kind: shared, in the key, in the response."""
    matched = table.overlaps.sum()
    in_key = np.bincount(table.rows, table.overlaps, len(table.key))
    in_response = np.bincount(table.columns, table.overlaps, len(table.response))
    both = _pairs(table.overlaps)
    neither = _pairs(matched) - _pairs(in_key) - _pairs(in_response) + both
    key, response = _pairs(table.key), _pairs(table.response)
    return np.array(
        [
            both,
            key,
            response,
            neither,
            _pairs(table.key.sum()) - key,
            _pairs(table.response.sum()) - response,
        ],
        float,
    )


def _pairs(sizes: Floats | np.int64 | np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """How many pairs there are within groups of these sizes."""
    counts = np.asarray(sizes, float)
    return float((counts * (counts - 1) / 2).sum())


def score(totals: Floats) -> Floats:
    """Recall, precision and F1, each the mean of the two kinds of links."""
    kinds = []
    for at in (0, 3):
        shared, key, response = (totals[..., at + side] for side in range(3))
        recall, precision = ratio(shared, key), ratio(shared, response)
        kinds.append(np.stack([recall, precision, f1(recall, precision)], axis=-1))
    weights = np.stack([totals[..., 1] > 0, totals[..., 4] > 0], axis=-1).astype(float)
    weighted = kinds[0] * weights[..., :1] + kinds[1] * weights[..., 1:]
    return ratio(weighted, weights.sum(axis=-1, keepdims=True))
