"""The lines of CoNLL-2012 files as arrays: where they end, and which of them have brackets.

Lines are found with numpy, block by block, and only rows with brackets are looked at; all other
text is compared as bytes. What is unusual gives None (see `conll_arrays`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from coindex.scoring.contingency import Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"#begin document ("
"""What a file begins with that may be read here."""

Bytes: TypeAlias = "NDArray[np.uint8]"
_HEADER = re.compile(rb"#begin document \(([^()\s][^()]*)\);(?: part (\d{1,9}))?|#end document")
_SPACES = re.compile(rb" +")
NEWLINE, TAB, SPACE, HASH, DASH = b"\n\t #-"
LEAST_COLUMNS = 6
"""Rows with fewer columns may have their words elsewhere."""

FREE_COLUMNS = 12
"""Rows with so many columns need not have the same number of them."""

BLOCK = 1 << 18
"""The bytes that are looked at together: temporary arrays stay in the cache, and in memory that the
process has already."""

LINES = 1 << 12
"""The lines whose columns are counted together, for the same reason."""


class BracketRows(NamedTuple):
    """The lines of a file, and those of them that have brackets.

    line_ends        the line break of each line
    first            the first byte of each line
    rows             the numbers of the lines with brackets
    starts, lengths  where the last columns of these begin, and their lengths
    """

    data: bytes
    codes: Bytes
    line_ends: Ints
    first: Bytes
    rows: Ints
    starts: Ints
    lengths: Ints


class Frame(NamedTuple):
    """The documents that a key and a response have in common.

    names     of the documents, as in `Document.key`
    token_of  the number of the token on each line
    first     the first token of each document, and the number of tokens
    """

    names: list[str]
    token_of: Ints
    first: Ints


def bracket_rows(data: bytes) -> BracketRows | None:
    """The rows of a file whose last column is not `-`."""
    if not data.startswith(MAGIC) or not data.endswith(b"\n") or b"\r" in data or b"\0" in data:
        return None
    separator = TAB if b"\t" in data else SPACE
    codes = np.frombuffer(data, np.uint8)
    blocks = []
    for at in range(0, len(data), BLOCK):
        ends = np.flatnonzero(codes[at : at + BLOCK] == NEWLINE) + at
        # a file begins with MAGIC, so there are two bytes before each line break
        empty = (codes[ends - 2] == separator) & (codes[ends - 1] == DASH)
        blocks.append((ends, empty, codes.take(ends + 1, mode="clip")))
    ends, empty, after = map(np.concatenate, zip(*blocks, strict=True))
    first = np.append(codes[0], after[:-1])
    rows = np.flatnonzero(~empty & (first != NEWLINE) & (first != HASH))
    before = ends[rows] - 1
    walking = np.arange(len(rows))
    while len(walking):
        walking = walking[(code := codes[before[walking]]) != separator]
        if (code == NEWLINE).any():  # a row of one column
            return None
        before[walking] -= 1
    return BracketRows(data, codes, ends, first, rows, before + 1, ends[rows] - before - 1)


def same_text(key: BracketRows, response: BracketRows) -> bool:
    """Whether two files are the same but for their last columns.

    Where columns are aligned by spaces, their number does not matter.
    """
    if len(key.line_ends) != len(response.line_ends):
        return False
    cut = np.zeros(len(key.line_ends), np.bool_)
    cut[key.rows] = cut[response.rows] = True
    rows = np.flatnonzero(cut)
    one, two = key.data, response.data
    mine, theirs = _between(key, rows), _between(response, rows)
    if (np.subtract(*mine) == np.subtract(*theirs)).all():
        ours = map(one.__getitem__, map(slice, *map(_items, mine)))
        # the lengths are equal: what begins with ours is ours, and need not be copied
        if all(map(two.startswith, ours, *map(_items, theirs))):
            return True
    if b"\t" in key.data or b"\t" in response.data:
        return False
    rows = np.flatnonzero(_is_row(key))
    pieces = zip(*map(_items, (*_between(key, rows), *_between(response, rows))), strict=True)
    squeeze = partial(_SPACES.sub, b" ")
    return all(squeeze(one[a:b]) == squeeze(two[c:d]) for a, b, c, d in pieces)


def _between(found: BracketRows, rows: Ints) -> tuple[Ints, Ints]:
    """Where the text between the last columns of rows begins and ends; `found.rows` are of them."""
    ends = found.line_ends[rows]
    cells = ends - 1  # `-`
    cells[np.searchsorted(rows, found.rows)] = found.starts
    return np.append(0, ends), np.append(cells, len(found.data))


def _items(array: Ints) -> Iterator[int]:
    """The items of an array as numbers of Python, which are made in blocks."""
    blocks = range(0, len(array), LINES)
    return chain.from_iterable(array[at : at + LINES].tolist() for at in blocks)


def _is_row(found: BracketRows) -> NDArray[np.bool_]:
    rows: NDArray[np.bool_] = (found.first != HASH) & (found.first != NEWLINE)
    return rows


def read_frame(found: BracketRows) -> Frame | None:
    """The documents of a file, if every line is a header, a row as wide as others, or empty."""
    headers = np.flatnonzero(found.first == HASH)
    starts = [0, *(found.line_ends[headers[1:] - 1] + 1).tolist()]
    lines = map(slice, starts, found.line_ends[headers].tolist())
    names = _names([found.data[line] for line in lines])
    if names is None or not _is_utf8(found.data):
        return None
    is_row = _is_row(found)
    token_of = np.cumsum(is_row) - 1
    begins, stops = token_of[headers[::2]], token_of[headers[1::2]]
    if (begins[1:] != stops[:-1]).any() or stops[-1] != token_of[-1] or (stops == begins).any():
        return None  # rows outside of documents, or documents without any
    borders = np.append(begins + 1, token_of[-1] + 1)
    return Frame(names, token_of, borders) if _even(_widths(found, is_row), borders) else None


def _is_utf8(data: bytes) -> bool:
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _names(headers: list[bytes]) -> list[str] | None:
    """The names of documents; None if headers do not begin and end documents in turn."""
    names = []
    for at, header in enumerate(headers):
        match = _HEADER.fullmatch(header)
        if match is None or (match[1] is None) != (at % 2 == 1):
            return None
        if match[1] is not None:
            part = "" if match[2] is None else f" part {int(match[2])}"
            names.append(match[1].decode(errors="replace").strip() + part)
    return names if len(set(names)) == len(names) == len(headers) / 2 else None


def _widths(found: BracketRows, is_row: NDArray[np.bool_]) -> NDArray[np.int32] | None:
    """The number of separators in each row; None if a column may be empty."""
    codes, ends = found.codes, found.line_ends
    separator = TAB if b"\t" in found.data else SPACE
    if (found.first == separator).any():
        return None
    widths = np.empty(len(ends), np.int32)
    for at in range(0, len(ends), LINES):
        first, breaks = ends[at - 1] + 1 if at else 0, ends[at : at + LINES]
        separates = codes[first : breaks[-1] + 1] == separator
        again = separates[1:] & separates[:-1]
        if separator == SPACE:
            separates[1:] ^= again  # the first of several is left
        elif again.any():
            return None
        counts = np.cumsum(separates, dtype=np.int32)[breaks - first]
        widths[at : at + LINES] = np.diff(counts, prepend=0)
    return widths[is_row]


def _even(separators: NDArray[np.int32] | None, borders: Ints) -> bool:
    """Whether the rows of each document have the same number of columns, or enough of them."""
    if separators is None or separators.min() + 1 < LEAST_COLUMNS:
        return False
    firsts = borders[:-1]
    least = np.minimum.reduceat(separators, firsts)
    most = np.maximum.reduceat(separators, firsts)
    return bool(((least == most) | (least + 1 >= FREE_COLUMNS)).all())
