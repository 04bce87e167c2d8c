"""`coindex.load()`: a coreference resolver as a Python object.

import coindex
resolver = coindex.load()
document = resolver.resolve("Ann lost her keys. She was late.")
for entity in document.entities: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from os import PathLike, fspath
from typing import overload

from coindex import io, resolvers
from coindex.errors import InvalidValue, UnknownName
from coindex.models import COREF, MENTION_PAIR, open_model
from coindex.resolvers.protocol import Clusterer, ResolverSettings, found
from coindex.text.markup import MARKUPS, read_markup
from coindex.transform.edit import retokenize, without_markup
from coindex.transform.speakers import read_speakers, with_speakers
from coindex.types.document import Document
from coindex.types.progress import OnProgress, ignore_progress

Text = str | Document
_RESOLVERS = {COREF: "neural", MENTION_PAIR: "quizbowl"}


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds the entities of texts and documents; each result depends on its own text alone."""

    clusterer: Clusterer
    speakers: Callable[[Document, str | None], Document] = with_speakers
    markup: str = "auto"

    @property
    def signature(self) -> str:
        """Which model resolves, under which scheme."""
        return self.clusterer.signature

    @overload
    def resolve(self, texts: Text) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def resolve(self, texts: Iterable[Text]) -> list[Document]: ...

    def resolve(self, texts: Text | Iterable[Text]) -> Document | list[Document]:
        """One text or document gives one document, several give a list, in their order."""
        if isinstance(texts, str | Document):
            return next(self.stream([texts]))
        if not isinstance(texts, Iterable):
            raise InvalidValue(f"expected a text, a document or a list of them, {found(texts)}")
        return list(self.stream(texts))

    def stream(
        self, texts: Iterable[Text], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """The same for any number of texts, each as soon as it is done.

        on_progress   called with the number of words that are done
        """
        _check_several(texts)
        documents = (self._prepared(text, number) for number, text in enumerate(texts, 1))
        return self.clusterer.resolve(documents, on_progress)

    def _prepared(self, text: Text, number: int) -> Document:
        """A text as a document with tokens and speakers; tokens that it has are used as they are."""
        if not isinstance(text, str | Document):
            raise InvalidValue(f"expected text {number} to be a str or a document, {found(text)}")
        document = text if isinstance(text, Document) else Document(str(number), text)
        if document.tokens:
            return self.speakers(document, None)
        visible = read_markup(document.text, self.markup)
        tokenized = without_markup(retokenize(document, ()), self.markup)
        return self.speakers(tokenized, visible.masked if visible else None)


def _check_several(texts: object) -> None:
    """An error unless the value is a list of texts, a generator or the like."""
    if isinstance(texts, str | Document):
        raise InvalidValue(f"expected several texts or documents, {found(texts)}: use resolve")
    if isinstance(texts, bytes | bytearray):
        raise InvalidValue(f"expected text, {found(texts)}: decode it to a str first")
    if isinstance(texts, Mapping | Set) or not isinstance(texts, Iterable):
        raise InvalidValue(f"expected a list of texts or documents, {found(texts)}")


def load(  # noqa: PLR0913
    model: str | PathLike[str] | None = None,
    *,
    singletons: bool = False,
    scheme: str | None = None,
    threads: int | None = None,
    batch: int | None = None,
    speakers: str | PathLike[str] = "auto",
    markup: str = "auto",
    rules: str = "all",
    events: bool = False,
    explain: bool = False,
    device: str = "cpu",
) -> Resolver:
    """A model by its name, the one in a folder, or a file of `coindex train quizbowl`.

    `load()` is the shipped model, `load("base")` that of the package coindex-base.

    singletons  whether to return entities that are mentioned once
    scheme      the name of an annotation scheme that the model knows
    threads     the number of threads; by default the number of cores
    batch       how many windows of text are encoded ahead; more take more memory, and the
                number does not change a result
    speakers    "auto" recognises who speaks in texts without speakers, "none" does not, else
                a file with the turns (see `coindex.transform.speakers`)
    markup      how plain texts are read: "auto", "none", "html" or "markdown"
    rules       the rules of agreement: "all", "none", names by commas, or `-name` to leave one out
    events      whether verbs can be mentions under the default rules
    explain     whether each mention has an attribute `why`: why it was joined or kept apart
    device      "cpu", or "cuda" where there is a GPU
    """
    if markup not in MARKUPS:
        raise UnknownName("markup", markup, MARKUPS)
    for name, value in (("model", model or ""), ("speakers", speakers)):
        if not isinstance(value, str | PathLike):
            raise InvalidValue(f"expected {name} to be a str or a path, {found(value)}")
    path = None if model is None else fspath(model)
    settings = ResolverSettings(
        model=path, singletons=singletons, scheme=scheme, threads=threads, batch=batch,
        rules=rules, events=events, explain=explain, device=device,
    )  # fmt: skip
    kind = COREF
    if path is not None:
        artifact = open_model(path)
        artifact.expect(*_RESOLVERS)
        kind = COREF if COREF in artifact.kinds else artifact.kind
    resolver = resolvers.load(_RESOLVERS[kind], settings)
    if not isinstance(resolver, Clusterer):
        raise InvalidValue(f"{resolver.signature}: expected a resolver of documents")
    return Resolver(resolver, _speakers(fspath(speakers)), markup)


def _speakers(choice: str) -> Callable[[Document, str | None], Document]:
    """What sets the speakers of a document."""
    if choice == "auto":
        return with_speakers
    if choice == "none":
        return lambda document, visible: document
    with io.open_lines(choice) as lines:
        turns = read_speakers(lines, choice)
    return lambda document, visible: turns.apply(document)
