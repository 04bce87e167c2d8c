"""Long documents in parts: the pairs of a document grow with the square of its length.

Only for training. A part ends where a sentence does, if any sentence ends in it;
mentions that would be cut are left out, and an entity goes on in each part anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span


def parts(document: Document, longest: int) -> Iterator[Document]:
    """The document in parts of at most `longest` words; itself if it is no longer."""
    if len(document) <= longest:
        yield document
        return
    first = 0
    while first < len(document):
        last = _end(document, first, longest)
        yield _part(document, first, last)
        first = last


def _end(document: Document, first: int, longest: int) -> int:
    most = first + longest
    if most >= len(document):
        return len(document)
    at = bisect_right(document.sentences, most) - 1
    return document.sentences[at] if document.sentences[at] > first else most


def _part(document: Document, first: int, last: int) -> Document:
    inner = document.sentences[
        bisect_right(document.sentences, first) : bisect_left(document.sentences, last)
    ]
    entities = []
    for entity in document.entities:
        kept = tuple(
            _moved(mention, first)
            for mention in entity.mentions
            if first <= mention.start and mention.end <= last
        )
        if kept:
            entities.append(Entity(kept, entity.id))
    speakers = document.speakers[first:last] if document.speakers is not None else None
    return replace(
        document, id=f"{document.key}, from word {first}", part=None,
        tokens=document.tokens[first:last], starts=document.starts[first:last],
        ends=document.ends[first:last], sentences=(0, *(s - first for s in inner)),
        entities=tuple(entities), speakers=speakers, pos=None, lemma=None, parse=None, heads=None,
        zeros=(), layers=(),
    )  # fmt: skip


def _moved(mention: Mention, by: int) -> Mention:
    return Mention(tuple(Span(span.start - by, span.end - by) for span in mention.spans))
