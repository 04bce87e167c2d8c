"""The spaCy component: `nlp.add_pipe("coindex")` in any English pipeline.

    nlp.add_pipe("coindex")                      # or config={"model": "FOLDER"}
    doc = nlp("Ann lost her keys. She was late.")
    doc.spans["coindex"]                         # every mention, labelled by its entity
    doc._.coindex                                # entities, each a tuple of spans
    doc._.coindex_text                           # the text with names for pronouns

Mentions are spans of the pipeline's own tokens, and sentences are the pipeline's. The result
is stored in `doc.spans`, so it survives `to_bytes`; the two attributes are computed from it.
spaCy finds the component by its entry point; nothing has to be imported.

The label of a span is the number of its entity, and its id (`span.id_`) the offset of its first
character. `Doc.from_docs` moves spans and keeps ids, so the distance between the two says which
spans came from one document: equal labels of two documents stay two entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from coindex.errors import InvalidValue
from coindex.resolvers.resolver import Resolver, load
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.transform.replace_pronouns import replace_pronouns
from coindex.transform.resolved_entities import confidence_value, numbered_entities
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

KEY = "coindex"


class CoindexComponent:
    """A pipeline component that adds the entities of a resolver to docs."""

    def __init__(
        self, name: str, resolver: Resolver, span_group: str = KEY, attribute: str | None = None
    ) -> None:
        """Register the attributes.

        name        the pipe's name
        span_group  the key in `doc.spans`
        attribute   the attribute of `doc._`, and with `_text` that of the text with names for
                    pronouns; by default the name of the span group
        """
        self.name, self.span_group = name, span_group
        self.attribute = span_group if attribute is None else attribute
        self._resolver = resolver
        if not self.attribute.isidentifier():
            raise InvalidValue(
                f"{name}: expected the attribute to be a Python name, found {self.attribute!r}"
            )
        _register(name, self.attribute, _Getter(entities, span_group))
        _register(name, f"{self.attribute}_text", _Getter(replaced_text, span_group))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a reference to the model: a copy in another process loads it again."""
        return CoindexComponent, (self.name, self._resolver, self.span_group, self.attribute)

    def __call__(self, doc: Doc) -> Doc:
        """Resolve one doc."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 0) -> Iterator[Doc]:
        """Resolve a stream of docs, each independently of the others."""
        docs, inputs = tee(stream)
        resolved = self._resolver.stream(document_of(doc) for doc in inputs)
        for doc, document in zip(docs, resolved, strict=True):
            _write(doc, document, self.span_group)
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
    default_config={
        "model": None, "singletons": False, "scheme": None, "threads": 1,
        "span_group": KEY, "attribute": None,
    },
)  # fmt: skip
def make(
    nlp: Language,
    name: str,
    model: str | None,
    singletons: bool,
    scheme: str | None,
    threads: int,
    span_group: str,
    attribute: str | None,
) -> CoindexComponent:
    """Create the component from a pipeline's config."""
    for other, component in nlp.components:
        if not isinstance(component, CoindexComponent) or other == name:
            continue
        if component.span_group == span_group:
            raise InvalidValue(
                f"{name}: expected another span_group than that of the component {other},"
                f" found {span_group!r}"
            )
    resolver = load(model, singletons=singletons, scheme=scheme, threads=threads)
    return CoindexComponent(name, resolver, span_group, attribute)


@dataclass(frozen=True, slots=True)
class _Getter:
    """The value of an attribute of docs, read off a span group."""

    function: Callable[[Doc, str], Any]
    key: str

    def __call__(self, doc: Doc) -> Any:
        return self.function(doc, self.key)


def _register(name: str, attribute: str, getter: _Getter) -> None:
    """Add an attribute to all docs; an error if it means something else already."""
    if not Doc.has_extension(attribute):
        Doc.set_extension(attribute, getter=getter)
        return
    found = Doc.get_extension(attribute)[2]
    if found != getter:
        owner = f"span group {found.key!r}" if isinstance(found, _Getter) else "extension"
        raise InvalidValue(
            f"{name}: expected doc._.{attribute} to be free, found that of another {owner};"
            " choose another name with the setting attribute"
        )


