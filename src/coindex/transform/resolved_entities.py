"""The entities of a resolved document, with names, numbers, offsets and confidence.

A resolver returns a plain `Document`. Its confidence is in the attributes of each mention:
`confidence` that the span is a mention, `link` that it corefers with the mention of its
entity before it. Both are probabilities, written as text; gold documents have none.

Entities with several mentions are numbered first, then singletons, each in reading order,
so that leaving out singletons changes no number. Every output of coindex (brackets, table,
page, JSON) uses these numbers.

An entity can contradict itself (he and she, the names of two people), and some of its mentions can be
unsure. The first mention has no `link`; that of the second one is also the first one's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from coindex import io
from coindex.text.markup import decoded, shown_text
from coindex.text.mention_classes import pronoun_group
from coindex.text.person_names import is_title, name_gender
from coindex.text.word_classes import normalize
from coindex.text.word_lists import words
from coindex.transform.naming import best_name, mention_kind
from coindex.transform.speakers import document_turns
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Chars, Span

_GENDERS = frozenset({"masculine", "feminine"})


@dataclass(frozen=True, slots=True)
class ResolvedMention:
    """A mention of a resolved entity.

    text        the characters of the mention, with those of markup
    chars       its offsets in the original text; several if it is discontinuous
    tokens      the same as spans of tokens
    kind        "pronoun", "name" or "nominal"
    confidence  the probability that this is a mention; None if unknown
    link        the probability that it belongs to the entity; None if unknown
    words       the text for people: without markup, and with single spaces
    """

    text: str
    chars: tuple[Chars, ...]
    tokens: tuple[Span, ...]
    kind: str
    confidence: float | None = None
    link: float | None = None
    words: str = ""
    why: str | None = None

    @property
    def start(self) -> int:
        """The first character."""
        return self.chars[0].start

    @property
    def end(self) -> int:
        """One past the last character."""
        return self.chars[-1].end


@dataclass(frozen=True, slots=True)
class ResolvedEntity:
    """An entity of a resolved document: its number in all outputs, its best name, its mentions."""

    number: int
    name: str
    mentions: tuple[ResolvedMention, ...]
    id: str | None = None

    @property
    def confidence(self) -> float | None:
        """The mean link probability, or mean mention probability without links, or None."""
        links = [m.link for m in self.mentions if m.link is not None]
        values = links or [m.confidence for m in self.mentions if m.confidence is not None]
        return sum(values) / len(values) if values else None


def numbered_entities(document: Document, singletons: bool = True) -> tuple[Entity, ...]:
    """A document's entities in the order of their numbers, which begin with 1."""
    shown = [entity for entity in document.entities if singletons or not entity.singleton]
    return tuple(sorted(shown, key=lambda entity: entity.singleton))


def resolved_entities(document: Document, singletons: bool = True) -> tuple[ResolvedEntity, ...]:
    """The entities of a document in the order of their numbers, with or without singletons."""
    return tuple(
        ResolvedEntity(
            number,
            best_name(document, entity),
            tuple(_resolved_mention(document, mention) for mention in entity.mentions),
            entity.id,
        )
        for number, entity in enumerate(numbered_entities(document, singletons), 1)
    )


def confidence_value(mention: Mention, name: str) -> float | None:
    """The attribute `confidence` or `link` of a mention; None unless it is from 0 to 1."""
    for key, value in mention.attrs:
        if key == name:
            try:
                number = float(value)
            except ValueError:
                return None
            return number if 0 <= number <= 1 else None
    return None


def _resolved_mention(document: Document, mention: Mention) -> ResolvedMention:
    return ResolvedMention(
        document.text_of(mention),
        tuple(document.chars(span) for span in mention.spans),
        mention.spans,
        mention_kind(document, mention),
        confidence_value(mention, "confidence"),
        confidence_value(mention, "link"),
        " … ".join(decoded(document, s, shown_text(document, s)) for s in mention.spans),
        dict(mention.attrs).get("why"),
    )


