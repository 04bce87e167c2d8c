"""The JSON lines of neural coreference: doc_key, sentences, clusters, speakers.

    {"doc_key": "d", "sentences": [["Ann", "slept", "."]], "clusters": [[[0, 0]]]}

In the file, spans are inclusive and count tokens of the whole document; here they
are half-open. `speakers` has one name per token, sentence by sentence. A part is
written as `part_id`, and, as is usual, at the end of `doc_key`. Any other field is
stored unchanged, as JSON, in the metadata `json`. LingMess, and fastcoref's training data, have
one list `tokens` in place of `sentences`, which are then found by rule.

A file may hold `predicted_clusters` beside gold `clusters`. Scoring reads the predictions of
a response; everything else reads `clusters` if there are any. With `subtoken_map` the tokens
and clusters count subwords, which are read as words (see `coindex.formats.subwords`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from coindex.formats.json_documents import any_objects, stored_fields, unread_fields
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.subwords import read_subwords
from coindex.formats.token_clusters import (
    PREDICTED,
    choose_field,
    cluster_pairs,
    locate_clusters,
    read_clusters,
)
from coindex.transform.edit import resplit_sentences
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset(["entities", "part", "speakers", "sentences", "tokens", "meta:json"])


def sniff(head: Sequence[str]) -> bool:
    """The first object has sentences and a key or clusters, or tokens and clusters."""
    return _is_document(first_object(head))


def _is_document(value: dict[str, Any]) -> bool:
    clustered = bool({"clusters", *PREDICTED} & value.keys())
    if "sentences" in value:
        return clustered or "doc_key" in value
    tokens = value.get("tokens")
    words = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    return words and clustered and "clusters_strings" not in value  # fastcoref's predictions


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per object."""
    for number, (line, value) in enumerate(any_objects(lines, source), 1):
        source.begin(line)
        with source.errors_at(line):
            document = _document(Fields(value, line, source), f"document {max(number, line)}")
        yield document


def _document(fields: Fields, default: str) -> Document:
    flat = not fields.has("sentences") and fields.has("tokens")
    rows = (
        [fields.take("tokens")] if flat else fields.as_list("sentences", fields.take("sentences"))
    )
    sentences = [fields.as_texts("tokens" if flat else "sentences", row) for row in rows]
    if not all(sentences):
        empty = sum(not sentence for sentence in sentences)
        fields.source.note(fields.line, "empty", f"{empty} sentence(s) without tokens; left out")
    key = fields.optional_text("doc_key") or default
    part = fields.optional_int("part_id")
    if part is not None and key.endswith(f"_{part}"):
        key = key[: -len(f"_{part}")]
    name = choose_field(fields, "clusters")
    if fields.has("subtoken_map"):
        return _from_subwords(fields, name, key, part, sentences)
    count = sum(map(len, sentences))
    entities = read_clusters(fields, name, count, inclusive=True)
    speakers = _speakers(fields, count)
    document = Document.of(
        key, sentences, entities, part=part, speakers=speakers, meta=unread_fields(fields)
    )
    return resplit_sentences(document) if flat else document


def _from_subwords(
    fields: Fields, name: str, key: str, part: int | None, segments: list[tuple[str, ...]]
) -> Document:
    """A document whose tokens and clusters are in subwords, as one of words."""
    subwords = [subword for segment in segments for subword in segment]
    words = read_subwords(fields, subwords)
    entities = locate_clusters(
        fields, name, fields.take(name) or [], partial(words.locate, fields, name)
    )
    names = _speakers(fields, len(subwords))
    speakers = None if names is None else tuple(words.column(names))
    rows = words.sentences or (words.words,)
    document = Document.of(
        key, rows, entities, part=part, speakers=speakers, meta=unread_fields(fields)
    )
    return document if words.sentences else resplit_sentences(document)


def _speakers(fields: Fields, count: int) -> tuple[str, ...] | None:
    """One name per token, given sentence by sentence or for the whole document."""
    value = fields.take("speakers")
    if value is None:
        return None
    rows = fields.as_list("speakers", value)
    if all(isinstance(row, str) for row in rows):
        rows = [rows]
    names = tuple(name for row in rows for name in fields.as_texts("speakers", row))
    if len(names) != count:
        raise fields.wrong("speakers", f"{count} names, one per token", value)
    names = tuple("" if name in ("-", "[SPL]") else name for name in names)
    return names if any(names) else None


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        spans = list(document.sentence_spans())
        key = document.id if document.part is None else f"{document.id}_{document.part}"
        fields: dict[str, Any] = {
            "doc_key": key,
            "sentences": [document.tokens[span.start : span.end] for span in spans],
            "clusters": cluster_pairs(document, inclusive=True),
        }
        if document.part is not None:
            fields["part_id"] = document.part
        if document.speakers is not None:
            names = [name or "-" for name in document.speakers]
            fields["speakers"] = [names[span.start : span.end] for span in spans]
        yield to_line({**fields, **stored_fields(document)})
