"""Projecting entities onto other tokens of the same text.

A system that is given plain text splits it into tokens of its own. Its mentions are placed on
the tokens of a key by their characters, white space aside. Tokens of white space, as spaCy makes
them for empty lines, have no characters, and `-LRB-` is the bracket that it stands for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from coindex.text.char_alignment import nonspace_text
from coindex.transform.edit import map_mentions
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.span import Span


@dataclass(frozen=True, slots=True)
class Projection:
    """A document over other tokens; `widened` counts mentions that ended within one of them."""

    document: Document
    widened: int


def project(document: Document, key: Document) -> Projection | None:
    """The entities of a document on the tokens of a key.

    None if the tokens are the same already, or do not spell the same characters, or if there are
    zeros or mentions of white space alone, which spell none.
    """
    if document.tokens == key.tokens or key.zeros or document.zeros:
        return None
    own, other = ([nonspace_text(t).text for t in each.tokens] for each in (document, key))
    placed = (any(own[s.start : s.end]) for m in document.mentions for s in m.spans)
    if "".join(own) != "".join(other) or not all(placed):
        return None
    borders = [0, *accumulate(map(len, own))]
    starts = [0, *accumulate(map(len, other))]
    owner = [index for index, word in enumerate(other) for _ in word]
    widened = 0

    def move(mention: Mention) -> Mention:
        nonlocal widened
        spans: list[Span] = []
        for span in mention.spans:
            first, end = borders[span.start], borders[span.end]
            new = Span(owner[first], owner[end - 1] + 1)
            widened += (starts[new.start], starts[new.end]) != (first, end)
            if spans and spans[-1].end >= new.start:
                new = Span(spans.pop().start, new.end)
            spans.append(new)
        return replace(mention, spans=tuple(spans), head=None)

    moved = map_mentions(_over_any_tokens(document, key), move)
    columns = (key.text, key.tokens, key.starts, key.ends, key.sentences)
    return Projection(Document(document.id, *columns, moved.entities, document.part), widened)


def _over_any_tokens(document: Document, key: Document) -> Document:
    """The entities over so many tokens that both the old and the new spans are within them."""
    count = max(len(document), len(key))
    return Document.of(document.id, [["_"] * count], document.entities)
