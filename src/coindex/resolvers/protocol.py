"""The contract of resolvers: what a plugin module defines, and what its `load` returns.

A module in `resolvers/builtin/`, or of another package through the entry points
`coindex.resolvers`, is a `ResolverPlugin`. Its `load(settings)` returns a `Decider`, a
`Clusterer`, or an object that is both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from coindex.errors import InvalidValue
from coindex.models.common.device import DEVICES
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.progress import OnProgress, ignore_progress
from coindex.types.text_values import found

CANDIDATES = ("given", "found")


@dataclass(frozen=True, slots=True)
class ResolverSettings:
    """The settings of a resolver; each uses those that concern it.

    candidates  "given": choose among the problem's candidates; "found": detect the names in the
                passage, and choose the candidates that match the one selected
    seed        for random choices
    pipeline    the spaCy pipeline to parse with; by default the best one installed
    cache       whether parses are cached on disk
    model       the name of an installed model, a folder or a file; by default the shipped one
    scheme      the annotation scheme, where a model knows several
    singletons  whether to return entities of one mention
    threads     the number of threads; by default the number of cores
    batch       how many windows of text are encoded ahead; by default twice the threads
    rules       the rules of agreement: "all", "none", names by commas, or `-name` to leave one out
    events      whether verbs can be mentions under the default rules
    explain     whether mentions say why they were joined or kept apart
    device      "cpu" or "cuda"
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
    rules: str = "all"
    events: bool = False
    explain: bool = False
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.candidates not in CANDIDATES:
            raise InvalidValue(f"expected candidates given or found, found {self.candidates!r}")
        if self.device not in DEVICES:
            raise InvalidValue(f"expected the device cpu or cuda, found {self.device!r}")
        for name, value in (("threads", self.threads), ("batch", self.batch)):
            if value is not None and (type(value) is not int or value < 1):
                raise InvalidValue(f"expected {name} of at least 1, found {value!r}")
        for name, text in (("rules", self.rules), ("scheme", self.scheme or "")):
            if not isinstance(text, str):
                raise InvalidValue(f"expected {name} to be a str, {found(text)}")
        for name in ("singletons", "events", "explain"):
            if not isinstance(getattr(self, name), bool):
                message = f"expected {name} to be True or False, found {getattr(self, name)!r}"
                raise InvalidValue(message)


@runtime_checkable
class Decider(Protocol):
    """Decides which candidates a pronoun refers to."""

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

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """Each document with its entities, in their order.

        on_progress   called with the number of words that are done
        """


@runtime_checkable
class ConfigurableClusterer(Clusterer, Protocol):
    """A clusterer whose loaded model can be used under other settings, without loading it again."""

    @property
    def schemes(self) -> tuple[str, ...]:
        """The names of the annotation schemes that the model knows, the default one first."""

    def with_settings(self, settings: ResolverSettings) -> Clusterer:
        """The same model under other settings."""


class ResolverPlugin(Protocol):
    """A resolver's module.

    ABOUT       what it does, in one line
    CONTEXT     what it uses of a problem: the "snippet", or also the "page" (its title)
    """

    ABOUT: str
    CONTEXT: str
    __file__: str | None

    def missing(self, settings: ResolverSettings) -> str | None:
        """What the resolver needs and does not have, as an error message; None if nothing."""

    def load(self, settings: ResolverSettings) -> Decider | Clusterer:
        """The resolver, ready to work."""


def nothing_missing(settings: ResolverSettings) -> str | None:
    """The member `missing` of resolvers that need nothing."""
    return None
