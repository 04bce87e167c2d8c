"""`coindex.load()`: a coreference resolver as a Python object.

import coindex
resolver = coindex.load()
document = resolver.resolve("Ann lost her keys. She was late.")
for entity in document.entities: ...
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike, fspath
from threading import Event, Lock
from types import TracebackType
from typing import Any, overload

from coindex import io
from coindex.errors import InvalidValue, UnknownName
from coindex.models import COREF, MENTION_PAIR, open_model
from coindex.resolvers.model_reference import ModelReference, load_clusterer, model_reference
from coindex.resolvers.protocol import Clusterer, ResolverSettings
from coindex.text.markup import MARKUPS, read_markup
from coindex.transform.edit import retokenize, without_markup
from coindex.transform.speakers import SpeakerFile, read_speakers, with_speakers
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress
from coindex.types.text_values import check_several, decode_hint, found, not_a_text

_RESOLVERS = {COREF: "neural", MENTION_PAIR: "quizbowl"}


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A document without tokens whose markup is known, by the name of its file for example.

    markup   one of `coindex.text.markup.MARKUPS`, instead of that of the resolver
    """

    document: Document
    markup: str


Text = str | Document | MarkedText


class Resolver:
    """Finds the entities of texts and documents; each result depends on its own text alone.

    Several threads may call one resolver, with the same results as one after the other. It can be
    pickled: a copy in another process loads the model again, once for all copies there. It can be
    a context manager, which closes it.
    """

    __slots__ = ("_clusterer", "_lock", "_reference", "_workers", "markup", "speakers")

    def __init__(
        self,
        clusterer: Clusterer,
        speakers: Callable[[Document, str | None], Document] = with_speakers,
        markup: str = "auto",
        reference: ModelReference | None = None,
    ) -> None:
        self._clusterer: Clusterer | None = clusterer
        self.speakers = speakers
        self.markup = markup
        self._reference = reference
        self._lock = Lock()
        self._workers: ThreadPoolExecutor | None = None

    @property
    def clusterer(self) -> Clusterer:
        """The loaded model; an `InvalidValue` if the resolver is closed."""
        clusterer = self._clusterer
        if clusterer is None:
            raise InvalidValue("the resolver is closed: load another one with coindex.load")
        return clusterer

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
        if isinstance(texts, Text):
            return self._resolve_one(self.clusterer, texts)
        if not isinstance(texts, Iterable):
            raise InvalidValue(f"expected a text, a document or a list of them, {found(texts)}")
        return list(self.resolve_all(texts))

    def resolve_all(
        self, texts: Iterable[Text], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """The same for any number of texts, each as soon as it is done, in their order.

        Texts are taken as results are consumed, and a few ahead (see `batch` of `coindex.load`), so
        that a generator may have any length.

        on_progress   called with the number of words that are done
        """
        check_several(texts)
        return self._checked(self._results(self.clusterer, texts, on_progress))

    def stream(
        self, texts: Iterable[Text], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """The same as `resolve_all`."""
        return self.resolve_all(texts, on_progress)

    async def aresolve(self, text: Text) -> Document:
        """One text or document, in a thread: the event loop is not blocked.

        As many calls as there are cores run at once, and others wait for them. A call that is
        cancelled stops after the window of text that it is reading.
        """
        from asyncio import wrap_future

        if not isinstance(text, Text):
            several = isinstance(text, list | tuple)
            hint = ": call it for each, with asyncio.gather" if several else decode_hint(text)
            raise InvalidValue(f"expected a text or a document, {found(text)}{hint}")
        stop = Event()

        def check(progress: Progress) -> None:
            if stop.is_set():
                raise InvalidValue("the call was cancelled")

        call = self._submit(text, check)
        try:
            return await wrap_future(call)
        finally:
            stop.set()

    def close(self) -> None:
        """Let go of the model. Calls that have begun end as usual, later ones raise an error."""
        with self._lock:
            workers, self._workers, self._clusterer = self._workers, None, None
        if workers is not None:
            workers.shutdown(wait=False)

    def __enter__(self) -> Resolver:
        _ = self.clusterer
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the reference to the model; a resolver without one pickles its clusterer."""
        clusterer = self.clusterer
        if self._reference is None:
            return Resolver, (clusterer, self.speakers, self.markup)
        return _copy, (self._reference, self.speakers, self.markup)

    def __repr__(self) -> str:
        return f"<Resolver {'closed' if self._clusterer is None else self.signature}>"

    def _submit(self, text: Text, on_progress: OnProgress) -> Future[Document]:
        """Begin a call in a thread."""
        with self._lock:
            clusterer = self.clusterer
            if self._workers is None:
                self._workers = ThreadPoolExecutor(os.cpu_count() or 1, "coindex")
            return self._workers.submit(self._resolve_one, clusterer, text, on_progress)

    def _resolve_one(
        self, clusterer: Clusterer, text: Text, on_progress: OnProgress = ignore_progress
    ) -> Document:
        for document in self._results(clusterer, [text], on_progress):
            return document
        raise InvalidValue(f"{clusterer.signature}: expected one resolved document, found none")

    def _results(
        self, clusterer: Clusterer, texts: Iterable[Text], on_progress: OnProgress
    ) -> Iterator[Document]:
        documents = (self._prepared(text, number) for number, text in enumerate(texts, 1))
        return clusterer.resolve(documents, on_progress)

    def _checked(self, documents: Iterator[Document]) -> Iterator[Document]:
        """The documents, until the resolver is closed."""
        while True:
            _ = self.clusterer
            try:
                document = next(documents)
            except StopIteration:
                return
            yield document

    def _prepared(self, text: Text, number: int) -> Document:
        """A text as a document with tokens and speakers; tokens that it has are used as they are."""
        if not isinstance(text, Text):
            raise not_a_text(text, number)
        markup = text.markup if isinstance(text, MarkedText) else self.markup
        given = text.document if isinstance(text, MarkedText) else text
        document = given if isinstance(given, Document) else Document(str(number), given)
        if document.tokens:
            return self.speakers(document, None)
        visible = read_markup(document.text, markup)
        tokenized = without_markup(retokenize(document, ()), markup)
        return self.speakers(tokenized, visible.masked if visible else None)


def _copy(
    reference: ModelReference,
    speakers: Callable[[Document, str | None], Document],
    markup: str,
) -> Resolver:
    """A pickled resolver in this process."""
    return Resolver(reference.load(), speakers, markup, reference)


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
    clusterer = load_clusterer(_RESOLVERS[kind], settings)
    reference = model_reference(_RESOLVERS[kind], settings, clusterer.signature)
    return Resolver(clusterer, _speakers(fspath(speakers)), markup, reference)


def _speakers(choice: str) -> Callable[[Document, str | None], Document]:
    """What sets the speakers of a document."""
    if choice == "auto":
        return with_speakers
    if choice == "none":
        return _unchanged
    with io.open_lines(choice) as lines:
        return _SpeakersOfFile(read_speakers(lines, choice))


def _unchanged(document: Document, visible: str | None) -> Document:
    return document


@dataclass(frozen=True, slots=True)
class _SpeakersOfFile:
    """Sets the speakers that a file names; pickled with the turns, not by the file's name."""

    turns: SpeakerFile

    def __call__(self, document: Document, visible: str | None) -> Document:
        return self.turns.apply(document)
