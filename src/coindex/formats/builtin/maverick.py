"""maverick-coref's `predict`: tokens with clusters of inclusive token spans.

    {"tokens": ["Ann", "said", "she", "slept"], "clusters_token_offsets": [[[0, 0], [2, 2]]],
     "clusters_token_text": [["Ann", "she"]], "clusters_char_offsets": null}

Spans are `[first, last]`, both inclusive, and count tokens of the document. The character
offsets of the output are not used: maverick computes them as if sentences were one character
apart, so that they drift. The output has no ids and no sentences; coindex writes `doc_key` and
`sentence_starts` beside the rest, and reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats.json_documents import (
    flat_sentences,
    read_json_documents,
    starts_field,
    stored_fields,
    unread_fields,
)
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.token_clusters import choose_field, cluster_pairs, read_clusters
from coindex.transform.edit import resplit_sentences
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({"entities", "crossing", "tokens", "sentences", "meta:json"})
_CLUSTERS = "clusters_token_offsets"
_COMPUTED = ("clusters_char_offsets", "clusters_token_text", "clusters_char_text")


def sniff(head: Sequence[str]) -> bool:
    """The first object has tokens and clusters of token offsets."""
    return {"tokens", _CLUSTERS} <= first_object(head).keys()


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per object."""
    return read_json_documents(lines, source, _documents)


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    tokens = fields.as_texts("tokens", fields.take("tokens"))
    firsts = starts_field(fields, len(tokens))
    chosen = choose_field(fields, _CLUSTERS, ())
    entities = read_clusters(fields, chosen, len(tokens), inclusive=True)
    meta = unread_fields(fields, *_COMPUTED)
    document = Document.of(name, flat_sentences(tokens, firsts), entities, meta=meta)
    yield document if firsts is not None else resplit_sentences(document)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        words = [
            [" ".join(document.tokens[m.start : m.end]) for m in entity.mentions]
            for entity in document.entities
        ]
        fields: dict[str, Any] = {
            "doc_key": document.id,
            "tokens": document.tokens,
            _CLUSTERS: cluster_pairs(document, inclusive=True),
            "clusters_char_offsets": None,
            "clusters_token_text": words,
            "clusters_char_text": None,
            "sentence_starts": document.sentences,
        }
        yield to_line({**fields, **stored_fields(document)})
