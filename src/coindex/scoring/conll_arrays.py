"""CoNLL-2012 files as arrays of mentions: a key and a response read without making documents.

To score by exact match, nothing but the brackets of the last column is needed, once it is certain
that both files have the same words. So lines are found with numpy, only rows with brackets are
split, and everything else is compared as bytes. Whatever is unusual (other text, dialects,
mistakes, repeated mentions, compressed files) makes `read_pair` return None: then the full reader
reads the files, with its checks and messages. Both give the same tables, to the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coindex.formats.conll_cells import brackets
from coindex.scoring.contingency import ContingencyTable, Ints

MAGIC = b"#begin document ("
"""What a file begins with that may be read here."""

Bytes = NDArray[np.uint8]
_HEADER = re.compile(rb"#begin document \(([^()\s][^()]*)\);(?: part (\d{1,9}))?|#end document")
_SPACES = re.compile(rb" +")
_NOTHING = (b"-", b"_", b"*")
NEWLINE, TAB, SPACE, HASH, DASH = b"\n\t #-"
LEAST_COLUMNS = 6
"""Rows with fewer columns may have their words elsewhere."""

FREE_COLUMNS = 12
"""Rows with so many columns need not have the same number of them."""


class BracketRows(NamedTuple):
    """The lines of a file, and those of them that have brackets.

    line_starts, line_ends  where each line begins, and its line break
    rows                    the numbers of the lines with brackets
    starts, lengths         where the last columns of these begin, and their lengths
    """

    data: bytes
    codes: Bytes
    line_starts: Ints
    line_ends: Ints
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


class MentionArrays(NamedTuple):
    """The mentions of a file in reading order, each with its entity.

    places   a number for the span of each mention, increasing in reading order
    entity   the entity of each mention; entities are numbered in reading order
    sizes    the number of mentions of each entity
    bounds   the first entity of each document, and the number of entities
    """

    places: Ints
    entity: Ints
    sizes: Ints
    bounds: Ints


def read_pair(
    key: bytes, response: bytes, singletons: str
) -> tuple[list[str], list[ContingencyTable]] | None:
    """The names of the documents of two files, and their tables; None if they are unusual."""
    one, two = bracket_rows(key), bracket_rows(response)
    if one is None or two is None or not _same_text(one, two):
        return None
    frame = read_frame(one)
    cells, columns = _cells(one, two)
    known = _bracket_codes(cells)
    if frame is None or known is None:
        return None
    sides = [mention_arrays(column, known, frame, singletons) for column in columns]
    if sides[0] is None or sides[1] is None:
        return None
    return frame.names, list(tables(sides[0], sides[1]))


def bracket_rows(data: bytes) -> BracketRows | None:
    """The rows of a file whose last column is not `-`."""
    if not data.startswith(MAGIC) or not data.endswith(b"\n") or b"\r" in data or b"\0" in data:
        return None
    separator = TAB if b"\t" in data else SPACE
    codes = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(codes == NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    # a file begins with MAGIC, so there are two bytes before each line break
    empty = (codes[ends - 1] == DASH) & (codes[ends - 2] == separator)
    first = codes[starts]
    rows = np.flatnonzero(~empty & (first != NEWLINE) & (first != HASH))
    before = ends[rows] - 1
    walking = np.arange(len(rows))
    while len(walking):
        walking = walking[(code := codes[before[walking]]) != separator]
        if (code == NEWLINE).any():  # a row of one column
            return None
        before[walking] -= 1
    return BracketRows(data, codes, starts, ends, rows, before + 1, ends[rows] - before - 1)


def _same_text(key: BracketRows, response: BracketRows) -> bool:
    """Whether two files are the same but for their last columns.

    Where columns are aligned by spaces, their number does not matter.
    """
    if len(key.line_ends) != len(response.line_ends):
        return False
    lengths = np.ones((2, len(key.line_ends)), np.int64)
    lengths[0, key.rows], lengths[1, response.rows] = key.lengths, response.lengths
    unequal = np.flatnonzero(lengths[0] != lengths[1])
    if _text(key, unequal) == _text(response, unequal):
        return True
    if b"\t" in key.data or b"\t" in response.data:
        return False
    every = np.flatnonzero(_is_row(key))
    return [_SPACES.sub(b" ", each) for each in _text(key, every)] == [
        _SPACES.sub(b" ", each) for each in _text(response, every)
    ]


def _text(found: BracketRows, rows: Ints) -> list[bytearray]:
    """A file without the last columns of some rows, cut there, and with others as dashes."""
    data = bytearray(found.data)
    cells = np.repeat(found.starts, found.lengths) + _within(found.lengths)
    np.frombuffer(data, np.uint8)[cells] = DASH
    cuts = found.line_ends - 1  # `-`
    cuts[found.rows] = found.starts
    begins = [0, *found.line_ends[rows].tolist()]
    ends = [*cuts[rows].tolist(), len(data)]
    return [data[a:b] for a, b in zip(begins, ends, strict=True)]


def _within(lengths: Ints) -> Ints:
    """0, 1, 2, ... for each of several lengths."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _cells(key: BracketRows, response: BracketRows) -> tuple[list[bytes], tuple[Ints, Ints]]:
    """The different last columns of two files, and which of them each line of each file has.

    Short cells are compared as numbers, which is faster.
    """
    words = np.concatenate([_words(key), _words(response)])
    different, numbers = np.unique(words, return_inverse=True)
    cells = [b"-", *(int(word).to_bytes(8, "little").rstrip(b"\0") for word in different)]
    long: dict[bytes, int] = {}
    columns = []
    for found, number in ((key, numbers[: len(key.rows)]), (response, numbers[len(key.rows) :])):
        column = np.zeros(len(found.line_ends), np.int64)
        column[found.rows] = number + 1
        for at in np.flatnonzero(found.lengths > 8).tolist():
            start = int(found.starts[at])
            cell = found.data[start : start + int(found.lengths[at])]
            column[found.rows[at]] = long.setdefault(cell, len(cells) + len(long))
        columns.append(column)
    return [*cells, *long], (columns[0], columns[1])


