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
from coindex.neural.package import Scheme, read_facts, read_head
from coindex.neural.resolve import Engine
from coindex.neural.windows import Pieces
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
    engine = _engine(folder, settings.threads or os.cpu_count() or 1)
    facts = engine.facts
    name = settings.scheme or (facts.single if settings.singletons else facts.default)
    digest = sha256((folder / "model.json").read_bytes()).hexdigest()[:8]
    return Neural(engine, facts.scheme(name), f"model:{facts.name}-{digest}|scheme:{name}")


def _engine(folder: Path, threads: int) -> Engine:
    pieces = _pieces(folder)
    if (folder / "encoder.onnx").is_file():
        from coindex.neural.encoder import OnnxEncoder

        facts = read_facts(folder)
        encoder = OnnxEncoder(folder / "encoder.onnx", threads)
        return Engine(facts, read_head(folder, facts), pieces, encoder)
    from coindex.neural import with_torch

    found, head, torch_encoder = with_torch.load(folder)
    return Engine(found, head, pieces, torch_encoder)


def _pieces(folder: Path) -> Pieces:
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exceptions
        raise InputError(f"{file}: expected a tokenizer: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Pieces(tokenizer)
