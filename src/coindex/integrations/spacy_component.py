"""The spaCy component: `nlp.add_pipe("coindex")` in any English pipeline.

    nlp.add_pipe("coindex")                      # or config={"model": "FOLDER"}
    doc = nlp("Ann lost her keys. She was late.")
    doc.spans["coindex"]                         # every mention, labelled by its entity
    doc._.coindex                                # entities, each a tuple of spans
    doc._.coindex_text                           # the text with names for pronouns

Mentions are spans of the pipeline's own tokens, and sentences are the pipeline's. The result
is stored in `doc.spans`, so it survives `to_bytes`; the two attributes are computed from it.
spaCy finds the component by its entry point; nothing has to be imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import tee
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from coindex.resolvers.resolver import load
from coindex.text.tokenizer import sentence_starts
from coindex.transform.replace_pronouns import replace_pronouns
from coindex.transform.resolved_entities import confidence_value, numbered_entities
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

KEY = "coindex"


class CoindexComponent:
    """A pipeline component that adds the entities of a resolver to docs."""

    def __init__(self, name: str, **settings: Any) -> None:
        """Load a resolver with the settings of `coindex.load`; `name` is the pipe's name."""
        self.name, self._settings = name, settings
        self._resolver = load(**settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings only: a copy in another process loads the model again."""
        return partial(CoindexComponent, self.name, **self._settings), ()

    def __call__(self, doc: Doc) -> Doc:
        """Resolve one doc."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 0) -> Iterator[Doc]:
        """Resolve a stream of docs, each independently of the others."""
        docs, inputs = tee(stream)
        resolved = self._resolver.stream(document_of(doc) for doc in inputs)
        for doc, document in zip(docs, resolved, strict=True):
            _write(doc, document)
            yield doc

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write nothing: the pipeline's config names the model."""

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> CoindexComponent:
        """Return the component unchanged."""
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return no bytes: the pipeline's config names the model."""
        return b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> CoindexComponent:
        """Return the component unchanged."""
        return self


@Language.factory(
    KEY,
    assigns=["doc.spans", "doc._.coindex", "doc._.coindex_text"],
    default_config={"model": None, "singletons": False, "scheme": None, "threads": 1},
)
def make(
    nlp: Language, name: str, model: str | None, singletons: bool, scheme: str | None, threads: int
) -> CoindexComponent:
    """Create the component from a pipeline's config."""
    for attribute, getter in (("coindex", entities), ("coindex_text", replaced_text)):
        if not Doc.has_extension(attribute):
            Doc.set_extension(attribute, getter=getter)
    return CoindexComponent(
        name, model=model, singletons=singletons, scheme=scheme, threads=threads
    )


def entities(doc: Doc) -> tuple[tuple[Span, ...], ...]:
    """The entities of a doc, each a tuple of spans in reading order."""
    groups: dict[str, list[Span]] = {}
    for span in doc.spans.get(KEY, ()):
        groups.setdefault(span.label_, []).append(span)
    return tuple(tuple(group) for group in groups.values())


def replaced_text(doc: Doc) -> str:
    """The text with pronouns replaced by names, where the resolver was confident."""
    document = document_of(doc)
    index = {token: number for number, token in enumerate(_token_indices(doc))}
    found = doc.spans.get(KEY, ())
    scores = {name: getattr(found, "attrs", {}).get(name, ()) for name in ("confidence", "link")}
    groups: dict[str, list[Mention]] = {}
    for number, span in enumerate(found):
        mention = Mention.at(index[span.start], index[span.end - 1] + 1)
        attrs = tuple(
            (name, str(values[number]))
            for name, values in scores.items()
            if len(values) == len(found) and values[number] is not None
        )
        groups.setdefault(span.label_, []).append(replace(mention, attrs=attrs))
    resolved = tuple(Entity(tuple(group)) for group in groups.values())
    return replace_pronouns(replace(document, entities=resolved)).text


def document_of(doc: Doc) -> Document:
    """A doc as a `Document`: its tokens without white space, and its sentences if it has any."""
    indices = _token_indices(doc)
    starts = tuple(doc[i].idx for i in indices)
    ends = tuple(doc[i].idx + len(doc[i]) for i in indices)
    if doc.has_annotation("SENT_START"):
        first = [i for i, at in enumerate(indices) if i == 0 or doc[at].is_sent_start]
    else:
        first = list(sentence_starts(doc.text, list(zip(starts, ends, strict=True))))
    tags = tuple(doc[i].tag_ for i in indices)
    return Document(
        "doc", doc.text, tuple(doc[i].text for i in indices), starts, ends, tuple(first),
        pos=tags if any(tags) else None,
    )  # fmt: skip


def _token_indices(doc: Doc) -> list[int]:
    """The indices of the tokens that are not white space."""
    return [token.i for token in doc if not token.is_space]


def _write(doc: Doc, document: Document) -> None:
    """Store the entities of a resolved document in `doc.spans`."""
    indices = _token_indices(doc)
    spans: list[Span] = []
    scores: dict[str, list[float | None]] = {"confidence": [], "link": []}
    for number, entity in enumerate(numbered_entities(document), 1):
        for mention in entity.mentions:
            first, last = indices[mention.start], indices[mention.end - 1]
            spans.append(Span(doc, first, last + 1, label=str(number)))
            for name, values in scores.items():
                values.append(confidence_value(mention, name))
    doc.spans[KEY] = SpanGroup(doc, name=KEY, spans=spans, attrs=scores)
