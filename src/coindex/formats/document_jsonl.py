"""coindex's own lossless form of documents: one JSON object a line.

    {"coindex": "document", "version": 1, "id": "d", "text": "Ann slept.",
     "tokens": ["Ann", "slept", "."], "starts": [0, 4, 9], "ends": [3, 9, 10],
     "sentences": [0], "entities": [{"id": "1", "mentions": [{"spans": [[0, 1]]}]}]}

Spans are half-open, counted in tokens; starts and ends are code points of the
text. Fields that are empty are left out. A field this version does not know is
an error, so that nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.core.document import Document
from coindex.core.features import ALL
from coindex.core.mention import Entity, Mention
from coindex.core.source import Source
from coindex.core.span import Span
from coindex.formats._json import Fields, lines_of_objects, looks_like, to_line

KIND = "document"
HOLDS = ALL
VERSION = 1


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object that says so."""
    return looks_like(head, lambda found: found.get("coindex") == "document")


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one a line."""
    for line, found in lines_of_objects(lines, source):
        yield from Fields.build(found, _document, line, source)


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
    """One line a document."""
    for document in items:
        yield to_line({"coindex": "document", "version": VERSION, **_fields(document)})


def _fields(document: Document) -> dict[str, Any]:
    names = [
        "id",
        "text",
        "tokens",
        "starts",
        "ends",
        "sentences",
        "part",
        "speakers",
        "pos",
        "lemma",
        "parse",
        "heads",
        "zeros",
    ]
    fields = {name: getattr(document, name) for name in names}
    fields["layers"] = document.layers
    fields["meta"] = document.meta
    fields["entities"] = [_entity_fields(entity) for entity in document.entities]
    return {name: value for name, value in fields.items() if _told(name, value)}


def _told(name: str, value: Any) -> bool:
    """Whether a field is worth writing: empty columns differ from none."""
    optional = name in ("speakers", "pos", "lemma", "parse", "heads")
    return value is not None and (optional or name in ("id", "text") or value not in ((), []))


def _entity_fields(entity: Entity) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": entity.id, "kind": entity.kind, "attrs": entity.attrs}
    fields["mentions"] = [_mention_fields(mention) for mention in entity.mentions]
    return {name: value for name, value in fields.items() if value is not None and value != ()}


def _mention_fields(mention: Mention) -> dict[str, Any]:
    fields: dict[str, Any] = {"spans": [[span.start, span.end] for span in mention.spans]}
    for name in ("head", "kind", "id", "attrs"):
        fields[name] = getattr(mention, name)
    return {name: value for name, value in fields.items() if value is not None and value != ()}
