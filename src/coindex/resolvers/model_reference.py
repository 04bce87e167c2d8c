"""Which model a resolver was loaded from, so that copies in other processes load it again.

A loaded model is large and cannot be pickled; its reference is small. A process keeps the models
of the last few references, so that a worker with thousands of tasks loads each one once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from coindex import resolvers
from coindex.errors import InvalidValue
from coindex.models.common.installed_models import installed_folder
from coindex.resolvers.protocol import Clusterer, ResolverSettings

MAX_MODELS = 4
"""How many models a process keeps for copies of resolvers."""

_LOCK = Lock()
_MODELS: OrderedDict[ModelReference, Clusterer] = OrderedDict()


@dataclass(frozen=True, slots=True)
class ModelReference:
    """A resolver's plugin and settings, and the signature of what they gave.

    The path of a model is absolute, as another process may run in another folder.
    """

    plugin: str
    settings: ResolverSettings
    signature: str

    def load(self) -> Clusterer:
        """The model, loaded once in a process; an error if it is another one by now."""
        with _LOCK:
            if self not in _MODELS:
                _MODELS[self] = self._loaded()
            _MODELS.move_to_end(self)
            while len(_MODELS) > MAX_MODELS:
                _MODELS.popitem(last=False)
            return _MODELS[self]

    def _loaded(self) -> Clusterer:
        clusterer = load_clusterer(self.plugin, self.settings)
        if clusterer.signature != self.signature:
            raise InvalidValue(
                f"{self.settings.model or 'the shipped model'}: expected {self.signature}, which"
                f" was pickled, found {clusterer.signature} in this process"
            )
        return clusterer


def model_reference(plugin: str, settings: ResolverSettings, signature: str) -> ModelReference:
    """The reference of a model that was just loaded."""
    model = settings.model
    if model is not None and installed_folder(model) is None:
        settings = replace(settings, model=str(Path(model).expanduser().absolute()))
    return ModelReference(plugin, settings, signature)


def load_clusterer(plugin: str, settings: ResolverSettings) -> Clusterer:
    """A resolver of documents by the name of its plugin."""
    resolver = resolvers.load(plugin, settings)
    if not isinstance(resolver, Clusterer):
        raise InvalidValue(f"{resolver.signature}: expected a resolver of documents")
    return resolver
