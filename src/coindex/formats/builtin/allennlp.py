"""AllenNLP's coreference predictor: a list of tokens with clusters of inclusive spans.

    {"document": ["Ann", "said", "she", "slept"], "clusters": [[[0, 0], [2, 2]]]}

Spans are `[first, last]`, both inclusive, and count tokens of the document. The fields that
AllenNLP computes on the way (`top_spans`, `antecedent_indices`, `predicted_antecedents`) are not
stored. The output has no ids and no sentences: a document is named after its file, and its
sentences are found by rule. coindex writes `doc_key` and `sentence_starts` beside the rest, and
reads them.
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
_COMPUTED = ("top_spans", "antecedent_indices", "predicted_antecedents", "loss")


def sniff(head: Sequence[str]) -> bool:
    """The first object has a list of tokens called `document`, and clusters."""
    value = first_object(head)
    return isinstance(value.get("document"), list) and bool(
        {"clusters", "top_spans"} & value.keys()
    )


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per object."""
    return read_json_documents(lines, source, _documents)


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    tokens = fields.as_texts("document", fields.take("document"))
    firsts = starts_field(fields, len(tokens))
    chosen = choose_field(fields, "clusters")
    entities = read_clusters(fields, chosen, len(tokens), inclusive=True)
    meta = unread_fields(fields, *_COMPUTED)
    document = Document.of(name, flat_sentences(tokens, firsts), entities, meta=meta)
    yield document if firsts is not None else resplit_sentences(document)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        fields: dict[str, Any] = {
            "doc_key": document.id,
            "document": document.tokens,
            "clusters": cluster_pairs(document, inclusive=True),
            "sentence_starts": document.sentences,
        }
        yield to_line({**fields, **stored_fields(document)})
