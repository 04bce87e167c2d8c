"""The JSON lines of neural coreference: doc_key, sentences, clusters, speakers.

    {"doc_key": "d", "sentences": [["Ann", "slept", "."]], "clusters": [[[0, 0]]]}

Spans there are inclusive and counted over the whole document; here they are
half-open. `speakers` has one name a token, sentence by sentence. A part is
written as `part_id`, and at the end of `doc_key` as is usual. Any other field
is kept as it is, as JSON, in the fact `json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.source import Source
from coindex.formats._json import Fields, lines_of_objects, looks_like, to_line

KIND = "document"
HOLDS = frozenset(["entities", "part", "speakers", "sentences", "tokens", "meta:json"])


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object with sentences and a key or clusters."""
    return looks_like(
        head, lambda found: "sentences" in found and bool({"doc_key", "clusters"} & found.keys())
    )


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one a line."""
    for line, found in lines_of_objects(lines, source):
        yield from Fields.build(found, _document, line, source)


def _document(fields: Fields) -> Document:
    sentences = [
        fields.as_texts("sentences", sentence)
        for sentence in fields.as_list("sentences", fields.take("sentences"))
    ]
    if not all(sentences):
        empty = sum(not sentence for sentence in sentences)
        fields.source.note(fields.line, "empty", f"{empty} sentence(s) without tokens; left out")
    count = sum(map(len, sentences))
    key = fields.optional_text("doc_key") or f"document {fields.line}"
    part = fields.optional_int("part_id")
    if part is not None and key.endswith(f"_{part}"):
        key = key[: -len(f"_{part}")]
    clusters = fields.as_list("clusters", fields.take("clusters") or [])
    entities = [_entity(fields, cluster, count) for cluster in clusters]
    speakers = _speakers(fields, sentences)
    rest = fields.rest()
    return Document.of(
        key,
        sentences,
        [entity for entity in entities if entity],
        part=part,
        speakers=speakers,
        meta=(("json", json.dumps(rest, ensure_ascii=False)),) if rest else (),
    )


def _entity(fields: Fields, cluster: Any, count: int) -> Entity | None:
    mentions: dict[tuple[int, int], Mention] = {}
    for value in fields.as_list("clusters", cluster):
        pair = fields.as_ints("clusters", value)
        if len(pair) != 2 or not 0 <= pair[0] <= pair[1] < count:
            expected = f"[first, last] within {count} tokens"
            raise fields.wrong("clusters", expected, value)
        if pair in mentions:
            message = f"a cluster holds the mention {list(pair)} twice; kept once"
            fields.source.note(fields.line, "repeated", message)
        mentions[pair[0], pair[1]] = Mention.at(pair[0], pair[1] + 1)
    if not mentions:
        fields.source.note(
            fields.line, "empty", "expected mentions in a cluster, found none; left out"
        )
        return None
    return Entity(tuple(mentions.values()))


def _speakers(fields: Fields, sentences: list[tuple[str, ...]]) -> tuple[str, ...] | None:
    """One name a token, given sentence by sentence or for the whole document."""
    found = fields.take("speakers")
    if found is None:
        return None
    rows = fields.as_list("speakers", found)
    if all(isinstance(row, str) for row in rows):
        rows = [rows]
    names = tuple(name for row in rows for name in fields.as_texts("speakers", row))
    count = sum(map(len, sentences))
    if len(names) != count:
        raise fields.wrong("speakers", f"{count} names, one a token", found)
    names = tuple("" if name == "-" else name for name in names)
    return names if any(names) else None


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line a document."""
    for document in items:
        spans = list(document.sentence_spans())
        key = document.id if document.part is None else f"{document.id}_{document.part}"
        found: dict[str, Any] = {
            "doc_key": key,
            "sentences": [document.tokens[span.start : span.end] for span in spans],
            "clusters": [
                [[mention.start, mention.end - 1] for mention in entity.mentions]
                for entity in document.entities
            ],
        }
        if document.part is not None:
            found["part_id"] = document.part
        if document.speakers is not None:
            names = [name or "-" for name in document.speakers]
            found["speakers"] = [names[span.start : span.end] for span in spans]
        yield to_line({**found, **_rest(document)})


def _rest(document: Document) -> dict[str, Any]:
    """The fields that were kept as they are; a fact that is no object stays a string."""
    text = dict(document.meta).get("json")
    if text is None:
        return {}
    try:
        rest = json.loads(text)
    except ValueError:
        rest = text
    return rest if isinstance(rest, dict) else {"json": rest}
