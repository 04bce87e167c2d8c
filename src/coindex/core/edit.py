"""Documents made from documents: every change gives a new, valid one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span
from coindex.core.tokenize import sentences, tokens


def map_mentions(document: Document, change: Callable[[Mention], Mention | None]) -> Document:
    """Change or (with None) remove mentions; entities left empty go, doubles merge."""
    entities = []
    for entity in document.entities:
        kept: dict[tuple[Span, ...], Mention] = {}
        for mention in entity.mentions:
            changed = change(mention)
            if changed is not None:
                kept.setdefault(changed.spans, changed)
        if kept:
            entities.append(replace(entity, mentions=tuple(kept.values())))
    return replace(document, entities=tuple(entities))


def covered(document: Document) -> Document:
    """Discontinuous mentions become the span from their first to their last token."""
    return map_mentions(document, lambda m: replace(m, spans=(m.cover,)) if m.discontinuous else m)


def count_plural(document: Document) -> int:
    """How many spans are mentions of more than one entity."""
    places = Counter(m.spans for entity in document.entities for m in entity.mentions)
    return sum(count > 1 for count in places.values())


def count_crossing(document: Document) -> int:
    """How many mentions cross an earlier one of their own entity."""
    return sum(len(entity) - len(_uncrossed(entity)) for entity in document.entities)


def without_crossing(document: Document) -> Document:
    """No mention crosses another of its own entity: the later of two goes."""
    entities = (replace(entity, mentions=_uncrossed(entity)) for entity in document.entities)
    return replace(document, entities=tuple(entities))


def _uncrossed(entity: Entity) -> tuple[Mention, ...]:
    """The mentions in reading order, less those that cross one kept before.

    Pieces of two discontinuous mentions that overlap could be told apart by
    nobody, so they count as crossing too.
    """
    kept: list[Mention] = []
    open_: list[Span] = []
    reach = 0
    for mention in sorted(entity.mentions, key=lambda m: (m.start, -m.end)):
        open_ = [other for other in open_ if other.end > mention.start]
        crosses = any(other.crosses(span) for span in mention.spans for other in open_)
        if crosses or (mention.discontinuous and mention.start < reach):
            continue
        kept.append(mention)
        open_.extend(mention.spans)
        reach = max(reach, mention.end) if mention.discontinuous else reach
    return tuple(kept)


def without_zeros(document: Document) -> Document:
    """Empty tokens go; mentions shrink around them, those of nothing else go."""
    return without_tokens(document, document.zeros)


def without_tokens(document: Document, gone: Iterable[int]) -> Document:
    """Some tokens go, with all that is said of them; the text stays."""
    out = set(gone)
    keep = [index for index in range(len(document.tokens)) if index not in out]
    moved = [0, *accumulate(int(index not in out) for index in range(len(document.tokens)))]

    def column(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(values[index] for index in keep)

    new: dict[str, object] = {
        name: column(values)
        for name in ("tokens", "starts", "ends", "speakers", "pos", "lemma", "parse")
        if (values := getattr(document, name)) is not None
    }
    if document.heads is not None:
        heads = (document.heads[index] for index in keep)
        new["heads"] = tuple(-1 if head < 0 or head in out else moved[head] for head in heads)
    return replace(
        document,
        **new,  # type: ignore[arg-type]
        entities=_moved_entities(document.entities, moved, out),
        sentences=tuple(sorted({moved[first] for first in document.sentences} - {len(keep)})),
        zeros=tuple(moved[zero] for zero in document.zeros if zero not in out),
        layers=tuple((name, column(values)) for name, values in document.layers),
    )


def _moved_entities(
    entities: Iterable[Entity], moved: list[int], out: set[int]
) -> tuple[Entity, ...]:
    kept = []
    for entity in entities:
        mentions: dict[tuple[Span, ...], Mention] = {}
        for mention in entity.mentions:
            spans, head = _shifted(mention, moved), mention.head
            if spans:
                head = None if head is None or head in out else moved[head]
                mentions.setdefault(spans, replace(mention, spans=spans, head=head))
        if mentions:
            kept.append(replace(entity, mentions=tuple(mentions.values())))
    return tuple(kept)


def _shifted(mention: Mention, moved: list[int]) -> tuple[Span, ...]:
    """The mention's spans after the move; spans that now touch become one."""
    spans: list[Span] = []
    for span in mention.spans:
        start, end = moved[span.start], moved[span.end]
        if start == end:
            continue
        if spans and spans[-1].end == start:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
    return tuple(spans)


def retokenized(document: Document, borders: Iterable[int]) -> Document:
    """Tokens and sentences made anew from the text; mentions keep their characters."""
    spans = list(tokens(document.text, borders))
    starts, ends = tuple(s for s, _ in spans), tuple(e for _, e in spans)
    first = {start: index for index, start in enumerate(starts)}
    last = {end: index + 1 for index, end in enumerate(ends)}

    def move(mention: Mention) -> Mention | None:
        places = [document.chars(span) for span in mention.spans]
        if not all(place and place.start in first and place.end in last for place in places):
            return None  # it stands on no characters, or ends within a token
        new = tuple(Span(first[place.start], last[place.end]) for place in places)
        return replace(mention, spans=new, head=None)

    entities = []
    for entity in document.entities:
        mentions = {m.spans: m for m in map(move, entity.mentions) if m}
        if mentions:
            entities.append(replace(entity, mentions=tuple(mentions.values())))
    return Document(
        document.id,
        document.text,
        tuple(document.text[start:end] for start, end in spans),
        starts,
        ends,
        sentences(document.text, spans),
        tuple(entities),
        part=document.part,
        meta=document.meta,
    )


def resplit(document: Document) -> Document:
    """Sentences made anew from the text."""
    spans = list(zip(document.starts, document.ends, strict=True))
    return replace(document, sentences=sentences(document.text, spans))
