"""Resolvers: one file each, found by its name.

A resolver's file states, in `ABOUT`, what it does and, in `CONTEXT`, what it may
look at: the "snippet" or also the "page" (its title). Its `load(settings)` returns
an object with a `signature` and with one of two methods, or both:

    decide(problems)    -> decisions on pronoun problems, in their order, one for each
    resolve(documents)  -> the documents with entities

    from coindex import resolvers
    resolver = resolvers.load("parallelism")
    for decision in resolver.decide(problems): ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

from coindex import plugins
from coindex.core.decision import Decision
from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.errors import InvalidValue

CANDIDATES = ("given", "found")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a resolver is told; each uses what concerns it.

    candidates  "given": choose among the problem's own; "found": look for names in
                the passage, and say yes to those candidates that match the one chosen
    seed        where chance has a part
    pipeline    the spaCy pipeline to parse with; the best one installed unless told
    cache       whether parses are kept on disk
    model       the folder of a trained model; the shipped one unless told
    scheme      the annotation scheme, where a model knows several
    singletons  whether entities of one mention are wanted
    threads     how many the work may use; as many as there are cores unless told
    batch       how many stretches of text are worked on ahead; twice the threads unless told
    """

    candidates: str = "given"
    seed: int = 1
    pipeline: str | None = None
    cache: bool = True
    model: str | None = None
    scheme: str | None = None
    singletons: bool = False
    threads: int | None = None
    batch: int | None = None

    def __post_init__(self) -> None:
        if self.candidates not in CANDIDATES:
            raise InvalidValue(f"expected candidates given or found, found {self.candidates!r}")


@runtime_checkable
class Decider(Protocol):
    """Says which candidates a pronoun means."""

    @property
    def signature(self) -> str:
        """Everything that its decisions depend on, such as the pipeline and the seed."""

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""


@runtime_checkable
class Clusterer(Protocol):
    """Finds the entities of documents."""

    @property
    def signature(self) -> str:
        """Everything that its entities depend on."""

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, in their order."""


def names() -> tuple[str, ...]:
    """The names of all resolvers; nothing is imported."""
    return plugins.names("resolvers")


def ready(settings: Settings | None = None) -> Iterator[str]:
    """The resolvers that could be loaded."""
    return (name for name in names() if lacks(name, settings) is None)


def lacks(name: str, settings: Settings | None = None) -> str | None:
    """What a resolver lacks to work, if anything: its file may say so, in `missing`."""
    missing = getattr(plugins.load("resolvers", name), "missing", None)
    return None if missing is None else missing(settings or Settings())


def load(name: str, settings: Settings | None = None) -> Decider | Clusterer:
    """A resolver by its name, ready to work."""
    module = plugins.load("resolvers", name)
    return cast("Decider | Clusterer", module.load(settings or Settings()))


def decider(name: str, settings: Settings | None = None) -> Decider:
    """A resolver by its name, to decide on problems; one of clusters answers through them."""
    found = load(name, settings)
    if isinstance(found, Decider):
        return found
    from coindex.pronoun.clusters import ClusterDecider

    return ClusterDecider(found)
