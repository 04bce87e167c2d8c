"""`coindex.load()`: a resolver for people who write Python.

import coindex
resolver = coindex.load()
document = resolver.resolve("Ann lost her keys. She was late.")
for entity in document.entities: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import cast, overload

from coindex import resolvers
from coindex.core.document import Document
from coindex.core.edit import retokenized
from coindex.errors import InvalidValue
from coindex.resolvers import Clusterer, Settings

Text = str | Document
Watch = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds the entities of texts and documents; the answer on one does not depend on others."""

    clusterer: Clusterer

    @property
    def signature(self) -> str:
        """Which model answers, under which scheme."""
        return self.clusterer.signature

    @overload
    def resolve(self, texts: Text) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def resolve(self, texts: Iterable[Text]) -> list[Document]: ...

    def resolve(self, texts: Text | Iterable[Text]) -> Document | list[Document]:
        """One text or document gives one document, several give a list, in their order."""
        if isinstance(texts, str | Document):
            return next(self.stream([texts]))
        return list(self.stream(texts))

    def stream(self, texts: Iterable[Text]) -> Iterator[Document]:
        """The same for any number of texts, each as soon as it is done."""
        return self.clusterer.resolve(_document(text, at) for at, text in enumerate(texts, 1))


def load(
    model: str | PathLike[str] | None = None,
    *,
    singletons: bool = False,
    scheme: str | None = None,
    threads: int | None = None,
    batch: int | None = None,
) -> Resolver:
    """The shipped model, the one in a folder, or a file of `coindex train quizbowl`.

    singletons  whether entities that are mentioned once are wanted too
    scheme      an annotation scheme by name, for those who know what they want
    threads     how many to use; as many as there are cores unless told
    batch       how many stretches of text are worked on ahead; more take more memory, and
                no number of them changes an answer
    """
    for name, value in (("threads", threads), ("batch", batch)):
        if value is not None and value < 1:
            raise InvalidValue(f"expected {name} of at least 1, found {value}")
    settings = Settings(
        model=None if model is None else fspath(model),
        singletons=singletons,
        scheme=scheme,
        threads=threads,
        batch=batch,
    )
    kind = "quizbowl" if model is not None and Path(model).is_file() else "neural"
    return Resolver(cast("Clusterer", resolvers.load(kind, settings)))


def _document(text: Text, number: int) -> Document:
    if isinstance(text, Document):
        return text if text.tokens else retokenized(text, ())
    if not isinstance(text, str):
        raise InvalidValue(f"expected texts or documents, found a {type(text).__name__}")
    return retokenized(Document(str(number), text), ())
