"""A text laid out from tokens and their offsets, for tools that do not store the text."""

from __future__ import annotations

from collections.abc import Sequence

from coindex.types.document import Document

LONGEST = 50_000_000
"""The longest text that is laid out: offsets beyond it are taken for mistakes."""


def laid_out_text(
    tokens: Sequence[str], starts: Sequence[int], ends: Sequence[int], firsts: Sequence[int]
) -> str | None:
    """A text with each token at its offsets; None if the offsets do not fit the tokens.

    Gaps are spaces; the gap before a sentence begins with a line break.
    """
    parts: list[str] = []
    at, lines = 0, frozenset(firsts)
    for index, (token, start, end) in enumerate(zip(tokens, starts, ends, strict=True)):
        if start < at or end - start != len(token) or end > LONGEST:
            return None
        gap = " " * (start - at)
        parts.append("\n" + gap[1:] if gap and at and index in lines else gap)
        parts.append(token)
        at = end
    return "".join(parts)


def with_layout(
    document: Document, offsets: Sequence[tuple[int, int] | None], words: Sequence[str]
) -> Document:
    """The document with its tokens at these offsets, if all are known and fit; else unchanged.

    words  the tokens as the text spells them
    """
    known = [pair for pair in offsets if pair is not None]
    if len(known) < len(document):
        return document
    starts, ends = tuple(start for start, _ in known), tuple(end for _, end in known)
    text = laid_out_text(words, starts, ends, document.sentences)
    return document if text is None else replaced_text(document, text, starts, ends)


def replaced_text(
    document: Document, text: str, starts: tuple[int, ...], ends: tuple[int, ...]
) -> Document:
    """The document over another text, with the offsets of its tokens there."""
    fields = {name: getattr(document, name) for name in document.__slots__}
    return Document(**{**fields, "text": text, "starts": starts, "ends": ends})
