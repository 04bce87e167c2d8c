"""B³ (Bagga and Baldwin 1998): for each mention, how much of its entity came with it.

recall = sum over mentions m of |K(m) & R(m)| / |K(m)|, over all key mentions; a missed mention
adds nothing. Over the table: sum of overlap² / |K|. Precision has the sides swapped.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import MENTION_RATIOS, recall_precision_f1
from coindex.scoring.metrics.terms import Parts, Term, entity_terms
from coindex.scoring.table_stack import TableStack

TITLE = "B³"
ORDER = 30
ALIASES = ("bcub", "b-cubed")
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "sides"
IN_RANKINGS = False
COUNTS = MENTION_RATIOS
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Fractions of entities summed over mentions, and the mentions of each side."""
    squares = table.shared**2
    recall = (squares / table.key[table.rows]).sum()
    precision = (squares / table.response[table.columns]).sum()
    return np.array([recall, table.key.sum(), precision, table.response.sum()], float)


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    squares = stack.overlaps.astype(float) ** 2
    recall = stack.cell_sums(squares / stack.key[stack.rows])
    precision = stack.cell_sums(squares / stack.response[stack.columns])
    sides = stack.key_sums(stack.key), stack.response_sums(stack.response)
    return np.stack([recall, sides[0], precision, sides[1]], axis=1)


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """For each entity, the fraction of it that came with each of its mentions."""
    return entity_terms(table, _squares, int, _describe)


def _squares(size: int, parts: Parts) -> float:
    return sum(part.overlap**2 for part in parts) / size


def _describe(size: int, parts: Parts, letter: str) -> str:
    shares = [f"{p.overlap} × {p.overlap}/{size} ({letter}{p.other + 1})" for p in parts]
    missed = size - sum(part.overlap for part in parts)
    return " + ".join([*shares, *([f"{missed} × 0"] if missed else [])])
