"""Mentions counted within their sentences, and trees given sentence by sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.tree import read_penn


@dataclass(frozen=True, slots=True)
class SentenceMap:
    """The number of the first token of each sentence, and the number of all tokens."""

    borders: tuple[int, ...]

    def span(self, sentence: int, start: int, end: int) -> tuple[int, int] | None:
        """The span in the document of a half-open span in a sentence; None if it lies outside."""
        if not 0 <= sentence < len(self.borders) - 1:
            return None
        first = self.borders[sentence]
        if not 0 <= start < end <= self.borders[sentence + 1] - first:
            return None
        return first + start, first + end


def sentence_place(document: Document, mention: Mention) -> tuple[int, int, int]:
    """The sentence of a mention, and its half-open span there."""
    number = bisect_right(document.sentences, mention.start) - 1
    first = document.sentences[number]
    return number, mention.start - first, mention.end - first


def penn_columns(
    trees: Sequence[str | None], lengths: Sequence[int]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The tags and fragments of Penn brackets, one string a sentence; None if some do not fit."""
    tags: list[str] = []
    fragments: list[str] = []
    for text, length in zip(trees, lengths, strict=True):
        try:
            found = list(read_penn(text or ""))
        except InvalidValue:
            return None
        if len(found) != 1 or len(found[0][0]) != length:
            return None
        tags += found[0][1]
        fragments += found[0][2]
    return tuple(tags), tuple(fragments)
