"""LEA (Moosavi and Strube 2016): links resolved, weighted by the size of the entity.

recall = sum over key entities K of |K| * (links of K that the response has) /
(links of K), over all key mentions; an entity of n mentions has n(n-1)/2 links.
A singleton has one link, to itself, which is resolved if the response has the same singleton.
Precision has the sides swapped.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats, Ints
from coindex.scoring.metrics.ratio import MENTION_RATIOS, recall_precision_f1
from coindex.scoring.metrics.terms import Parts, Term, entity_terms
from coindex.scoring.table_stack import TableStack

TITLE = "LEA"
ORDER = 70
ALIASES = ()
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "sides"
IN_RANKINGS = True
COUNTS = MENTION_RATIOS
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Resolved importance, and the mentions of each side."""
    alone = (table.key[table.rows] == 1) & (table.response[table.columns] == 1)
    links = np.where(alone, 1, table.overlaps * (table.overlaps - 1) / 2)
    if table.credit is not None:
        links = links + table.overlaps * table.credit
    recall = (links * _weight(table.key[table.rows])).sum()
    precision = (links * _weight(table.response[table.columns])).sum()
    return np.array([recall, table.key.sum(), precision, table.response.sum()], float)


def _weight(sizes: Ints) -> Floats:
    """The weight of one link of an entity: its size over its number of links."""
    return np.where(sizes == 1, 1.0, 2.0 / np.maximum(sizes - 1, 1))


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    keys, responses = stack.key[stack.rows], stack.response[stack.columns]
    pairs = stack.overlaps * (stack.overlaps - 1) / 2
    links = np.where((keys == 1) & (responses == 1), 1, pairs)
    recall = stack.cell_sums(links * _weight(keys))
    precision = stack.cell_sums(links * _weight(responses))
    sides = stack.key_sums(stack.key), stack.response_sums(stack.response)
    return np.stack([recall, sides[0], precision, sides[1]], axis=1)


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """The resolved links of each entity, weighted by its size."""
    return entity_terms(table, _resolved, int, _describe)


def _links(size: int, parts: Parts) -> tuple[float, float]:
    """The resolved links of an entity, and all of them; a singleton has one, to itself."""
    if size == 1:
        return sum(part.size == 1 for part in parts), 1
    return sum(p.overlap * (p.overlap - 1) / 2 for p in parts), size * (size - 1) / 2


def _resolved(size: int, parts: Parts) -> float:
    resolved, links = _links(size, parts)
    return size * resolved / links


def _describe(size: int, parts: Parts, letter: str) -> str:
    resolved, links = _links(size, parts)
    return f"{size} × {resolved:g}/{links:g} links"