def _words(found: BracketRows) -> NDArray[np.uint64]:
    """The bytes of each cell as one number; 45 (`-`) for cells that are too long."""
    words = np.zeros(len(found.rows), np.uint64)
    for at in range(8):
        some = np.flatnonzero((found.lengths > at) & (found.lengths <= 8))
        words[some] |= found.codes[found.starts[some] + at].astype(np.uint64) << np.uint64(8 * at)
    words[found.lengths > 8] = DASH
    return words


def _is_row(found: BracketRows) -> NDArray[np.bool_]:
    first = found.codes[found.line_starts]
    rows: NDArray[np.bool_] = (first != HASH) & (first != NEWLINE)
    return rows


def read_frame(found: BracketRows) -> Frame | None:
    """The documents of a file, if every line is a header, a row as wide as others, or empty."""
    data, starts, ends = found.data, found.line_starts, found.line_ends
    is_row = _is_row(found)
    headers = np.flatnonzero(~is_row & (starts < ends))
    spans = zip(starts[headers].tolist(), ends[headers].tolist(), strict=True)
    names = _names([data[start:end] for start, end in spans])
    if names is None or not _is_utf8(data):
        return None
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


def _widths(found: BracketRows, is_row: NDArray[np.bool_]) -> Ints | None:
    """The number of separators in each row; None if a column may be empty."""
    codes = found.codes
    tabs = b"\t" in found.data
    separates = codes == (TAB if tabs else SPACE)
    if tabs and (separates[1:] & separates[:-1]).any():
        return None
    if separates[found.line_starts[is_row]].any():
        return None
    if not tabs:
        separates[1:] &= codes[:-1] != SPACE  # the first of several spaces
    places = np.flatnonzero(separates)
    starts, ends = found.line_starts[is_row], found.line_ends[is_row]
    if not tabs:  # headers have spaces
        return np.searchsorted(places, ends) - np.searchsorted(places, starts)
    width = len(places) // len(starts)
    even = width > 0 and len(places) == width * len(starts)
    if even and (places[::width] > starts).all() and (places[width - 1 :: width] < ends).all():
        return np.full(len(starts), width)
    return np.searchsorted(places, ends) - np.searchsorted(places, starts)


def _even(separators: Ints | None, borders: Ints) -> bool:
    """Whether the rows of each document have the same number of columns, or enough of them."""
    if separators is None or separators.min() + 1 < LEAST_COLUMNS:
        return False
    firsts = borders[:-1]
    least = np.minimum.reduceat(separators, firsts)
    most = np.maximum.reduceat(separators, firsts)
    return bool(((least == most) | (least + 1 >= FREE_COLUMNS)).all())


class BracketCodes(NamedTuple):
    """The brackets of each different cell, one cell after the other.

    first    where the brackets of each cell begin, and the number of all
    codes    four times the number of the entity's id, 2 if it opens, 1 if it closes
    ids      the number of ids
    """

    first: Ints
    codes: Ints
    ids: int


def _bracket_codes(cells: list[bytes]) -> BracketCodes | None:
    """The brackets of cells; None if they are malformed."""
    ids: dict[bytes, int] = {}
    first, codes = [0], []
    for cell in cells:
        parsed = [] if cell in _NOTHING else _brackets(cell)
        if parsed is None:
            return None
        for opens, id, closes in parsed:
            codes.append(4 * ids.setdefault(id, len(ids)) + 2 * opens + closes)
        first.append(len(codes))
    return BracketCodes(np.array(first), np.array(codes, np.int64), max(len(ids), 1))


