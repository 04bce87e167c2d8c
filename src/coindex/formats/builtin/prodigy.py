"""Prodigy's JSONL of `coref.manual` and other relations: tokens, spans, and links between spans.

    {"text": "Ann slept.", "tokens": [{"text": "Ann", "start": 0, "end": 3, "id": 0}, ...],
     "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PERSON"}],
     "relations": [{"head": 3, "child": 0, "label": "COREF",
                    "head_span": {...}, "child_span": {...}}], "answer": "accept"}

`start` and `end` are half-open and count characters; `token_start` and `token_end` are both
inclusive and count tokens, and are what is read. Relations whose label begins with `coref` or
`ident` connect the mentions of an entity; others are left out and noted. A span without such a
relation is an entity by itself. Tasks that were rejected or ignored are left out and noted.
coindex adds `entity` to spans, so that entities keep their ids, and reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from coindex.formats.json_documents import read_json_documents, stored_fields, unread_fields
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.text_mentions import (
    PLAIN,
    is_coreference,
    linked_groups,
    note_other_relations,
)
from coindex.text.tokenizer import sentence_starts
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

KIND = "document"
SUPPORTS = frozenset({
    "entities", "entity-id", "crossing", "text", "surface", "tokens", "mention-kind", "meta:json",
})  # fmt: skip
_OWN = ("_input_hash", "_task_hash", "_view_id", "_is_binary", "_timestamp", "_annotator_id",
        "_session_id", "answer")  # fmt: skip

Place = tuple[int, int]


def sniff(head: Sequence[str]) -> bool:
    """The first object has a text, and tokens with words, numbers and offsets."""
    value = first_object(head)
    tokens = value.get("tokens")
    first = tokens[0] if isinstance(tokens, list) and tokens else None
    placed = isinstance(first, dict) and {"text", "id", "start", "end"} <= first.keys()
    return placed and "text" in value


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per line."""
    return read_json_documents(lines, source, _documents, ids=("doc_key",))


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    if fields.peek("answer") not in (None, "accept"):
        message = f"a task with the answer {str(fields.peek('answer'))[:20]!r}; left out"
        fields.source.note(fields.line, "answer", message)
        return
    text = fields.text("text")
    tokens = [_token(token) for token in fields.objects("tokens")]
    spans, named = _spans(fields, len(tokens))
    links = list(_links(fields, len(tokens)))
    if named:
        groups = [(id, [spans[at] for at in group]) for id, group in named.items()]
    else:
        by_place = {place: (place, kind) for place, kind in reversed(spans)}
        by_place |= {p: (p, None) for pair in links for p in pair if p not in by_place}
        groups = [(None, [by_place[p] for p in group]) for group in linked_groups(by_place, links)]
    entities = [_entity(fields, id, group) for id, group in groups]
    offsets = [(start, end) for _, start, end in tokens]
    yield Document(
        name,
        text,
        tuple(word for word, _, _ in tokens),
        tuple(start for start, _ in offsets),
        tuple(end for _, end in offsets),
        sentence_starts(text, offsets),
        tuple(entities),
        meta=unread_fields(fields, *_OWN),
    )


def _token(fields: Fields) -> tuple[str, int, int]:
    start, end = fields.as_ints("tokens", [fields.take("start"), fields.take("end")])
    return fields.text("text"), start, end


def _spans(
    fields: Fields, count: int
) -> tuple[list[tuple[Place, str | None]], dict[str | None, list[int]]]:
    """The spans with their labels, and those of each entity if all of them name one."""
    spans: list[tuple[Place, str | None]] = []
    named: dict[str | None, list[int]] = {}
    for at, span in enumerate(fields.objects("spans")):
        label = span.optional_text("label")
        spans.append((_place(span, "spans", count), None if label == PLAIN else label))
        named.setdefault(span.optional_text("entity"), []).append(at)
    return spans, {} if None in named else named


def _place(fields: Fields, name: str, count: int) -> Place:
    numbers = [fields.take("token_start"), fields.take("token_end")]
    start, last = fields.as_ints(name, numbers)
    if not 0 <= start <= last < count:
        expected = f"token_start and token_end within {count} tokens"
        raise fields.wrong(name, expected, numbers)
    return start, last + 1


def _links(fields: Fields, count: int) -> Iterator[tuple[Place, Place]]:
    others = 0
    for relation in fields.objects("relations"):
        if not is_coreference(relation.take("label")):
            others += 1
            continue
        ends = []
        for name in ("head_span", "child_span"):
            value = relation.take(name)
            if not isinstance(value, dict):
                raise fields.wrong("relations", f"a {name}", value)
            ends.append(_place(Fields(value, fields.line, fields.source), name, count))
        yield ends[0], ends[1]
    note_other_relations(fields, others)


def _entity(fields: Fields, id: str | None, group: list[tuple[Place, str | None]]) -> Entity:
    mentions: dict[Place, Mention] = {}
    for place, kind in group:
        if place in mentions:
            message = f"an entity holds the tokens {place[0]} to {place[1]} twice; kept once"
            fields.source.note(fields.line, "repeated", message)
        mentions.setdefault(place, Mention((Span(*place),), None, kind))
    return Entity(tuple(mentions.values()), id)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        spans: list[dict[str, Any]] = []
        relations: list[dict[str, Any]] = []
        for number, entity in enumerate(document.entities):
            id = f"entity {number}" if entity.id is None else entity.id
            own = [{**_span_fields(document, m), "entity": id} for m in entity.mentions]
            spans += own
            for head, child in pairwise(own):
                ends = {"head": head["token_end"], "child": child["token_end"]}
                relations.append({**ends, "label": "COREF", "head_span": head, "child_span": child})
        tokens = [
            {"text": word, "start": document.starts[at], "end": document.ends[at], "id": at,
             "ws": document.text[document.ends[at] : document.ends[at] + 1].isspace()}
            for at, word in enumerate(document.tokens)
        ]  # fmt: skip
        fields = {"doc_key": document.id, "text": document.text, "tokens": tokens}
        rest = {"spans": spans, "relations": relations, "answer": "accept"}
        yield to_line({**fields, **rest, **stored_fields(document)})


def _span_fields(document: Document, mention: Mention) -> dict[str, Any]:
    chars = document.chars(mention.cover)
    return {
        "start": chars.start,
        "end": chars.end,
        "token_start": mention.start,
        "token_end": mention.end - 1,
        "label": mention.kind or PLAIN,
    }
