"""The neural resolver: entities of whole documents, by the shipped model or one's own.

from coindex import resolvers
resolver = resolvers.load("neural", resolvers.Settings(model="FOLDER"))
for document in resolver.resolve(documents): ...
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from coindex.core.document import Document
from coindex.errors import InputError
from coindex.neural.load import engine
from coindex.neural.package import Scheme
from coindex.neural.resolve import Engine
from coindex.resolvers import Settings

ABOUT = "entities of documents, by a neural network"
CONTEXT = "snippet"

SHIPPED = Path(__file__).parent.parent / "models" / "default"


@dataclass(frozen=True, slots=True)
class Neural:
    """A loaded model under one scheme."""

    engine: Engine
    scheme: Scheme
    signature: str

    def resolve(
        self, documents: Iterable[Document], watch: Callable[[int], None] | None = None
    ) -> Iterator[Document]:
        """Each document with its entities, in their order."""
        return self.engine.resolve(documents, self.scheme, watch)


def missing(settings: Settings) -> str | None:
    """What this resolver lacks to work, if anything."""
    if settings.model is None and not (SHIPPED / "model.json").is_file():
        return "no model is shipped with this version: name the folder of a trained one (--model)"
    return None


def load(settings: Settings) -> Neural:
    """The model of a folder: exported (ONNX), or as training left it (torch)."""
    lacks = missing(settings)
    if lacks:
        raise InputError(lacks)
    folder = Path(settings.model) if settings.model else SHIPPED
    if not (folder / "model.json").is_file():
        raise InputError(f"{folder}: expected a model's folder with model.json, found none")
    loaded = engine(folder, settings.threads or os.cpu_count() or 1, settings.batch)
    facts = loaded.facts
    name = settings.scheme or (facts.single if settings.singletons else facts.default)
    digest = sha256((folder / "model.json").read_bytes()).hexdigest()[:8]
    return Neural(loaded, facts.scheme(name), f"model:{facts.name}-{digest}|scheme:{name}")
