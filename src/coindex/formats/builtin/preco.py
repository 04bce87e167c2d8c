"""PreCo: sentences of tokens, and clusters of half-open spans within sentences.

    {"id": "a", "sentences": [["Ann", "slept"], ["She", "snored"]],
     "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}

A mention is `[sentence, start, end]`, half-open, counted within its sentence from 0. A sentence
that is one space separates paragraphs in PreCo; it is a token like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from coindex.formats.json_documents import read_json_documents, stored_fields, unread_fields
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.sentence_spans import SentenceMap, sentence_place
from coindex.formats.token_clusters import choose_field, entity_of
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "crossing", "tokens", "sentences", "within-sentences", "meta:json",
})  # fmt: skip


def sniff(head: Sequence[str]) -> bool:
    """The first object has sentences and mention clusters."""
    return {"sentences", "mention_clusters"} <= first_object(head).keys()


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per line."""
    return read_json_documents(lines, source, _documents, ids=("id",))


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    sentences = [
        fields.as_texts("sentences", sentence)
        for sentence in fields.as_list("sentences", fields.take("sentences"))
    ]
    chosen = choose_field(fields, "mention_clusters")
    places = SentenceMap(tuple(accumulate(map(len, sentences), initial=0)))
    clusters = fields.as_list(chosen, fields.take(chosen) or [])
    entities = [_entity(fields, chosen, cluster, places) for cluster in clusters]
    found = [entity for entity in entities if entity]
    yield Document.of(name, sentences, found, meta=unread_fields(fields))


def _entity(fields: Fields, name: str, cluster: Any, places: SentenceMap) -> Entity | None:
    mentions: dict[tuple[int, int], Mention] = {}
    for value in fields.as_list(name, cluster):
        numbers = fields.as_ints(name, value)
        span = places.span(*numbers) if len(numbers) == 3 else None
        if span is None:
            raise fields.wrong(name, "[sentence, start, end] within the sentences", value)
        if span in mentions:
            message = f"a cluster holds the mention {value} twice; kept once"
            fields.source.note(fields.line, "repeated", message)
        mentions[span] = Mention.at(*span)
    return entity_of(fields, list(mentions.values()))


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        fields: dict[str, Any] = {
            "id": document.id,
            "sentences": [document.tokens[s.start : s.end] for s in document.sentence_spans()],
            "mention_clusters": [
                [list(sentence_place(document, mention)) for mention in entity.mentions]
                for entity in document.entities
            ],
        }
        yield to_line({**fields, **stored_fields(document)})
