"""doccano's JSONL with relations: a text, marked stretches, and links between them.

    {"id": 1, "text": "Ann slept. She snored.", "entities": [
     {"id": 10, "label": "person", "start_offset": 0, "end_offset": 3},
     {"id": 11, "label": "person", "start_offset": 11, "end_offset": 14}],
     "relations": [{"id": 5, "from_id": 10, "to_id": 11, "type": "coref"}], "Comments": []}

Offsets are half-open and count characters (code points). Relations whose type begins with
`coref` or `ident` connect the mentions of an entity; others are left out and noted. A mention
without such a relation is an entity by itself. coindex writes the document's id as `doc_id`,
and reads it; doccano's own `id` is the number of the row in its database.
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
    TextMention,
    is_coreference,
    linked_groups,
    note_other_relations,
    text_document,
)
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({"entities", "crossing", "text", "surface", "mention-kind", "meta:json"})


def sniff(head: Sequence[str]) -> bool:
    """The first object has a text, entities and relations."""
    return {"text", "entities", "relations"} <= first_object(head).keys()


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per line."""
    return read_json_documents(lines, source, _documents, ids=("doc_id",))


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    text = fields.text("text")
    mentions = dict(_mention(each) for each in fields.objects("entities"))
    links = list(_links(fields, mentions.keys()))
    groups = [(None, [mentions[id] for id in group]) for group in linked_groups(mentions, links)]
    if fields.peek("Comments") == []:
        fields.take("Comments")
    fields.take("id")
    meta = unread_fields(fields)
    yield text_document(name, text, groups, fields.line, fields.source, meta)


def _mention(fields: Fields) -> tuple[int, TextMention]:
    names = ("id", "start_offset", "end_offset")
    id, start, end = fields.as_ints("entities", [fields.take(name) for name in names])
    label = fields.optional_text("label")
    return id, TextMention(start, end, None if label == PLAIN else label, str(id))


def _links(fields: Fields, known: Iterable[int]) -> Iterator[tuple[int, int]]:
    ids, others = frozenset(known), 0
    for relation in fields.objects("relations"):
        pair = fields.as_ints("relations", [relation.take("from_id"), relation.take("to_id")])
        for id in pair:
            if id not in ids:
                raise fields.wrong("relations", "the ids of two entities", list(pair))
        if is_coreference(relation.take("type")):
            yield pair[0], pair[1]
        else:
            others += 1
    note_other_relations(fields, others)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document; ids are unique in the file."""
    mentions = relations = 0
    for number, document in enumerate(items, 1):
        entities: list[dict[str, Any]] = []
        links: list[dict[str, Any]] = []
        for entity in document.entities:
            ids = [mentions + at for at in range(1, len(entity) + 1)]
            mentions += len(ids)
            for id, mention in zip(ids, entity.mentions, strict=True):
                chars = document.chars(mention.cover)
                place = {"start_offset": chars.start, "end_offset": chars.end}
                entities.append({"id": id, "label": mention.kind or PLAIN, **place})
            for one, other in pairwise(ids):
                relations += 1
                links.append({"id": relations, "from_id": one, "to_id": other, "type": "coref"})
        fields = {"id": number, "doc_id": document.id, "text": document.text}
        yield to_line(
            {**fields, "entities": entities, "relations": links, "Comments": [],
             **stored_fields(document)}
        )  # fmt: skip
