"""A text with its mentions in brackets: `[Ann Lee]_1 saw [[her]_1 brother]_2`.

The number after a bracket is that of the entity (see `resolved`); with `subscripts`
it is `[Ann Lee]₁`. Nothing of the text is changed or left out, brackets are only put
in, so its white space stays and its line breaks too. For people: brackets that are in
the text already are not marked in any way.

- A mention of two entities: `[they]_1+2`.
- Nested mentions open the longest first; one bracket closes each.
- Crossing mentions have their number at both ends: `[_3 a [_4 b]_3 c]_4`.
- The parts of a discontinuous mention stand in brackets each, with `...` (or `…`)
  on the side of the gap: `[take...]_1 [it]_2 [...off]_1`.
- A mention without characters (a zero) is an empty pair: `[]_1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coindex.core.document import Document
from coindex.core.resolved import numbered
from coindex.core.span import Chars, Span

_SUBSCRIPTS = str.maketrans("0123456789+", "₀₁₂₃₄₅₆₇₈₉₊")


class _Part(NamedTuple):
    """A stretch of a mention, with what is written before and after it."""

    start: int
    end: int
    before: str
    after: str


def brackets(document: Document, *, singletons: bool = True, subscripts: bool = False) -> str:
    """The text of a document with its mentions in brackets."""
    pieces: list[str] = []
    at = 0
    for place, mark in insertions(document, singletons, subscripts):
        pieces += (document.text[at:place], mark)
        at = place
    return "".join((*pieces, document.text[at:]))


def insertions(
    document: Document, singletons: bool = True, subscripts: bool = False
) -> tuple[tuple[int, str], ...]:
    """What is put into the text, and before which character, in order."""
    owners: dict[tuple[Span, ...], list[int]] = {}
    for number, entity in enumerate(numbered(document, singletons), 1):
        for mention in entity.mentions:
            owners.setdefault(mention.spans, []).append(number)
    places = {spans: [document.chars(span) for span in spans] for spans in owners}
    crossed = _crossed([chars for parts in places.values() for chars in parts])
    found: list[_Part] = []
    for spans, numbers in owners.items():
        label = "+".join(map(str, numbers))
        tag = label.translate(_SUBSCRIPTS) if subscripts else f"_{label}"
        crossing = any(chars in crossed for chars in places[spans])
        found += _parts(places[spans], tag, crossing, "…" if subscripts else "...")
    return tuple(_ordered(found))


def _parts(places: Sequence[Chars], tag: str, crosses: bool, gap: str) -> Iterator[_Part]:
    for at, chars in enumerate(places):
        before = "[" + (f"{tag} " if crosses else "") + gap * (at > 0)
        after = gap * (at + 1 < len(places)) + "]" + tag
        yield _Part(chars.start, chars.end, before, after)


def _ordered(parts: Sequence[_Part]) -> Iterator[tuple[int, str]]:
    """Brackets in the order they are written.

    At one place those end that began last, then empty ones stand, then those begin
    that end last.
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


def _crossed(places: Sequence[Chars]) -> frozenset[Chars]:
    """The stretches that overlap another without one being inside the other."""
    found: set[Chars] = set()
    open_: list[Chars] = []
    for chars in sorted({c for c in places if c}, key=lambda c: (c.start, -c.end)):
        open_ = [other for other in open_ if other.end > chars.start]
        crossing = [other for other in open_ if other.end < chars.end]
        if crossing:
            found.update((chars, *crossing))
        open_.append(chars)
    return frozenset(found)
