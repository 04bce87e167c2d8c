"""The neural resolver: entities of whole documents, by the shipped model or another one.

from coindex import resolvers
resolver = resolvers.load("neural", resolvers.ResolverSettings(model="FOLDER"))
for document in resolver.resolve(documents): ...
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError
from coindex.models import COREF, open_model
from coindex.models.common.artifact import METADATA, digest
from coindex.models.common.installed_models import find_model
from coindex.models.coref.artifact import CorefMetadata, Scheme
from coindex.models.coref.infer.agreement import parse_rules
from coindex.models.coref.infer.engine import Engine, ResolveRules, load_engine
from coindex.models.coref.infer.single_mentions import resolve_with_singles
from coindex.resolvers.protocol import ResolverSettings
from coindex.types.document import Document
from coindex.types.progress import OnProgress, ignore_progress

ABOUT = "entities of documents, by a neural network"
CONTEXT = "snippet"


@dataclass(frozen=True, slots=True)
class NeuralResolver:
    """A loaded model under one scheme.

    single   the scheme that entities of one mention are taken from, if it is another one
    """

    engine: Engine
    scheme: Scheme
    signature: str
    rules: ResolveRules
    single: Scheme | None = None

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """Each document with its entities, in their order."""
        if self.single is None:
            return self.engine.resolve(documents, self.scheme, on_progress, self.rules)
        return resolve_with_singles(
            self.engine, documents, self.scheme, self.single, on_progress, self.rules
        )

    @property
    def schemes(self) -> tuple[str, ...]:
        """The names of the schemes that the model knows, the default one first."""
        default = self.engine.metadata.default
        return tuple(
            sorted((s.name for s in self.engine.metadata.schemes), key=lambda name: name != default)
        )

    def with_settings(self, settings: ResolverSettings) -> NeuralResolver:
        """The same network under another scheme or other rules; its weights are shared."""
        return _configured(self.engine, self.signature.partition("|")[0], settings)


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: a model, if none is shipped."""
    if settings.model is None and not (DEFAULT_MODEL / METADATA).is_file():
        return "no model is shipped with this version: name the folder of a trained one (--model)"
    return None


def _scheme(metadata: CorefMetadata, settings: ResolverSettings) -> Scheme:
    """The scheme that is asked for; without a name, one that has singletons where these are."""
    if settings.scheme:
        return metadata.scheme(settings.scheme)
    default = metadata.scheme(metadata.default)
    return (
        metadata.scheme(metadata.single)
        if settings.singletons and not default.everyday
        else default
    )


def _single(metadata: CorefMetadata, scheme: Scheme, settings: ResolverSettings) -> Scheme | None:
    """The scheme that entities of one mention are taken from, if an everyday one is to have them."""
    wanted = settings.singletons and scheme.everyday and not scheme.singletons
    return metadata.scheme(metadata.single) if wanted else None


def load(settings: ResolverSettings) -> NeuralResolver:
    """The model of a folder: exported (ONNX), or as training wrote it (torch)."""
    message = missing(settings)
    if message:
        raise InputError(message)
    folder = find_model(settings.model)
    open_model(folder).expect(COREF)
    engine = load_engine(
        folder, settings.threads or os.cpu_count() or 1, settings.batch, settings.device
    )
    model = f"model:{engine.metadata.name}-{digest(folder / METADATA)}"
    return _configured(engine, model, settings)


def _configured(engine: Engine, model: str, settings: ResolverSettings) -> NeuralResolver:
    """The resolver of a loaded network; `model` is the first part of its signature."""
    scheme = _scheme(engine.metadata, settings)
    rules = ResolveRules(parse_rules(settings.rules), settings.events, settings.explain)
    signature = f"{model}|scheme:{scheme.name}"
    if settings.singletons:
        signature += "|singletons"
    if settings.rules != "all":
        signature += f"|rules:{settings.rules}"
    if settings.events:
        signature += "|events"
    return NeuralResolver(
        engine, scheme, signature, rules, _single(engine.metadata, scheme, settings)
    )
