"""Mentions: how many of them were found at all, whatever entity they were put in.

recall = matched / key mentions; precision = matched / response mentions.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import MENTION_RATIOS, recall_precision_f1
from coindex.scoring.metrics.terms import Parts, Term, entity_terms
from coindex.scoring.table_stack import TableStack

TITLE = "mentions"
ORDER = 10
ALIASES = ()
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "once"
IN_RANKINGS = False
COUNTS = MENTION_RATIOS
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Matched mentions, and the mentions of each side."""
    matched = table.overlaps.sum()
    return np.array([matched, table.key.sum(), matched, table.response.sum()], float)


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    matched = stack.cell_sums(stack.overlaps)
    sides = stack.key_sums(stack.key), stack.response_sums(stack.response)
    return np.stack([matched, sides[0], matched, sides[1]], axis=1)


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """The matched mentions of each entity."""
    return entity_terms(table, _matched, int, _describe)


def _matched(size: int, parts: Parts) -> float:
    return sum(part.overlap for part in parts)


def _describe(size: int, parts: Parts, letter: str) -> str:
    return f"{_matched(size, parts)} of {size} mentions"
