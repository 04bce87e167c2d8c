"""Matrices and tables rounded to integers of eight bits, with a scale for each column or row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_INTEGER = 127
"""The largest integer of a matrix."""
BLOCK = 384
"""Longer columns are split into blocks of about this length, each with its own scale."""

Floats = NDArray[np.float32]
Integers = NDArray[np.int8]


def column_blocks(matrix: Floats) -> list[Floats]:
    """The blocks of rows of a matrix (in, out) that have scales of their own."""
    return np.array_split(matrix, max(len(matrix) // BLOCK, 1))


def round_columns(block: Floats) -> tuple[Integers, Floats]:
    """The integers of a block, and the scale of each of its columns."""
    steps = np.maximum(np.abs(block).max(0), 1e-8) / MAX_INTEGER
    return np.round(block / steps).astype(np.int8), steps.astype(np.float32)


def round_rows(table: Floats) -> tuple[Integers, Floats]:
    """The integers of a table, and the scale of each of its rows, (rows, 1)."""
    most = np.abs(table).max(1, keepdims=True)
    scale = np.maximum(most, np.float32(1e-8)) / np.float32(MAX_INTEGER)
    return np.round(table / scale).astype(np.int8), scale
