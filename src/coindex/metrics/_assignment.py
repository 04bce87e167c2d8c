"""The best one-to-one alignment of entities, over the cells that are not empty.

Entities fall into blocks that share no mention with each other; each block is
solved alone. Most are a single row or column, where the best cell is the answer.
Narrow blocks are solved here, small ones by scipy's dense solver, large ones by
its sparse one; scipy is loaded only if one of these is met.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from coindex.arrays import Floats, Ints

FEW = 8
"""The most rows or columns, whichever are fewer, of a block that is solved here."""

STEPS = 20_000
"""The most steps that may take: more are left to scipy."""

DENSE = 2500
"""The most cells, empty ones included, for the dense solver."""

Cell = tuple[int, int, float]
"""A row, a column and the weight of aligning them."""


def best_total(rows: Ints, columns: Ints, weights: Floats) -> float:
    """The greatest sum of weights with no row or column used twice."""
    cells = list(zip(rows.tolist(), columns.tolist(), weights.tolist(), strict=True))
    return float(sum(map(_best, _blocks(cells))))


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
    """The best total of one block, by the cheapest way that its size allows."""
    if len(cells) == 1:
        return cells[0][2]
    rows = {row: at for at, row in enumerate(dict.fromkeys(cell[0] for cell in cells))}
    columns = {column: at for at, column in enumerate(dict.fromkeys(cell[1] for cell in cells))}
    if len(rows) == 1 or len(columns) == 1:
        return max(cell[2] for cell in cells)
    placed = [(rows[row], columns[column], weight) for row, column, weight in cells]
    few = min(len(rows), len(columns))
    if few <= FEW and len(cells) << few <= STEPS:
        return _few(placed if len(columns) <= len(rows) else [(c, r, w) for r, c, w in placed])
    shape = (len(rows), len(columns))
    row_at, column_at, weights = (np.array(each) for each in zip(*placed, strict=True))
    solve = _dense if shape[0] * shape[1] <= DENSE else _sparse
    return solve(row_at, column_at, weights, shape)


def _few(cells: list[Cell]) -> float:
    """With few columns: the best total for each set of columns used so far, row by row."""
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
    """Each row may also stay alone, in a column of its own, so that a full matching exists."""
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
