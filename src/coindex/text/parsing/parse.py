"""`Parse`: the tokens, tree and names of a text, and their compact form on disk.

Only `spacy_pipeline` uses spaCy; everything else works on a `Parse`, which can be read from the
cache without loading spaCy at all.

The packed form has a checksum, a header, the labels used, one per line, and then columns of
16-bit numbers (32-bit if the text is longer than 65,535 characters).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from coindex.errors import InvalidValue

LAYOUT = 3
"""The version of the packed form, raised whenever it or the normalisation of texts changes."""

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


def join_parses(parses: Sequence[Parse], offsets: Sequence[int]) -> Parse:
    """The parse of a text from those of its segments, each with its offset in the text."""
    columns: list[list[Any]] = [[] for _ in fields(Parse)]
    token, sentence = 0, 0
    for parse, offset in zip(parses, offsets, strict=True):
        moved: tuple[Sequence[Any], ...] = (
            [at + offset for at in parse.starts], [at + offset for at in parse.ends],
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
    import numpy as np

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
    """The parse that is packed in some bytes; `InvalidValue` if they are damaged."""
    import numpy as np

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
    entities = tuple((first, last, labels[label]) for first, last, label in zip(rest, rest, rest))  # noqa: B905
    named = _named(labels, (tags, pos, deps))
    return Parse(tuple(starts), tuple(ends), *named, tuple(heads), tuple(sentences), entities)


def _named(
    labels: list[str], columns: Iterable[list[int]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    tags, pos, deps = (tuple(map(labels.__getitem__, column)) for column in columns)
    return tags, pos, deps