def entities(doc: Doc, key: str = KEY) -> tuple[tuple[Span, ...], ...]:
    """The entities of a doc, each a tuple of spans in reading order."""
    groups: dict[tuple[int, str], list[Span]] = {}
    for span in _spans(doc, key):
        groups.setdefault(_entity_key(span), []).append(span)
    return tuple(tuple(group) for group in groups.values())


def _spans(doc: Doc, key: str) -> list[Span]:
    """The spans of a group; an error if the tokens have changed since it was made."""
    try:
        spans = list(doc.spans.get(key, ()))
        same = all(span.start_char == doc[span.start].idx for span in spans)
    except IndexError:
        same = False
    if not same:
        raise InvalidValue(
            f"doc.spans[{key!r}]: expected the tokens that it was made for, found others: add pipes"
            " that merge or split tokens, such as merge_entities, before coindex"
        )
    return spans


def _entity_key(span: Span) -> tuple[int, str]:
    """The document that a span came from, by how far it was moved, and the label of its entity."""
    first = span.id_
    return (span.start_char - int(first) if first.isdecimal() else 0), span.label_


def replaced_text(doc: Doc, key: str = KEY) -> str:
    """The text with pronouns replaced by names, where the resolver was confident."""
    document = document_of(doc)
    words = list(enumerate(_words(doc)))
    ends = {word.token: number + 1 for number, word in words}
    starts = {word.token: number for number, word in reversed(words)}
    found = _spans(doc, key)
    stored = doc.spans[key].attrs if found else {}
    scores = {name: stored.get(name, ()) for name in ("confidence", "link")}
    groups: dict[tuple[int, str], list[Mention]] = {}
    for number, span in enumerate(found):
        mention = Mention.at(starts[span.start], ends[span.end - 1])
        attrs = tuple(
            (name, str(values[number]))
            for name, values in scores.items()
            if len(values) == len(found) and values[number] is not None
        )
        groups.setdefault(_entity_key(span), []).append(replace(mention, attrs=attrs))
    resolved = tuple(Entity(tuple(group)) for group in groups.values())
    return replace_pronouns(replace(document, entities=resolved)).text


def document_of(doc: Doc) -> Document:
    """A doc as a `Document`: its tokens without white space, and its sentences if it has any.

    A token with several words, as `merge_entities` makes them, is split.
    """
    words = _words(doc)
    starts, ends = tuple(word.start for word in words), tuple(word.end for word in words)
    if doc.has_annotation("SENT_START"):
        first = [
            at
            for at, word in enumerate(words)
            if at == 0 or (word.start == doc[word.token].idx and doc[word.token].is_sent_start)
        ]
    else:
        first = list(sentence_starts(doc.text, list(zip(starts, ends, strict=True))))
    tags = tuple(doc[word.token].tag_ for word in words)
    return Document(
        "doc", doc.text, tuple(doc.text[word.start : word.end] for word in words), starts, ends,
        tuple(first), pos=tags if any(tags) else None,
    )  # fmt: skip


class _Word(NamedTuple):
    """A token of a doc, or a part of one; characters of the doc."""

    token: int
    start: int
    end: int


def _words(doc: Doc) -> list[_Word]:
    """The tokens that are not white space; those with white space in them are split."""
    words = []
    for token in doc:
        text, at = token.text, token.idx
        if token.is_space:
            continue
        if len(text.split()) < 2:
            words.append(_Word(token.i, at, at + len(text)))
        else:
            words += (_Word(token.i, at + start, at + end) for start, end in token_offsets(text))
    return words


def _write(doc: Doc, document: Document, key: str) -> None:
    """Store the entities of a resolved document in `doc.spans`."""
    words = _words(doc)
    spans: list[Span] = []
    scores: dict[str, list[float | None]] = {"confidence": [], "link": []}
    for number, entity in enumerate(numbered_entities(document), 1):
        written = set()
        for mention in entity.mentions:
            first, last = words[mention.start].token, words[mention.end - 1].token
            if (first, last) in written:  # two mentions within one token
                continue
            written.add((first, last))
            begin = str(doc[first].idx)
            spans.append(Span(doc, first, last + 1, label=str(number), span_id=begin))
            for name, values in scores.items():
                values.append(confidence_value(mention, name))
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=scores)
