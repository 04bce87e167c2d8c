"""Linear assignment: the best one-to-one alignment of entities, over nonzero cells.

A cell that outweighs the best other cell of its row and the best other one of its column together
belongs to a best alignment: any other could be improved by it. Such cells are taken first, again
and again, which solves most documents. What is left falls into connected blocks, which are solved
separately. Most are a single row or column, whose best cell is the answer. Narrow blocks are
solved here by dynamic programming, small ones by scipy's dense solver, large ones by its sparse
one; scipy is loaded only then.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from coindex.scoring.contingency import Floats, Ints
from coindex.scoring.matching.one_to_one import best_pairs
from coindex.scoring.table_stack import sums

FEW = 8
"""The maximum number of rows or columns, whichever is smaller, of a block solved here."""

STEPS = 20_000
"""The maximum number of steps for such a block: larger ones are left to scipy."""

DENSE = 2500
"""The maximum number of cells, empty ones included, for the dense solver."""

Cell = tuple[int, int, float]
"""A row, a column and the weight of aligning them."""


def best_total(rows: Ints, columns: Ints, weights: Floats) -> float:
    """The greatest sum of weights with no row or column used twice."""
    return float(best_totals(rows, columns, weights, np.zeros(len(rows), np.int64), 1)[0])


def best_totals(
    rows: Ints, columns: Ints, weights: Floats, document: Ints, documents: int
) -> Floats:
    """The greatest sum of each document; documents have no row or column in common."""
    chosen, left = _decided(rows, columns, weights)
    chosen = np.sort(chosen)
    totals = sums(document[chosen], weights[chosen], documents)
    cells = zip(rows[left].tolist(), columns[left].tolist(), weights[left].tolist(), strict=True)
    owner = dict(zip(rows[left].tolist(), document[left].tolist(), strict=True))
    for block in _blocks(list(cells)):
        totals[owner[block[0][0]]] += _best(block)
    return totals


def best_cells(rows: Ints, columns: Ints, weights: Floats) -> list[tuple[int, int]]:
    """The rows and columns of a best alignment, sorted."""
    chosen, left = _decided(rows, columns, weights)
    cells = zip(rows[left].tolist(), columns[left].tolist(), strict=True)
    rest = best_pairs(dict(zip(cells, weights[left].tolist(), strict=True)))
    return sorted([*zip(rows[chosen].tolist(), columns[chosen].tolist(), strict=True), *rest])


def _decided(rows: Ints, columns: Ints, weights: Floats) -> tuple[Ints, Ints]:
    """Cells of a best alignment, and the cells that are still to be decided."""
    left = np.flatnonzero(weights > 0)
    chosen = left[:0]
    while len(left):
        certain = left[_certain(rows[left], columns[left], weights[left])]
        if not len(certain):
            break
        chosen = np.concatenate([chosen, certain])
        free = [np.ones(lines.max() + 1, bool) for lines in (rows, columns)]
        free[0][rows[certain]] = free[1][columns[certain]] = False
        left = left[free[0][rows[left]] & free[1][columns[left]]]
    return chosen, left


def _certain(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """Cells of a best alignment, no two of them in one row or column."""
    others = _best_other(rows, weights) + _best_other(columns, weights)
    certain = np.flatnonzero(weights >= others)
    certain = certain[np.unique(rows[certain], return_index=True)[1]]
    return certain[np.unique(columns[certain], return_index=True)[1]]


def _best_other(lines: Ints, weights: Floats) -> Floats:
    """For each cell, the greatest weight among the other cells of its row or column."""
    order = np.lexsort((-weights, lines))
    lines, weights = lines[order], weights[order]
    same = lines[1:] == lines[:-1]
    first = np.flatnonzero(np.append(True, ~same))
    second = np.append(np.where(same, weights[1:], 0.0), 0.0)[first]
    sizes = np.diff(np.append(first, len(lines)))
    best = np.repeat(weights[first], sizes)
    best[first] = second
    others: Floats = np.empty(len(lines))
    others[order] = best
    return others


def _blocks(cells: list[Cell]) -> list[list[Cell]]:
    """The cells of each connected block."""
    parent: dict[int, int] = {}

    def find(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row, column, _ in cells:
        a, b = parent.setdefault(row, row), parent.setdefault(~column, ~column)
        a, b = find(a), find(b)
        if a != b:
            parent[b] = a
    blocks: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        blocks[find(cell[0])].append(cell)
    return list(blocks.values())


def _best(cells: list[Cell]) -> float:
    """The best total of one block, by the cheapest method for its size."""
    if len(cells) == 1:
        return cells[0][2]
    rows = {row: at for at, row in enumerate(dict.fromkeys(cell[0] for cell in cells))}
    columns = {column: at for at, column in enumerate(dict.fromkeys(cell[1] for cell in cells))}
    if len(rows) == 1 or len(columns) == 1:
        return max(cell[2] for cell in cells)
    indexed = [(rows[row], columns[column], weight) for row, column, weight in cells]
    few = min(len(rows), len(columns))
    if few <= FEW and len(cells) << few <= STEPS:
        return _narrow(indexed if len(columns) <= len(rows) else [(c, r, w) for r, c, w in indexed])
    shape = (len(rows), len(columns))
    row_at, column_at, weights = (np.array(each) for each in zip(*indexed, strict=True))
    solve = _dense if shape[0] * shape[1] <= DENSE else _sparse
    return solve(row_at, column_at, weights, shape)


def _narrow(cells: list[Cell]) -> float:
    """Dynamic programming over rows: the best total for each set of columns in use."""
    by_row: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for row, column, weight in cells:
        by_row[row].append((1 << column, weight))
    best = {0: 0.0}
    for choices in by_row.values():
        after = dict(best)
        for used, total in best.items():
            for column, weight in choices:
                if not used & column and total + weight > after.get(used | column, -1.0):
                    after[used | column] = total + weight
        best = after
    return max(best.values())


def _dense(rows: Ints, columns: Ints, weights: Floats, shape: tuple[int, int]) -> float:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros(shape)
    matrix[rows, columns] = weights
    chosen = linear_sum_assignment(matrix, maximize=True)
    return float(matrix[chosen].sum())


def _sparse(rows: Ints, columns: Ints, weights: Floats, shape: tuple[int, int]) -> float:
    """Each row has an extra column for staying unaligned, so that a full matching exists."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    count, width = shape
    alone = np.arange(count)
    cells = (
        np.concatenate([weights + 1, np.ones(count)]),
        (np.concatenate([rows, alone]), np.concatenate([columns, width + alone])),
    )
    matrix = csr_matrix(cells, shape=(count, width + count))
    chosen = min_weight_full_bipartite_matching(matrix, maximize=True)
    return float(np.asarray(matrix[chosen]).sum() - count)
