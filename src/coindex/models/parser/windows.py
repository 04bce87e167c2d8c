"""What the network reads: sentences packed into windows of subwords, with features of words.

A window holds whole sentences of one document, one after another, as many as fit: sentences
see their neighbours, and nothing is padded. A sentence of more than `MAX_WORDS` words is parsed
in parts (`sentence_parts`): chart decoding takes time and memory that grow faster than length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coindex.models.common.subwords import SubwordTokenizer
from coindex.types.document import Document
from coindex.types.span import Span

Ints = NDArray[np.int64]

MAX_WORDS = 150
"""Longer sentences are split: after the last `; : . ! ?`, else comma, else word that fits."""
MAX_TREE_SUBWORDS = 400
"""Sentences of more subwords are split too; the encoder reads 512."""
_STRONG = frozenset({";", ":", ".", "!", "?", "...", "…", "--", "—"})
_WEAK = frozenset({",", ")", "-RRB-", '"', "''", "”"})
SHAPES = ("special", "lower", "title", "upper", "letter", "mixed", "digit", "mark")
EDGES = 4
"""Whether a word is the first (1) and the last (2) of its sentence, added."""


@dataclass(frozen=True, slots=True)
class Window:
    """Subwords with the shape and the edge of their words, and the sentences over them.

    subwords, shapes, edges  one value per subword, the special ones included
    firsts, lasts            the indices of each word's first and last subword
    sentences                the words of each sentence, as indices into `firsts`
    spans                    the same sentences in the document
    """

    subwords: Ints
    shapes: Ints
    edges: Ints
    firsts: Ints
    lasts: Ints
    sentences: tuple[Span, ...]
    spans: tuple[Span, ...]


def document_windows(
    document: Document, tokenizer: SubwordTokenizer, size: int
) -> Iterator[Window]:
    """The windows of a document; a sentence of more than `size` subwords is alone in its own."""
    words = tokenizer.of(document.tokens)
    zeros = frozenset(document.zeros)
    lengths = [0 if at in zeros else len(word) for at, word in enumerate(words)]
    group: list[Span] = []
    filled = 2
    for span in sentence_parts(document, lengths):
        length = sum(lengths[span.start : span.end])
        if group and filled + length > size:
            yield _window(document, words, group, tokenizer)
            group, filled = [], 2
        group.append(span)
        filled += length
    if group:
        yield _window(document, words, group, tokenizer)


def sentence_parts(document: Document, lengths: Sequence[int]) -> Iterator[Span]:
    """The sentences of a document, long ones in parts."""
    for span in document.sentence_spans():
        start = span.start
        while end := _end_of_part(document.tokens, lengths, start, span.end):
            yield Span(start, end)
            start = end


def _end_of_part(tokens: Sequence[str], lengths: Sequence[int], start: int, end: int) -> int:
    """One past the last word of the part that begins at `start`; 0 if there is nothing left."""
    if start >= end:
        return 0
    last, filled = start, 0
    while last < end and last - start < MAX_WORDS and filled + lengths[last] <= MAX_TREE_SUBWORDS:
        filled += lengths[last]
        last += 1
    if last == end:
        return end
    for marks in (_STRONG, _WEAK):
        for at in range(last - 1, start + (last - start) // 2, -1):
            if tokens[at] in marks:
                return at + 1
    return max(last, start + 1)


def _window(
    document: Document, words: Sequence[Sequence[int]], group: Sequence[Span],
    tokenizer: SubwordTokenizer,
) -> Window:  # fmt: skip
    zeros = frozenset(document.zeros)
    subwords, shapes, edges = [tokenizer.begin], [0], [0]
    firsts: list[int] = []
    lasts: list[int] = []
    sentences: list[Span] = []
    spans: list[Span] = []
    for span in group:
        read = [at for at in range(span.start, span.end) if at not in zeros]
        if not read:
            continue
        sentences.append(Span(len(firsts), len(firsts) + len(read)))
        spans.append(span)
        for at in read:
            count = len(words[at])
            firsts.append(len(subwords))
            subwords += words[at]
            lasts.append(len(subwords) - 1)
            shapes += [_shape(document.tokens[at])] * count
            edges += [(at == read[0]) + 2 * (at == read[-1])] * count
    return Window(
        _array([*subwords, tokenizer.end]), _array([*shapes, 0]), _array([*edges, 0]),
        _array(firsts), _array(lasts), tuple(sentences), tuple(spans),
    )  # fmt: skip


def _array(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)


@lru_cache(maxsize=1 << 16)
def _shape(token: str) -> int:
    """The index of a word's shape in `SHAPES`."""
    if token.islower():
        return 1
    if token.isupper():
        return 4 if len(token) == 1 else 3
    if token.istitle():
        return 2
    if any(character.isdigit() for character in token):
        return 6
    return 5 if any(character.isalpha() for character in token) else 7