def as_json(document: Document, *, text: bool = True, singletons: bool = True) -> dict[str, Any]:
    """A resolved document as plain JSON values.

    Offsets count code points of the text, tokens are counted from 0, ends are
    excluded. A discontinuous mention has its parts in `parts`, and `start` and `end`
    are its outer offsets. `turns` says who speaks to whom. Unknown values are left out.
    `json_schema` describes all of it.
    """
    entities = [_entity_json(entity) for entity in resolved_entities(document, singletons)]
    content = {"text": document.text} if text else {}
    part = {} if document.part is None else {"part": document.part}
    return {"id": document.id, **part, **content, **_turns_json(document), "entities": entities}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `as_json` returns; its `$id` ends in the version."""
    schema: dict[str, Any] = json.loads(
        io.package_text("coindex.transform", "schemas", "resolved-1.json")
    )
    return schema


def _turns_json(document: Document) -> dict[str, Any]:
    """Who says what to whom, if anything is known of it."""
    rows = [
        {"start": turn.chars.start, "end": turn.chars.end, "kind": turn.kind}
        | {name: value for name in ("speaker", "addressee") if (value := getattr(turn, name))}
        for turn in document_turns(document)
    ]
    return {"turns": rows} if rows else {}


def _entity_json(entity: ResolvedEntity) -> dict[str, Any]:
    rounded = {} if entity.confidence is None else {"confidence": round(entity.confidence, 4)}
    mentions = [_mention_json(mention) for mention in entity.mentions]
    return {"number": entity.number, "name": entity.name, **rounded, "mentions": mentions}


def _mention_json(mention: ResolvedMention) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "text": mention.text,
        "start": mention.start,
        "end": mention.end,
        "token_start": mention.tokens[0].start,
        "token_end": mention.tokens[-1].end,
        "kind": mention.kind,
    }
    if len(mention.chars) > 1:
        fields["parts"] = [[chars.start, chars.end] for chars in mention.chars]
        fields["token_parts"] = [[span.start, span.end] for span in mention.tokens]
    known = {"confidence": mention.confidence, "link": mention.link, "why": mention.why}
    return fields | {name: value for name, value in known.items() if value is not None}


def link_confidence(entity: Entity, index: int) -> float | None:
    """The lower of the confidence and the link of a mention of an entity; None if unknown."""
    mention = entity.mentions[index]
    link = confidence_value(mention, "link")
    if link is None and index == 0 and len(entity.mentions) > 1:
        link = confidence_value(entity.mentions[1], "link")
    values = [v for v in (link, confidence_value(mention, "confidence")) if v is not None]
    return min(values, default=None)


def sure_part(entity: Entity, min_confidence: float) -> Entity | None:
    """The entity with the mentions that belong to it by that confidence; None if there are none."""
    sure = tuple(
        mention
        for index, mention in enumerate(entity.mentions)
        if (value := link_confidence(entity, index)) is None or value >= min_confidence
    )
    return replace(entity, mentions=sure) if sure else None


def is_contradictory(document: Document, entity: Entity) -> bool:
    """Whether an entity is he and she, or has the names of two people."""
    groups = {pronoun_group(document, mention) for mention in entity.mentions}
    if groups >= _GENDERS:
        return True
    names = {name for mention in entity.mentions if (name := _person_name(document, mention))}
    genders = {gender for name in names if (gender := name_gender(" ".join(name)))}
    genders |= _GENDERS.intersection(filter(None, groups))
    return genders >= _GENDERS or any(_differ(a, b) for a in names for b in names if a < b)


def _person_name(document: Document, mention: Mention) -> tuple[str, ...]:
    """The first and last name of a person, with titles before them; otherwise nothing."""
    if mention.discontinuous or mention_kind(document, mention) != "name":
        return ()
    tokens = document.tokens[mention.start : mention.end]
    tokens = tokens[:-1] if normalize(tokens[-1]) in ("'s", "'") else tokens
    bare = [token for token in tokens if not is_title(token)]
    capitals = all(token[:1].isupper() for token in tokens)
    known = 1 < len(bare) < 4 and capitals and bare[0].lower() in words("first_names")
    return tuple(tokens) if known else ()


def _differ(name: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two full names share no word."""
    return {normalize(token) for token in name}.isdisjoint(normalize(token) for token in other)
