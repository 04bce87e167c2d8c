"""The Quiz Bowl resolver (Guha et al. 2015): CRF mentions, and a classifier of pairs.

from coindex import resolvers
resolver = resolvers.load("quizbowl", resolvers.ResolverSettings(model="my.model"))
for document in resolver.resolve(documents): ...
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock

from coindex.errors import InputError, UsageError
from coindex.models import MENTION_PAIR, open_model
from coindex.models.common.installed_models import find_model
from coindex.models.mention_pair import artifact
from coindex.models.mention_pair.feature_store import FeatureStore
from coindex.models.mention_pair.infer import predict
from coindex.models.mention_pair.model import Model
from coindex.resolvers.protocol import ResolverSettings
from coindex.text.parsing.parser import make_parser
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

ABOUT = "entities of documents, by a CRF and a classifier of pairs"
CONTEXT = "snippet"

_BATCH = 16


@dataclass(frozen=True, slots=True)
class QuizBowlResolver:
    """A loaded model."""

    model: Model
    store: FeatureStore
    singletons: bool
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def signature(self) -> str:
        """The model, the parser, and whether singletons are returned."""
        single = "keep" if self.singletons else "drop"
        parses = self.store.parser.signature
        return f"quizbowl|model:{self.model.digest}|{parses}|singletons:{single}"

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """Each document with its entities, in their order; several threads take turns.

        on_progress   called after each document, with the number of words that are done
        """
        rest, done = iter(documents), 0
        while batch := list(islice(rest, _BATCH)):
            with self._lock:  # the parser and the features are shared
                parts = self.store.features(batch)
                self.store.clear()
            for part in parts:
                with self._lock:
                    resolved = predict(self.model, part, singletons=self.singletons)
                yield resolved
                done += len(part.document)
                on_progress(Progress("resolving", done, unit="words"))


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: the file of a model."""
    if settings.model is None or not find_model(settings.model).is_file():
        return "no Quiz Bowl model is shipped: train one (coindex train quizbowl) and name its file"
    return None


def load(settings: ResolverSettings) -> QuizBowlResolver:
    """The model of a file."""
    if settings.model is None:
        raise InputError(str(missing(settings)))
    if settings.scheme is not None:
        raise UsageError(
            f"{settings.model}: a Quiz Bowl model has one annotation scheme, that of the documents"
            f" it was trained on; expected none to be named, found {settings.scheme!r}"
        )
    open_model(settings.model).expect(MENTION_PAIR)
    model, vectors = artifact.load(find_model(settings.model))
    trained_with = model.pipeline.removeprefix("pipeline:").partition("|")[0]
    name = settings.pipeline or trained_with.rpartition("-")[0] or None
    parses = make_parser(name, cache=settings.cache)
    if model.pipeline and parses.signature != model.pipeline:
        warnings.warn(
            f"{settings.model}: trained on parses by {model.pipeline}, these are by"
            f" {parses.signature}: expect fewer points",
            stacklevel=2,
        )
    return QuizBowlResolver(model, FeatureStore(parses, model.config, vectors), settings.singletons)
