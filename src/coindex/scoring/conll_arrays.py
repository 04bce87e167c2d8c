"""CoNLL-2012 files as arrays of mentions: a key and a response read without making documents.

To score by exact match, nothing but the brackets of the last column is needed, once it is certain
that both files have the same words (see `conll_lines`). Whatever is unusual (other text, dialects,
mistakes, repeated mentions, compressed files) makes `read_pair` return None: then the full reader
reads the files, with its checks and messages. Both give the same tables, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coindex.formats.conll_cells import brackets
from coindex.scoring.conll_lines import (
    DASH,
    BracketRows,
    Frame,
    bracket_rows,
    read_frame,
    same_text,
)
from coindex.scoring.contingency import Ints
from coindex.scoring.table_stack import TableStack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTHING = (b"-", b"_", b"*")
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)


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


def read_pair(key: bytes, response: bytes, singletons: str) -> tuple[list[str], TableStack] | None:
    """The names of the documents of two files, and their tables; None if they are unusual."""
    one, two = bracket_rows(key), bracket_rows(response)
    if one is None or two is None or not same_text(one, two):
        return None
    frame = read_frame(one)
    if frame is None:
        return None
    cells, columns = _cells(one, two)
    known = _bracket_codes(cells)
    if known is None:
        return None
    sides = [
        mention_arrays(frame.token_of[found.rows], cell_of, known, frame, singletons)
        for found, cell_of in zip((one, two), columns, strict=True)
    ]
    if sides[0] is None or sides[1] is None:
        return None
    return frame.names, table_stack(sides[0], sides[1])


def _within(lengths: Ints) -> Ints:
    """0, 1, 2, ... for each of several lengths."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _cells(key: BracketRows, response: BracketRows) -> tuple[list[bytes], tuple[Ints, Ints]]:
    """The different last columns of two files, and which of them each row of each file has.

    Short cells are compared as numbers, which is faster.
    """
    words = _words(key), _words(response)
    ordered = np.sort(np.concatenate(words))
    different = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    cells = [int(word).to_bytes(8, "little").rstrip(b"\0") for word in different]
    long: dict[bytes, int] = {}
    columns = []
    for found, word in zip((key, response), words, strict=True):
        column = np.searchsorted(different, word)
        for at in np.flatnonzero(found.lengths > 8).tolist():
            start = int(found.starts[at])
            cell = found.data[start : start + int(found.lengths[at])]
            column[at] = long.setdefault(cell, len(cells) + len(long))
        columns.append(column)
    return [*cells, *long], (columns[0], columns[1])


def _words(found: BracketRows) -> NDArray[np.uint64]:
    """The bytes of each cell as one number; 45 (`-`) for cells that are too long.

    The last line is the end of a document, so eight bytes can be read from each cell on.
    """
    eight = np.ndarray(len(found.data) - 7, "<u8", found.data, strides=(1,))
    words: NDArray[np.uint64] = eight[found.starts] & _MASKS[np.minimum(found.lengths, 8)]
    words[found.lengths > 8] = DASH
    return words


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
    rows: Ints, cell_of: Ints, known: BracketCodes, frame: Frame, singletons: str
) -> MentionArrays | None:
    """The mentions of a file; None if brackets have no partner or a mention is repeated.

    rows, cell_of  the tokens whose rows have brackets, and the cells of these
    """
    lengths = np.diff(known.first)[cell_of]
    codes = known.codes[np.repeat(known.first[cell_of], lengths) + _within(lengths)]
    tokens = np.repeat(rows, lengths)
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
    order = np.argsort(places, kind="stable")  # made of a few runs that are in order
    places, group, starts = places[order], group[order], starts[order]
    if (places[1:] == places[:-1]).any():
        return None
    return _numbered(places, group, starts, frame, 2 if singletons == "drop" else 1)


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


def table_stack(key: MentionArrays, response: MentionArrays) -> TableStack:
    """The contingency tables of all documents."""
    at = np.searchsorted(response.places, key.places)
    at[at == len(response.places)] = 0
    same = response.places[at] == key.places if len(response.places) else at < 0
    width = max(len(response.sizes), 1)
    cells, overlaps = np.unique(
        key.entity[same] * width + response.entity[at[same]], return_counts=True
    )
    rows, columns = cells // width, cells % width
    documents = np.arange(len(key.bounds) - 1)
    of_key, of_response = (np.repeat(documents, np.diff(side.bounds)) for side in (key, response))
    return TableStack(
        len(documents), key.sizes, response.sizes, rows, columns, overlaps,
        of_key, of_response, of_key[rows],
    )  # fmt: skip
