"""What was found in a document, for programs: entities with names, offsets and confidence.

A resolver's answer is a plain `Document`. How sure it was stands in the attributes of
each mention: `confidence` that it is a mention, `link` that it belongs to the entity
by the mention before it. Both are numbers from 0 to 1, written as text; gold documents
have none. Here they are read, and every entity gets a number and a name.

Entities with several mentions are numbered first, then those mentioned once, both in
reading order: leaving singletons out changes no number. Every output of coindex
(brackets, table, page, JSON) uses these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.naming import best_name, kind_in
from coindex.core.span import Chars, Span


@dataclass(frozen=True, slots=True)
class Found:
    """A mention: its words, where they stand, and how sure the resolver was.

    chars   in the original text; several where the mention is discontinuous
    tokens  the same in tokens of the document
    kind    "pronoun", "name" or "nominal"
    """

    text: str
    chars: tuple[Chars, ...]
    tokens: tuple[Span, ...]
    kind: str
    confidence: float | None = None
    link: float | None = None

    @property
    def start(self) -> int:
        """The first character."""
        return self.chars[0].start

    @property
    def end(self) -> int:
        """One past the last character."""
        return self.chars[-1].end


@dataclass(frozen=True, slots=True)
class Resolved:
    """An entity: its number in all outputs, its best name, and its mentions."""

    number: int
    name: str
    mentions: tuple[Found, ...]
    id: str | None = None

    @property
    def confidence(self) -> float | None:
        """The mean of its links, or of its mentions where there are no links; None without."""
        links = [m.link for m in self.mentions if m.link is not None]
        values = links or [m.confidence for m in self.mentions if m.confidence is not None]
        return sum(values) / len(values) if values else None


def numbered(document: Document, singletons: bool = True) -> tuple[Entity, ...]:
    """A document's entities in the order of their numbers, which begin with 1."""
    shown = [entity for entity in document.entities if singletons or not entity.singleton]
    return tuple(sorted(shown, key=lambda entity: entity.singleton))


def entities_of(document: Document, singletons: bool = True) -> tuple[Resolved, ...]:
    """The entities of a document by their numbers, with or without those mentioned once."""
    return tuple(
        Resolved(
            number,
            best_name(document, entity),
            tuple(_found(document, mention) for mention in entity.mentions),
            entity.id,
        )
        for number, entity in enumerate(numbered(document, singletons), 1)
    )


def sureness(mention: Mention, name: str) -> float | None:
    """The attribute `confidence` or `link` of a mention; None where it is no share of 1."""
    for key, value in mention.attrs:
        if key == name:
            try:
                number = float(value)
            except ValueError:
                return None
            return number if 0 <= number <= 1 else None
    return None


def _found(document: Document, mention: Mention) -> Found:
    return Found(
        document.text_of(mention),
        tuple(document.chars(span) for span in mention.spans),
        mention.spans,
        kind_in(document, mention),
        sureness(mention, "confidence"),
        sureness(mention, "link"),
    )


def as_json(document: Document, *, text: bool = True, singletons: bool = True) -> dict[str, Any]:
    """A resolved document as plain JSON values.

    Offsets count code points of the text, tokens are counted from 0, ends are
    excluded. A discontinuous mention has its parts in `parts`, and `start` and `end`
    are its outer borders. What is not known is left out.
    """
    entities = [_entity_json(entity) for entity in entities_of(document, singletons)]
    words = {"text": document.text} if text else {}
    part = {} if document.part is None else {"part": document.part}
    return {"id": document.id, **part, **words, "entities": entities}


def _entity_json(entity: Resolved) -> dict[str, Any]:
    sure = {} if entity.confidence is None else {"confidence": round(entity.confidence, 4)}
    mentions = [_mention_json(mention) for mention in entity.mentions]
    return {"number": entity.number, "name": entity.name, **sure, "mentions": mentions}


def _mention_json(found: Found) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "text": found.text,
        "start": found.start,
        "end": found.end,
        "token_start": found.tokens[0].start,
        "token_end": found.tokens[-1].end,
        "kind": found.kind,
    }
    if len(found.chars) > 1:
        fields["parts"] = [[chars.start, chars.end] for chars in found.chars]
        fields["token_parts"] = [[span.start, span.end] for span in found.tokens]
    sure = {"confidence": found.confidence, "link": found.link}
    return fields | {name: value for name, value in sure.items() if value is not None}
