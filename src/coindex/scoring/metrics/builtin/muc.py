"""MUC (Vilain et al. 1995): links that need not be added to join what belongs together.

recall = sum over key entities K of (|K| - p(K)) / sum of (|K| - 1), where p(K) is the number of
parts into which the response divides K; a missed mention is a part by itself. Precision has the
sides swapped. Both numerators are the number of matched mentions minus the number of nonzero
cells of the table. Singletons have no link: all-singleton documents are 0/0, hence 0.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import RATIOS, recall_precision_f1
from coindex.scoring.metrics.terms import Parts, Term, entity_terms
from coindex.scoring.table_stack import TableStack

TITLE = "MUC"
ORDER = 20
ALIASES = ()
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "sides"
IN_RANKINGS = False
COUNTS = RATIOS
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Common links, and the links of each side."""
    linked = table.overlaps > 0  # a split antecedent alone links nothing
    common = table.shared[linked].sum() - linked.sum()
    key, response = (side.sum() - len(side) for side in (table.key, table.response))
    return np.array([common, key, common, response], float)


def count_elements(table: ContingencyTable) -> Floats:
    """The counts for the elements of split antecedents: a singleton has a link to itself."""
    alone = (table.key[table.rows] == 1) & (table.response[table.columns] == 1)
    singles = [alone.sum(), (table.key == 1).sum(), alone.sum(), (table.response == 1).sum()]
    counts: Floats = count(table) + np.array(singles, float)
    return counts


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    common = stack.cell_sums(stack.overlaps - 1)
    sides = stack.key_sums(stack.key - 1), stack.response_sums(stack.response - 1)
    return np.stack([common, sides[0], common, sides[1]], axis=1)


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """The links of each entity that the other side keeps."""
    return entity_terms(table, _kept_links, lambda size: size - 1, _describe)


def _kept_links(size: int, parts: Parts) -> float:
    return sum(part.overlap - 1 for part in parts)


def _describe(size: int, parts: Parts, letter: str) -> str:
    missed = size - sum(part.overlap for part in parts)
    parted = len(parts) + missed
    return f"{size} - {parted} parts" + (f" ({missed} unmatched)" if missed else "")
