"""coindex's own lossless form of documents: one JSON object per line.

    {"coindex": "document", "version": 1, "id": "d", "text": "Ann slept.",
     "tokens": ["Ann", "slept", "."], "starts": [0, 4, 9], "ends": [3, 9, 10],
     "sentences": [0], "entities": [{"id": "1", "mentions": [{"spans": [[0, 1]]}]}]}

Spans are half-open and count tokens; starts and ends count code points of the text.
Empty fields are left out. A field that this version does not know is an error, so
that nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats.json_fields import Fields, looks_like, read_object_lines, to_line
from coindex.transform.reduce import DOCUMENT_FEATURES
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

KIND = "document"
SUPPORTS = DOCUMENT_FEATURES
VERSION = 1


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object with `"coindex": "document"`."""
    return looks_like(head, lambda value: value.get("coindex") == "document")


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per line."""
    for line, value in read_object_lines(lines, source):
        with source.errors_at(line):
            document = _document(Fields(value, line, source))
        yield document


def _document(fields: Fields) -> Document:
    fields.expect("coindex", "document")
    fields.expect("version", VERSION)
    heads = fields.optional_ints("heads")
    document = Document(
        fields.text("id"),
        fields.text("text"),
        fields.texts("tokens"),
        fields.ints("starts"),
        fields.ints("ends"),
        fields.ints("sentences"),
        tuple(_entity(entity) for entity in fields.objects("entities")),
        fields.optional_int("part"),
        fields.optional_texts("speakers"),
        fields.optional_texts("pos"),
        fields.optional_texts("lemma"),
        fields.optional_texts("parse"),
        heads,
        fields.ints("zeros"),
        tuple((name, fields.as_texts(name, values)) for name, values in fields.pairs("layers")),
        tuple((name, fields.as_text(name, value)) for name, value in fields.pairs("meta")),
    )
    fields.done()
    return document


def _entity(fields: Fields) -> Entity:
    entity = Entity(
        tuple(_mention(mention) for mention in fields.objects("mentions")),
        fields.optional_text("id"),
        fields.optional_text("kind"),
        tuple((name, fields.as_text(name, value)) for name, value in fields.pairs("attrs")),
    )
    fields.done()
    return entity


def _mention(fields: Fields) -> Mention:
    mention = Mention(
        tuple(Span(start, end) for start, end in fields.int_pairs("spans")),
        fields.optional_int("head"),
        fields.optional_text("kind"),
        fields.optional_text("id"),
        tuple((name, fields.as_text(name, value)) for name, value in fields.pairs("attrs")),
    )
    fields.done()
    return mention


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        yield to_line({"coindex": "document", "version": VERSION, **_fields(document)})


def _fields(document: Document) -> dict[str, Any]:
    names = (
        "id", "text", "tokens", "starts", "ends", "sentences", "part", "speakers", "pos", "lemma",
        "parse", "heads", "zeros", "layers", "meta",
    )  # fmt: skip
    fields = {name: getattr(document, name) for name in names}
    fields["entities"] = tuple(_entity_fields(entity) for entity in document.entities)
    # an empty column differs from a missing one
    columns = ("speakers", "pos", "lemma", "parse", "heads")
    return {n: v for n, v in fields.items() if v is not None and (n in columns or v != ())}


def _entity_fields(entity: Entity) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": entity.id, "kind": entity.kind, "attrs": entity.attrs}
    fields["mentions"] = []
    for mention in entity.mentions:
        own: dict[str, Any] = {"spans": [[span.start, span.end] for span in mention.spans]}
        own |= {name: getattr(mention, name) for name in ("head", "kind", "id", "attrs")}
        fields["mentions"].append({n: v for n, v in own.items() if v is not None and v != ()})
    return {n: v for n, v in fields.items() if v is not None and v != ()}
