"""The best one-to-one alignment of entities, over the cells that are not empty.

Entities fall into blocks that share no mention with each other; each block is
solved alone. Most are a single row or column, where the best cell is the answer.
Small blocks go to the dense solver, large ones to the sparse one.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from coindex.arrays import Floats, Ints

DENSE = 2500
"""The most cells, empty ones included, for the dense solver."""


def best_total(rows: Ints, columns: Ints, weights: Floats) -> float:
    """The greatest sum of weights with no row or column used twice."""
    total = 0.0
    for cells in _blocks(rows.tolist(), columns.tolist()):
        at = np.array(cells)
        total += _block(rows[at], columns[at], weights[at])
    return total


def _blocks(rows: list[int], columns: list[int]) -> list[list[int]]:
    """The cells of each connected block."""
    parent: dict[int, int] = {}

    def find(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row, column in zip(rows, columns, strict=True):
        a, b = parent.setdefault(row, row), parent.setdefault(~column, ~column)
        a, b = find(a), find(b)
        if a != b:
            parent[b] = a
    blocks: defaultdict[int, list[int]] = defaultdict(list)
    for cell, row in enumerate(rows):
        blocks[find(row)].append(cell)
    return list(blocks.values())


def _block(rows: Ints, columns: Ints, weights: Floats) -> float:
    row_ids, row_at = np.unique(rows, return_inverse=True)
    column_ids, column_at = np.unique(columns, return_inverse=True)
    if len(row_ids) == 1 or len(column_ids) == 1:
        return float(weights.max())
    shape = (len(row_ids), len(column_ids))
    if shape[0] * shape[1] <= DENSE:
        return _dense(row_at, column_at, weights, shape)
    return _sparse(row_at, column_at, weights, shape)


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
