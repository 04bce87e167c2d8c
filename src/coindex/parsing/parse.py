"""`Parse`: what the cues need of a parsed text, and its compact form on disk.

Nothing but `pipeline` touches spaCy; everything else works on a `Parse`, which
can come out of a cache without spaCy being loaded at all.

Packed: a checksum, a header, the labels used, by line, and then columns of
16-bit numbers (32-bit where the text is longer than 65,535 characters).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from coindex.errors import InvalidValue

LAYOUT = 3
"""Raised whenever packed parses change, or the cleaning of texts before parsing."""

_HEADER = struct.Struct("<IBII")  # checksum, width of a number, tokens, bytes of labels
_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class Parse:
    """A text's tokens (as characters of the original text), tree and named entities.

    heads      the token each depends on; a root depends on itself
    sentences  the number of each token's sentence
    entities   first token, token after the last, label; in order, without overlaps
    """

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: tuple[str, ...]
    pos: tuple[str, ...]
    deps: tuple[str, ...]
    heads: tuple[int, ...]
    sentences: tuple[int, ...]
    entities: tuple[tuple[int, int, str], ...] = ()

    def __len__(self) -> int:
        return len(self.starts)


def join(parses: Sequence[Parse], places: Sequence[int]) -> Parse:
    """The parse of a text from those of its pieces, each of which begins at a place of it."""
    columns: list[list[Any]] = [[] for _ in fields(Parse)]
    token, sentence = 0, 0
    for parse, place in zip(parses, places, strict=True):
        moved: tuple[Sequence[Any], ...] = (
            [at + place for at in parse.starts], [at + place for at in parse.ends],
            parse.tags, parse.pos, parse.deps, [at + token for at in parse.heads],
            [at + sentence for at in parse.sentences],
            [(first + token, last + token, label) for first, last, label in parse.entities],
        )  # fmt: skip
        for column, more in zip(columns, moved, strict=True):
            column.extend(more)
        token += len(parse)
        sentence += max(parse.sentences, default=-1) + 1
    return Parse(*map(tuple, columns))


def pack(parse: Parse) -> bytes:
    """A parse as bytes."""
    used = (*parse.tags, *parse.pos, *parse.deps, *(label for *_, label in parse.entities))
    labels = {label: number for number, label in enumerate(dict.fromkeys(used))}
    numbers: list[int] = [*parse.starts, *parse.ends]
    for column in (parse.tags, parse.pos, parse.deps):
        numbers += map(labels.__getitem__, column)
    numbers += [*parse.heads, *parse.sentences]
    for start, end, label in parse.entities:
        numbers += (start, end, labels[label])
    table = "\n".join(labels).encode()
    width = 2 if max(numbers, default=0) < 1 << 16 else 4
    body = table + np.asarray(numbers, dtype=f"<u{width}").tobytes()
    head = _HEADER.pack(0, width, len(parse), len(table))[4:]
    return struct.pack("<I", zlib.crc32(head + body)) + head + body


def unpack(data: bytes) -> Parse:
    """The parse packed in some bytes; `InvalidValue` where they are damaged."""
    if len(data) < _HEADER.size or zlib.crc32(data[4:]) != struct.unpack_from("<I", data)[0]:
        raise InvalidValue(f"expected a packed parse, found {len(data)} damaged bytes")
    _, width, size, table = _HEADER.unpack_from(data)
    start = _HEADER.size + table
    labels = data[_HEADER.size : start].decode().split("\n")
    numbers = np.frombuffer(data, dtype=f"<u{width}", offset=start).tolist()
    starts, ends, tags, pos, deps, heads, sentences = (
        numbers[at * size : (at + 1) * size] for at in range(_COLUMNS)
    )
    rest = iter(numbers[_COLUMNS * size :])
    found = tuple((first, last, labels[label]) for first, last, label in zip(rest, rest, rest))  # noqa: B905
    named = _named(labels, (tags, pos, deps))
    return Parse(tuple(starts), tuple(ends), *named, tuple(heads), tuple(sentences), found)


def _named(
    labels: list[str], columns: Iterable[list[int]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    tags, pos, deps = (tuple(map(labels.__getitem__, column)) for column in columns)
    return tags, pos, deps
