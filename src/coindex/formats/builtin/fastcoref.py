"""fastcoref's `predict(output_file=...)`: a text with clusters of character spans.

    {"text": "Ann said she slept.", "clusters": [[[0, 3], [9, 12]]],
     "clusters_strings": [["Ann", "she"]]}

Spans are `[start, end]`, half-open, and count characters (code points) of the text. Where
fastcoref was given tokens (`is_split_into_words=True`), `text` is a list of them and the spans
are half-open spans of tokens. A mention that fastcoref could not locate, `null`, is left out and
noted. The output has no ids; coindex writes `doc_key` beside the rest, and reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats.json_documents import read_json_documents, stored_fields, unread_fields
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.text_mentions import TextMention, text_document
from coindex.formats.token_clusters import choose_field, token_clusters
from coindex.transform.edit import resplit_sentences
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({"entities", "crossing", "text", "surface", "meta:json"})
_NOWHERE = (None, [None, None])


def sniff(head: Sequence[str]) -> bool:
    """The first object has a text, clusters and their words."""
    return {"text", "clusters", "clusters_strings"} <= first_object(head).keys()


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per line."""
    return read_json_documents(lines, source, _documents)


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    chosen = choose_field(fields, "clusters")
    clusters = _located(fields, chosen)
    if isinstance(fields.peek("text"), list):
        tokens = fields.texts("text")
        entities = token_clusters(fields, chosen, clusters, len(tokens), inclusive=False)
        meta = unread_fields(fields, "clusters_strings")
        yield resplit_sentences(Document.of(name, [tokens], entities, meta=meta))
        return
    text = fields.text("text")
    groups = [(None, list(_mentions(fields, chosen, cluster))) for cluster in clusters]
    strings = fields.take("clusters_strings")
    meta = unread_fields(fields)
    document = text_document(name, text, groups, fields.line, fields.source, meta)
    _check_words(fields, strings, text, groups)
    yield document


def _located(fields: Fields, name: str) -> list[list[Any]]:
    """The clusters without mentions that fastcoref could not locate in the text."""
    clusters = fields.as_list(name, fields.take(name) or [])
    located = []
    for cluster in clusters:
        values = fields.as_list(name, cluster)
        located.append([value for value in values if value not in _NOWHERE])
        for _ in range(len(values) - len(located[-1])):
            message = "a mention that fastcoref could not locate in the text; left out"
            fields.source.note(fields.line, "offset", message)
    return located


def _mentions(fields: Fields, name: str, cluster: list[Any]) -> Iterator[TextMention]:
    for value in cluster:
        pair = fields.as_ints(name, value)
        if len(pair) != 2:
            raise fields.wrong(name, "[start, end]", value)
        yield TextMention(*pair)


def _check_words(
    fields: Fields, strings: Any, text: str, groups: list[tuple[None, list[TextMention]]]
) -> None:
    """Report a mention whose words are not those that the file gives for it."""
    given = [[text[m.start : m.end] for m in mentions] for _, mentions in groups]
    if strings is None or strings == given:
        return
    for words, actual in zip(fields.as_list("clusters_strings", strings), given, strict=False):
        for expected, found in zip(
            fields.as_texts("clusters_strings", words), actual, strict=False
        ):
            if expected != found:
                message = f"expected {expected[:40]!r}, found {found[:40]!r}"
                fields.source.mistake(fields.line, "offset", message)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        chars = [
            [document.chars(mention.cover) for mention in entity.mentions]
            for entity in document.entities
        ]
        fields: dict[str, Any] = {
            "doc_key": document.id,
            "text": document.text,
            "clusters": [[[each.start, each.end] for each in cluster] for cluster in chars],
            "clusters_strings": [[each.of(document.text) for each in cluster] for cluster in chars],
        }
        yield to_line({**fields, **stored_fields(document)})
