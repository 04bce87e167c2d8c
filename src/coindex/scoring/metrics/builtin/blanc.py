"""BLANC (Recasens and Hovy 2011; Luo et al. 2014): coreferent and other pairs alike.

Pairs of mentions are links: coreferent (C) or not (N). Recall, precision and F1 are computed
for each kind, and each score is the mean of the two. If the key has links of one kind only, the
score is that of this kind, as in the reference scorer; so swapping key and response swaps
recall and precision only if both have links of both kinds. A key of one mention has no links:
0/0, hence 0.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats, Ints
from coindex.scoring.metrics.ratio import f1, ratio
from coindex.scoring.metrics.terms import Term
from coindex.scoring.table_stack import TableStack

TITLE = "BLANC"
ORDER = 60
ALIASES = ()
AVERAGE_OF = ()
IN_ALL = True
REPEATED = "recall"
IN_RANKINGS = False
COUNTS = ("C shared", "C key", "C response", "N shared", "N key", "N response")


def count(table: ContingencyTable) -> Floats:
    """Links of each kind: shared, in the key, in the response."""
    matched = table.overlaps.sum()
    in_key = np.bincount(table.rows, table.overlaps, len(table.key))
    in_response = np.bincount(table.columns, table.overlaps, len(table.response))
    coreferent = _pairs(table.overlaps)
    others = _pairs(matched) - _pairs(in_key) - _pairs(in_response) + coreferent
    key, response = _pairs(table.key), _pairs(table.response)
    return np.array(
        [
            coreferent,
            key,
            response,
            others,
            _pairs(table.key.sum()) - key,
            _pairs(table.response.sum()) - response,
        ],
        float,
    )


def _pairs(sizes: Floats | Ints | np.int64) -> float:
    """The number of pairs within groups of these sizes."""
    return float(_pair_numbers(sizes).sum())


def _pair_numbers(sizes: Floats | Ints | np.int64) -> Floats:
    """The number of pairs within each group of these sizes."""
    counts = np.asarray(sizes, float)
    numbers: Floats = counts * (counts - 1) / 2
    return numbers


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


def count_stack(stack: TableStack) -> Floats:
    """As `count`, for every document."""
    shared = _pair_numbers(stack.overlaps)
    in_key = np.bincount(stack.rows, stack.overlaps, len(stack.key))
    in_response = np.bincount(stack.columns, stack.overlaps, len(stack.response))
    coreferent = stack.cell_sums(shared)
    matched = _pair_numbers(stack.cell_sums(stack.overlaps))
    divided = stack.key_sums(_pair_numbers(in_key)), stack.response_sums(_pair_numbers(in_response))
    key = stack.key_sums(_pair_numbers(stack.key))
    response = stack.response_sums(_pair_numbers(stack.response))
    every = (
        _pair_numbers(stack.key_sums(stack.key)),
        _pair_numbers(stack.response_sums(stack.response)),
    )
    others = matched - divided[0] - divided[1] + coreferent
    return np.stack(
        [coreferent, key, response, others, every[0] - key, every[1] - response], axis=1
    )


def explain(table: ContingencyTable) -> tuple[Term, ...]:
    """Coreferent links of pairs of entities and of each entity, and all links between entities."""
    terms = []
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.overlaps.tolist(), strict=True)
    for row, column, overlap in cells:
        links = _pairs(np.int64(overlap))
        detail = f"{links:g} coreferent link(s) of {overlap} common mention(s)"
        terms.append(Term(row, column, (links, 0, 0, 0, 0, 0), detail))
    for at, size in enumerate(table.key.tolist()):
        links = _pairs(np.int64(size))
        detail = f"{links:g} coreferent link(s) in the key"
        terms.append(Term(at, None, (0, links, 0, 0, 0, 0), detail))
    for at, size in enumerate(table.response.tolist()):
        links = _pairs(np.int64(size))
        detail = f"{links:g} coreferent link(s) in the response"
        terms.append(Term(None, at, (0, 0, links, 0, 0, 0), detail))
    others = tuple(count(table).tolist()[3:])
    detail = (
        f"non-coreferent links, between mentions of different entities: {others[0]:g} in both,"
        f" {others[1]:g} in the key, {others[2]:g} in the response"
    )
    return (*terms, Term(None, None, (0, 0, 0, *others), detail))
