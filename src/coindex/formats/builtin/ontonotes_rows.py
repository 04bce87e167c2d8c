"""Hugging Face's rows of OntoNotes (`conll2012_ontonotesv5`): a document of several parts.

    {"document_id": "nw/a", "sentences": [{"part_id": 0, "words": ["Ann", "saw", "her"],
     "speaker": null, "coref_spans": [[7, 0, 0], [7, 2, 2]]}]}

A mention is `[cluster, first, last]`, inclusive, counted within its sentence from 0. A row
becomes one document for each `part_id`. Trees are read if every sentence has one that fits it,
with the tags of their words. `pos_tags` are read if they are names: the numbers of Hugging Face
mean different tags in different versions of the corpus. Senses, frames and named entities are
not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from coindex.formats.json_documents import read_json_documents
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.sentence_spans import penn_columns, sentence_place
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "entity-id", "crossing", "tokens", "sentences", "within-sentences", "part", "pos",
    "speakers",
})  # fmt: skip


def sniff(head: Sequence[str]) -> bool:
    """The first object has sentences that are objects with words."""
    sentences = first_object(head).get("sentences")
    first = sentences[0] if isinstance(sentences, list) and sentences else None
    return isinstance(first, dict) and "words" in first


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file: one for each part of each row."""
    return read_json_documents(lines, source, _parts, ids=("document_id",))


def _parts(fields: Fields, name: str) -> Iterator[Document]:
    rows = [(row.optional_int("part_id"), row) for row in fields.objects("sentences")]
    for part, group in groupby(rows, key=lambda pair: pair[0]):
        yield _Part(name, part).document([row for _, row in group])


class _Part:
    """Collects the sentences of one part."""

    def __init__(self, name: str, part: int | None) -> None:
        self.name, self.part = name, part
        self.sentences: list[tuple[str, ...]] = []
        self.speakers: list[str] = []
        self.tags: list[str] = []
        self.trees: list[str | None] = []
        self.clusters: dict[str, dict[tuple[int, int], Mention]] = {}

    def document(self, rows: list[Fields]) -> Document:
        """The document of its sentences."""
        for row in rows:
            self._sentence(row)
        tokens = sum(map(len, self.sentences))
        trees = penn_columns(self.trees, list(map(len, self.sentences)))
        tags = tuple(self.tags) if len(self.tags) == tokens else trees[0] if trees else None
        entities = [Entity(tuple(found.values()), id) for id, found in self.clusters.items()]
        return Document.of(
            self.name,
            self.sentences,
            entities,
            part=self.part,
            speakers=tuple(self.speakers),
            pos=tags if tokens else None,
            parse=trees[1] if trees and tokens else None,
        )

    def _sentence(self, row: Fields) -> None:
        words = row.as_texts("words", row.take("words"))
        first = sum(map(len, self.sentences))
        self.sentences.append(words)
        self.speakers += _speakers(row, len(words))
        tree = row.take("parse_tree")
        self.trees.append(tree if isinstance(tree, str) else None)
        tags = row.as_list("pos_tags", row.take("pos_tags", []))
        if len(tags) == len(words) and all(isinstance(tag, str) for tag in tags):
            self.tags += tags
        for value in row.as_list("coref_spans", row.take("coref_spans", [])):
            self._mention(row, value, first, len(words))

    def _mention(self, row: Fields, value: Any, first: int, count: int) -> None:
        cluster, *numbers = row.as_list("coref_spans", value) or [None]
        span = row.as_ints("coref_spans", numbers)
        named = isinstance(cluster, str | int) and not isinstance(cluster, bool)
        if not named or len(span) != 2 or not 0 <= span[0] <= span[1] < count:
            expected = f"[cluster, first, last] within {count} words"
            raise row.wrong("coref_spans", expected, value)
        mentions = self.clusters.setdefault(str(cluster), {})
        place = first + span[0], first + span[1] + 1
        if place in mentions:
            message = f"cluster {cluster} holds the mention {list(span)} twice; kept once"
            row.source.note(row.line, "repeated", message)
        mentions[place] = Mention.at(*place)


def _speakers(row: Fields, count: int) -> list[str]:
    """The speaker of each word: one for the sentence, or, as coindex writes it, a list."""
    value = row.take("speaker")
    if isinstance(value, list):
        names = row.as_texts("speaker", value)
        if len(names) != count:
            raise row.wrong("speaker", f"a name, or {count}", value)
        return list(names)
    name = "" if value is None else row.as_text("speaker", value)
    return ["" if name == "-" else name] * count


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        spans: list[list[list[str | int]]] = [[] for _ in document.sentences]
        for number, entity in enumerate(document.entities):
            for mention in entity.mentions:
                sentence, start, end = sentence_place(document, mention)
                spans[sentence].append([_cluster(entity, number), start, end - 1])
        sentences = [
            _sentence_fields(document, span.start, span.end, spans[number])
            for number, span in enumerate(document.sentence_spans())
        ]
        yield to_line({"document_id": document.id, "sentences": sentences})


def _cluster(entity: Entity, number: int) -> str | int:
    id = entity.id
    if id is None:
        return f"cluster {number}"
    return int(id) if id.isascii() and id.isdigit() and str(int(id)) == id else id


def _sentence_fields(
    document: Document, start: int, end: int, spans: list[list[str | int]]
) -> dict[str, Any]:
    names = list(document.speakers[start:end]) if document.speakers else [""]
    speaker = (names[0] or None) if len(set(names)) == 1 else names
    fields: dict[str, Any] = {
        "part_id": document.part,
        "words": document.tokens[start:end],
        "pos_tags": document.pos and document.pos[start:end],
        "speaker": speaker,
        "coref_spans": spans,
    }
    return {name: value for name, value in fields.items() if value is not None}
