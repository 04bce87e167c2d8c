"""The spaCy component: `nlp.add_pipe("coindex")` in any English pipeline.

    nlp.add_pipe("coindex")                      # or config={"model": "FOLDER"}
    doc = nlp("Ann lost her keys. She was late.")
    doc.spans["coindex"]                         # every mention, labelled by its entity
    doc._.coindex                                # entities, each a tuple of spans
    doc._.coindex_text                           # names in the place of pronouns

Mentions are made of the pipeline's own tokens and sentences. Everything is kept in
`doc.spans`, so it survives `to_bytes`, and the two attributes are read off it. spaCy
finds the component by its entry point; nothing has to be imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import tee
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.replaced import replaced
from coindex.core.resolved import numbered, sureness
from coindex.core.tokenize import sentences
from coindex.resolvers._api import load

KEY = "coindex"


class Component:
    """Adds entities to docs."""

    def __init__(self, name: str, **settings: Any) -> None:
        """A resolver with the settings of `coindex.load`, under its name in the pipeline."""
        self.name, self._settings = name, settings
        self._resolver = load(**settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, also in another process, loads the model again."""
        return _again, (self.name, self._settings)

    def __call__(self, doc: Doc) -> Doc:
        """One doc."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 0) -> Iterator[Doc]:
        """Docs in a stream; the answer on each does not depend on the others."""
        docs, given = tee(stream)
        found = self._resolver.stream(document_of(doc) for doc in given)
        for doc, document in zip(docs, found, strict=True):
            _write(doc, document)
            yield doc

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Nothing: the pipeline's config says which model to load."""

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Component:
        """As it is."""
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Nothing, likewise."""
        return b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Component:
        """As it is."""
        return self


@Language.factory(
    KEY,
    assigns=["doc.spans", "doc._.coindex", "doc._.coindex_text"],
    default_config={"model": None, "singletons": False, "scheme": None, "threads": 1},
)
def make(
    nlp: Language, name: str, model: str | None, singletons: bool, scheme: str | None, threads: int
) -> Component:
    """The component, as a pipeline's config describes it."""
    for attribute, getter in (("coindex", entities), ("coindex_text", text)):
        if not Doc.has_extension(attribute):
            Doc.set_extension(attribute, getter=getter)
    return Component(name, model=model, singletons=singletons, scheme=scheme, threads=threads)


def _again(name: str, settings: dict[str, Any]) -> Component:
    return Component(name, **settings)


def entities(doc: Doc) -> tuple[tuple[Span, ...], ...]:
    """The entities of a doc, each a tuple of spans in reading order."""
    groups: dict[str, list[Span]] = {}
    for span in doc.spans.get(KEY, ()):
        groups.setdefault(span.label_, []).append(span)
    return tuple(tuple(group) for group in groups.values())


def text(doc: Doc) -> str:
    """The text with names in the place of pronouns."""
    document = document_of(doc)
    index = {token: number for number, token in enumerate(_kept(doc))}
    found = tuple(
        Entity(tuple(Mention.at(index[s.start], index[s.end - 1] + 1) for s in group))
        for group in entities(doc)
    )
    return replaced(replace(document, entities=found)).text


def document_of(doc: Doc) -> Document:
    """A doc as a document: its tokens that are not white space, its sentences if it has any."""
    kept = _kept(doc)
    starts = tuple(doc[i].idx for i in kept)
    ends = tuple(doc[i].idx + len(doc[i]) for i in kept)
    if doc.has_annotation("SENT_START"):
        first = [i for i, at in enumerate(kept) if i == 0 or doc[at].is_sent_start]
    else:
        first = list(sentences(doc.text, list(zip(starts, ends, strict=True))))
    tags = tuple(doc[i].tag_ for i in kept)
    return Document(
        "doc", doc.text, tuple(doc[i].text for i in kept), starts, ends, tuple(first),
        pos=tags if any(tags) else None,
    )  # fmt: skip


def _kept(doc: Doc) -> list[int]:
    return [token.i for token in doc if not token.is_space]


def _write(doc: Doc, document: Document) -> None:
    kept = _kept(doc)
    spans: list[Span] = []
    facts: dict[str, list[Any]] = {"confidence": [], "link": []}
    for number, entity in enumerate(numbered(document), 1):
        for mention in entity.mentions:
            first, last = kept[mention.start], kept[mention.end - 1]
            spans.append(Span(doc, first, last + 1, label=str(number)))
            for name, values in facts.items():
                values.append(sureness(mention, name))
    doc.spans[KEY] = SpanGroup(doc, name=KEY, spans=spans, attrs=facts)
