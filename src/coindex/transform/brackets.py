"""A text with its mentions in brackets: `[Ann Lee]_1 saw [[her]_1 brother]_2`.

The number after a bracket is that of the entity (see `resolution`); with `subscripts`
it is `[Ann Lee]₁`. Brackets are only inserted: the text itself, with its white space
and line breaks, is unchanged. The output is meant for people: brackets that are
already in the text are not escaped.

- A mention of two entities: `[they]_1+2`.
- Nested mentions open the longest first; one bracket closes each.
- Crossing mentions have their number at both ends: `[_3 a [_4 b]_3 c]_4`.
- Each part of a discontinuous mention is in brackets, with `...` (or `…`) on the side
  of the gap: `[take...]_1 [it]_2 [...off]_1`.
- A mention without characters (a zero) is an empty pair: `[]_1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coindex.transform.resolved_entities import numbered_entities
from coindex.types.document import Document
from coindex.types.span import Chars, Span

_SUBSCRIPTS = str.maketrans("0123456789+", "₀₁₂₃₄₅₆₇₈₉₊")


class _Part(NamedTuple):
    """The range of a part of a mention, with the marks before and after it."""

    start: int
    end: int
    before: str
    after: str


def bracketed_text(document: Document, *, singletons: bool = True, subscripts: bool = False) -> str:
    """The text of a document with its mentions in brackets."""
    parts: list[str] = []
    at = 0
    for offset, mark in bracket_insertions(document, singletons, subscripts):
        parts += (document.text[at:offset], mark)
        at = offset
    return "".join((*parts, document.text[at:]))


def bracket_insertions(
    document: Document, singletons: bool = True, subscripts: bool = False
) -> tuple[tuple[int, str], ...]:
    """The inserted marks with their offsets in the text, in order."""
    owners: dict[tuple[Span, ...], list[int]] = {}
    for number, entity in enumerate(numbered_entities(document, singletons), 1):
        for mention in entity.mentions:
            owners.setdefault(mention.spans, []).append(number)
    ranges = {spans: [document.chars(span) for span in spans] for spans in owners}
    crossed = _crossed([chars for parts in ranges.values() for chars in parts])
    brackets: list[_Part] = []
    for spans, numbers in owners.items():
        label = "+".join(map(str, numbers))
        tag = label.translate(_SUBSCRIPTS) if subscripts else f"_{label}"
        crossing = any(chars in crossed for chars in ranges[spans])
        brackets += _parts(ranges[spans], tag, crossing, "…" if subscripts else "...")
    return tuple(_ordered(brackets))


def _parts(ranges: Sequence[Chars], tag: str, crosses: bool, gap: str) -> Iterator[_Part]:
    for at, chars in enumerate(ranges):
        before = "[" + (f"{tag} " if crosses else "") + gap * (at > 0)
        after = gap * (at + 1 < len(ranges)) + "]" + tag
        yield _Part(chars.start, chars.end, before, after)


def _ordered(parts: Sequence[_Part]) -> Iterator[tuple[int, str]]:
    """Marks with their offsets, in the order of writing.

    At one offset, closing brackets come first, the innermost first, then empty pairs, then
    opening brackets, the outermost first.
    """
    marks: list[tuple[tuple[int, int, int], str]] = []
    for rank, part in enumerate(sorted(parts, key=lambda p: (p.start, -p.end))):
        if part.start == part.end:
            marks.append(((part.start, 1, rank), part.before + part.after))
        else:
            marks.append(((part.start, 2, rank), part.before))
            marks.append(((part.end, 0, -rank), part.after))
    for (at, *_), mark in sorted(marks):
        yield at, mark


def _crossed(ranges: Sequence[Chars]) -> frozenset[Chars]:
    """The ranges that overlap another range, neither being inside the other."""
    crossing_ranges: set[Chars] = set()
    open_: list[Chars] = []
    for chars in sorted({c for c in ranges if c}, key=lambda c: (c.start, -c.end)):
        open_ = [other for other in open_ if other.end > chars.start]
        crossing = [other for other in open_ if other.end < chars.end]
        if crossing:
            crossing_ranges.update((chars, *crossing))
        open_.append(chars)
    return frozenset(crossing_ranges)
