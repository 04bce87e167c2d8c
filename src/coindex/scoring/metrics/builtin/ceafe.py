"""CEAFe (Luo 2005): the best one-to-one alignment of entities, counted in entities.

The similarity of two entities is 2 |K & R| / (|K| + |R|). recall = similarity of
the best alignment / key entities; precision = / response entities.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.assignment import best_cells, best_total, best_totals
from coindex.scoring.metrics.ratio import RATIOS, recall_precision_f1
from coindex.scoring.metrics.terms import Term, aligned_terms
from coindex.scoring.table_stack import TableStack

TITLE = "CEAFe"
ORDER = 50
ALIASES = ("ceaf-e",)
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "whole"
IN_RANKINGS = False
COUNTS = RATIOS
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Similarity of aligned entities, and the entities of each side."""
    sizes = table.key[table.rows] + table.response[table.columns]
    best = best_total(table.rows, table.columns, 2 * table.shared / sizes)
    return np.array([best, len(table.key), best, len(table.response)], float)


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    weights = 2.0 * stack.overlaps / (stack.key[stack.rows] + stack.response[stack.columns])
    best = best_totals(stack.rows, stack.columns, weights, stack.of_cell, stack.documents)
    sides = (
        np.bincount(each, minlength=stack.documents) for each in (stack.of_key, stack.of_response)
    )
    key, response = sides
    return np.stack([best, key, best, response], axis=1)


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """The aligned entities, and those that are not."""
    sizes = table.key[table.rows] + table.response[table.columns]
    pairs = best_cells(table.rows, table.columns, 2 * table.shared / sizes)
    return aligned_terms(
        table,
        pairs,
        lambda overlap, key, response: 2 * overlap / (key + response),
        ([1] * len(table.key), [1] * len(table.response)),
        lambda overlap, key, response: f"2 × {overlap} / ({key} + {response})",
    )
