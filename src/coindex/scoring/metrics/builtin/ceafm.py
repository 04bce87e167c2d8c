"""CEAFm (Luo 2005): the best one-to-one alignment of entities, counted in mentions.

The similarity of two entities is the number of mentions they share. recall =
similarity of the best alignment / key mentions; precision = / response mentions.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.assignment import best_cells, best_total, best_totals
from coindex.scoring.metrics.ratio import MENTION_RATIOS, recall_precision_f1
from coindex.scoring.metrics.terms import Term, aligned_terms
from coindex.scoring.table_stack import TableStack

TITLE = "CEAFm"
ORDER = 40
ALIASES = ("ceaf-m",)
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "whole"
IN_RANKINGS = False
COUNTS = MENTION_RATIOS
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Common mentions of aligned entities, and the mentions of each side."""
    best = best_total(table.rows, table.columns, table.shared.astype(float))
    return np.array([best, table.key.sum(), best, table.response.sum()], float)


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    weights = stack.overlaps.astype(float)
    best = best_totals(stack.rows, stack.columns, weights, stack.of_cell, stack.documents)
    sides = stack.key_sums(stack.key), stack.response_sums(stack.response)
    return np.stack([best, sides[0], best, sides[1]], axis=1)


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """The aligned entities, and those that are not."""
    pairs = best_cells(table.rows, table.columns, table.overlaps.astype(float))
    totals = table.key.tolist(), table.response.tolist()
    return aligned_terms(
        table,
        pairs,
        lambda overlap, key, response: overlap,
        totals,
        lambda overlap, key, response: f"{overlap} mentions in common",
    )
