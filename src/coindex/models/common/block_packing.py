"""Weights in blocks of 32 with four, five or six bits each, and a scale for each block.

    a block of a row   w ~ s (c - h),  c integers from 0 to 2h - 1, h = 8, 16 or 32

The scale s is stored in sixteen bits and has the sign that gives the largest value of a block the
code 0. Of a few scales that clip this value or not, the one with the smallest squared error is
taken. Codes are stored in planes: the lower four bits of two codes in a byte, then the upper bit
of eight codes or the upper two bits of four.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
"""How many weights share a scale."""
PLANES = {4: (4,), 5: (4, 1), 6: (4, 2)}
"""The widths of the planes by the number of bits."""
BITS = ("8", "6", "6/5", "5", "5/4", "4")
"""The bits that an encoder can be stored in; eight are stored without blocks. After a stroke:
those of feed-forward layers, which are two thirds of the weights."""
_DIVISORS = (1.0, 0.97, 1.03, 1.06, 1.12, 1.2)
"""The largest value over the scale, as a multiple of h."""
_AT_ONCE = 50_000
"""How many blocks are packed at once, to save memory."""

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PackedRows:
    """A matrix in blocks of its rows: how many rows and columns, bits, bytes of codes and scales."""

    rows: int
    columns: int
    bits: int
    data: bytes


def packed_size(rows: int, columns: int, bits: int) -> int:
    """The bytes of a packed matrix."""
    return rows * columns * bits // 8 + 2 * rows * columns // BLOCK


def can_pack(columns: int) -> bool:
    """Whether rows of this length are whole blocks."""
    return columns % BLOCK == 0


def pack_rows(matrix: Floats, bits: int) -> PackedRows:
    """Pack a matrix whose rows are whole blocks."""
    rows, columns = matrix.shape
    blocks = np.ascontiguousarray(matrix, np.float32).reshape(-1, BLOCK)
    codes = np.empty(blocks.shape, np.uint8)
    scales = np.empty(len(blocks), np.float16)
    for start in range(0, len(blocks), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        codes[part], scales[part] = _rounded(blocks[part], 1 << (bits - 1))
    data = b"".join([*(p.tobytes() for p in _planes(codes, bits)), scales.tobytes()])
    return PackedRows(rows, columns, bits, data)


def _rounded(blocks: Floats, half: int) -> tuple[Bytes, NDArray[np.float16]]:
    """The code of each weight, and the scale of each block."""
    largest = blocks[np.arange(len(blocks)), np.abs(blocks).argmax(1)]
    codes = np.full(blocks.shape, half, np.uint8)
    scales = np.zeros(len(blocks), np.float16)
    least = np.full(len(blocks), np.inf, np.float32)
    for divisor in _DIVISORS:
        scale = (largest / np.float32(-divisor * half)).astype(np.float16)
        step = scale.astype(np.float32)[:, None]
        safe = np.where(step == 0, np.float32(1), step)
        tried = np.clip(np.rint(blocks / safe), -half, half - 1)
        error = np.square(tried * step - blocks).sum(1)
        better = error < least
        codes[better] = (tried[better] + half).astype(np.uint8)
        scales[better], least[better] = scale[better], error[better]
    return codes, scales


def _planes(codes: Bytes, bits: int) -> Iterator[Bytes]:
    """The planes of all codes, in their order."""
    flat, below = codes.reshape(-1), 0
    for width in PLANES[bits]:
        part = (flat >> below) & ((1 << width) - 1)
        parts = part.reshape(-1, 8 // width)
        plane = np.zeros(len(parts), np.uint8)
        for place in range(8 // width):
            plane |= parts[:, place] << (width * place)
        yield plane
        below += width


def unpack_rows(packed: PackedRows) -> Floats:
    """The weights of a packed matrix, (rows, columns)."""
    count = packed.rows * packed.columns
    codes = np.zeros(count, np.uint8)
    start, below = 0, 0
    for width in PLANES[packed.bits]:
        plane = np.frombuffer(packed.data, np.uint8, count * width // 8, start)
        for place in range(8 // width):
            part = (plane >> (width * place)) & ((1 << width) - 1)
            codes[place :: 8 // width] |= part << below
        start, below = start + len(plane), below + width
    scales = np.frombuffer(packed.data, np.float16, count // BLOCK, start).astype(np.float32)
    half = 1 << (packed.bits - 1)
    values = (codes.astype(np.int8) - np.int8(half)).astype(np.float32).reshape(-1, BLOCK)
    result: Floats = (values * scales[:, None]).reshape(packed.rows, packed.columns)
    return result
