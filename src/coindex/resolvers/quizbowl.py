"""The Quiz Bowl resolver (Guha et al. 2015): CRF mentions, and a classifier of pairs.

from coindex import resolvers
resolver = resolvers.load("quizbowl", resolvers.Settings(model="my.model"))
for document in resolver.resolve(documents): ...
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from coindex.core.document import Document
from coindex.errors import InputError, UsageError
from coindex.parsing.parser import parser
from coindex.quizbowl import package
from coindex.quizbowl.featured import Store
from coindex.quizbowl.model import Model, answer
from coindex.resolvers import Settings

ABOUT = "entities of documents, by a CRF and a classifier of pairs"
CONTEXT = "snippet"

_BATCH = 16


@dataclass(frozen=True, slots=True)
class QuizBowl:
    """A loaded model."""

    model: Model
    store: Store
    singletons: bool

    @property
    def signature(self) -> str:
        """The model, what parses the documents, and whether single mentions are told."""
        single = "keep" if self.singletons else "drop"
        parses = self.store.parser.signature
        return f"quizbowl|model:{self.model.digest}|{parses}|singletons:{single}"

    def resolve(
        self, documents: Iterable[Document], watch: Callable[[int], None] | None = None
    ) -> Iterator[Document]:
        """Each document with its entities, in their order.

        watch   told how many words are done, after each document
        """
        rest, done = iter(documents), 0
        while batch := list(islice(rest, _BATCH)):
            for part in self.store.of(batch):
                yield answer(self.model, part, singletons=self.singletons)
                done += len(part.document)
                if watch:
                    watch(done)
            self.store.forget()


def missing(settings: Settings) -> str | None:
    """What this resolver lacks to work, if anything."""
    if settings.model is None or not Path(settings.model).is_file():
        return "no Quiz Bowl model is shipped: train one (coindex train quizbowl) and name its file"
    return None


def load(settings: Settings) -> QuizBowl:
    """The model of a file."""
    if settings.model is None:
        raise InputError(str(missing(settings)))
    if settings.scheme is not None:
        raise UsageError(
            f"{settings.model}: a Quiz Bowl model has one annotation scheme, that of the documents"
            f" it was trained on; expected none to be named, found {settings.scheme!r}"
        )
    model, vectors = package.load(Path(settings.model))
    trained_with = model.pipeline.removeprefix("pipeline:").partition("|")[0]
    name = settings.pipeline or trained_with.rpartition("-")[0] or None
    parses = parser(name, cache=settings.cache)
    if model.pipeline and parses.signature != model.pipeline:
        warnings.warn(
            f"{settings.model}: trained on parses by {model.pipeline}, these are by"
            f" {parses.signature}: expect fewer points",
            stacklevel=2,
        )
    return QuizBowl(model, Store(parses, model.config, vectors), settings.singletons)