def mention_arrays(
    column: Ints, known: BracketCodes, frame: Frame, singletons: str
) -> MentionArrays | None:
    """The mentions of a file; None if brackets have no partner or a mention is repeated."""
    tokens, codes = _events(column, known, frame)
    document = np.searchsorted(frame.first, tokens, side="right") - 1
    groups = document * known.ids + codes // 4
    alone = codes & 3 == 3
    paired = _paired(tokens[~alone], groups[~alone], (codes & 2 > 0)[~alone])
    if paired is None:
        return None
    starts = np.concatenate([tokens[alone], paired[0]])
    ends = np.concatenate([tokens[alone], paired[1]])
    group = np.concatenate([groups[alone], paired[2]])
    places = starts * (int(frame.first[-1]) + 1) + ends
    order = np.argsort(places)
    places, group, starts = places[order], group[order], starts[order]
    if (places[1:] == places[:-1]).any():
        return None
    return _numbered(places, group, starts, frame, 2 if singletons == "drop" else 1)


def _events(column: Ints, known: BracketCodes, frame: Frame) -> tuple[Ints, Ints]:
    """The token and the code of each bracket of a file."""
    lengths = np.diff(known.first)[column]
    lines = np.flatnonzero(lengths)
    lengths = lengths[lines]
    codes = known.codes[np.repeat(known.first[column[lines]], lengths) + _within(lengths)]
    return np.repeat(frame.token_of[lines], lengths), codes


def _brackets(cell: bytes) -> list[tuple[bool, bytes, bool]] | None:
    """The brackets of a cell as (opens, entity, closes); None if they are malformed."""
    found = []
    for part in cell.split(b"|"):
        opens, closes = part[:1] == b"(", part[-1:] == b")"
        id = part[opens : len(part) - closes]
        if not id or not (opens or closes) or b"(" in id or b")" in id or b" " in id:
            break
        found.append((opens, id, closes))
    else:
        return found
    if not cell or not cell.isascii():
        return None
    parsed = brackets(cell.decode())
    if parsed is None:
        return None
    return [(bool(opens), id.encode(), bool(closes)) for opens, id, closes in parsed]


def _paired(tokens: Ints, groups: Ints, opens: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints] | None:
    """The first and last tokens of mentions, and their entities.

    At each level of nesting within an entity, brackets open and close in turn.
    """
    order = np.argsort(groups, kind="stable")
    tokens, groups, opens = tokens[order], groups[order], opens[order]
    depth = np.cumsum(np.where(opens, 1, -1))
    last = np.append(groups[1:] != groups[:-1], True)[: len(groups)]
    if len(depth) and (depth.min() < 0 or depth[last].any()):
        return None
    level = depth + ~opens
    order = np.argsort(groups * (int(level.max(initial=0)) + 1) + level, kind="stable")
    first, second = order[::2], order[1::2]
    return tokens[first], tokens[second], groups[first]


def _numbered(places: Ints, group: Ints, starts: Ints, frame: Frame, least: int) -> MentionArrays:
    """Mentions with their entities in reading order, without entities that are too small."""
    _, first, inverse, sizes = np.unique(
        group, return_index=True, return_inverse=True, return_counts=True
    )
    kept = sizes >= least
    order = np.flatnonzero(kept)[np.argsort(first[kept])]
    number = np.zeros(len(sizes), np.int64)
    number[order] = np.arange(len(order))
    mentions = kept[inverse]
    bounds = np.searchsorted(starts[first[order]], frame.first)
    return MentionArrays(places[mentions], number[inverse[mentions]], sizes[order], bounds)


def tables(key: MentionArrays, response: MentionArrays) -> Iterator[ContingencyTable]:
    """The contingency table of each document."""
    at = np.searchsorted(response.places, key.places)
    at[at == len(response.places)] = 0
    same = response.places[at] == key.places if len(response.places) else at < 0
    width = max(len(response.sizes), 1)
    cells, overlaps = np.unique(
        key.entity[same] * width + response.entity[at[same]], return_counts=True
    )
    rows, columns = cells // width, cells % width
    cuts = np.searchsorted(rows, key.bounds).tolist()
    spans = (pairwise(each) for each in (cuts, key.bounds.tolist(), response.bounds.tolist()))
    for (a, b), (k, k_end), (r, r_end) in zip(*spans, strict=True):
        yield ContingencyTable(
            key.sizes[k:k_end], response.sizes[r:r_end], rows[a:b] - k, columns[a:b] - r,
            overlaps[a:b],
        )  # fmt: skip
