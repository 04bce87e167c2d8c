"""Mentions given as characters of a text, and links between them, as a document.

Annotation tools store marked stretches of a text and relations between them. The text is
tokenised by rule, and tokens are split at the borders of mentions. White space at the ends of
a stretch is left out, and noted.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from coindex.formats.json_fields import Fields
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention, Pairs
from coindex.types.source import Source
from coindex.types.span import Span

COREFERENCE = re.compile(r"coref|ident", re.IGNORECASE)
"""The names of relations that stand for coreference, at their beginning; as in brat."""

PLAIN = "Mention"
"""The label of a mention without a kind."""

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TextMention:
    """A stretch of a text: half-open offsets, the label, and the tool's id."""

    start: int
    end: int
    kind: str | None = None
    id: str | None = None


Group = tuple[str | None, Sequence[TextMention]]
"""The id of an entity, if it has one, and its mentions."""


def text_document(
    id: str, text: str, groups: Iterable[Group], line: int, source: Source, meta: Pairs = ()
) -> Document:
    """A document whose entities are groups of stretches of the text."""
    trimmed = [
        (name, [m for m in (_trim(text, each, line, source) for each in mentions) if m])
        for name, mentions in groups
    ]
    borders = {at for _, mentions in trimmed for m in mentions for at in (m.start, m.end)}
    spans = list(token_offsets(text, borders))
    first = {start: index for index, (start, _) in enumerate(spans)}
    last = {end: index + 1 for index, (_, end) in enumerate(spans)}
    entities = []
    for name, mentions in trimmed:
        own: dict[tuple[Span, ...], Mention] = {}
        for each in mentions:
            span = (Span(first[each.start], last[each.end]),)
            if span in own:
                message = f"an entity holds {text[each.start : each.end][:40]!r} twice; kept once"
                source.note(line, "repeated", message)
            own.setdefault(span, Mention(span, None, each.kind, each.id))
        if own:
            entities.append(Entity(tuple(own.values()), name))
    tokens = tuple(text[start:end] for start, end in spans)
    starts, ends = tuple(start for start, _ in spans), tuple(end for _, end in spans)
    firsts = sentence_starts(text, spans)
    return Document(id, text, tokens, starts, ends, firsts, tuple(entities), meta=meta)


def _trim(text: str, mention: TextMention, line: int, source: Source) -> TextMention | None:
    """A mention without white space at its ends; None if nothing is left."""
    if not 0 <= mention.start < mention.end <= len(text):
        size = f"within the text's {len(text)} characters"
        message = f"expected start < end {size}, found {mention.start} {mention.end}"
        raise source.error(line, message)
    words = text[mention.start : mention.end]
    start = mention.start + len(words) - len(words.lstrip())
    end = start + len(words.strip())
    if (start, end) == (mention.start, mention.end):
        return mention
    source.note(line, "offset", f"white space at the ends of {words[:40]!r}; left out")
    return TextMention(start, end, mention.kind, mention.id) if start < end else None


def linked_groups(keys: Iterable[Key], links: Iterable[tuple[Key, Key]]) -> list[list[Key]]:
    """The keys in groups: those that links connect, directly or not, are together."""
    parent: dict[Key, Key] = {key: key for key in keys}

    def root(key: Key) -> Key:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for one, other in links:
        parent[root(other)] = root(one)
    groups: dict[Key, list[Key]] = {}
    for key in parent:
        groups.setdefault(root(key), []).append(key)
    return list(groups.values())


def is_coreference(label: Any) -> bool:
    """Whether a relation stands for coreference, by its label."""
    return isinstance(label, str) and COREFERENCE.match(label) is not None


def note_other_relations(fields: Fields, count: int) -> None:
    """Note relations that are not coreference."""
    if count:
        message = f"{count} relation(s) that are not called coref... or ident...; left out"
        fields.source.note(fields.line, "relation", message)
