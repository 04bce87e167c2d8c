"""What a query strategy is given, and what it returns.

A strategy is a module with `ABOUT`, one line of text, and `score(query) -> Scores`: the higher
the score of a document, the sooner it should be annotated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from coindex.errors import InvalidValue
from coindex.models.mention_pair.infer import Uncertainty
from coindex.types.document import Document

MEMBERS = 4
"""How many models vote by default."""


class TrainedResolver(Protocol):
    """A resolver that has been trained."""

    @property
    def digest(self) -> str:
        """A hash of everything that its predictions depend on."""

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, in the order given."""


@runtime_checkable
class ProbabilisticResolver(TrainedResolver, Protocol):
    """A trained resolver that estimates its uncertainty; the entropy strategies need one."""

    def uncertainties(self, documents: Iterable[Document]) -> list[Uncertainty]:
        """How uncertain the model is of each document."""


class TrainableResolver(Protocol):
    """A resolver that learns from annotated documents, from scratch each time."""

    def train(self, documents: Sequence[Document], seed: int = 1) -> TrainedResolver:
        """A trained resolver; the same documents and seed give the same one."""

    def calibrated(self) -> TrainableResolver:
        """The form whose probabilities are calibrated; may be the resolver itself."""


@dataclass(frozen=True, slots=True)
class Query:
    """The input of a strategy.

    pool        documents without entities, to be ranked
    annotated   documents with entities, in the order in which they were annotated
    resolver    the resolver to be trained on them
    seed        of everything that is drawn at random
    members     how many models vote
    fixed       models that vote in place of trained ones, such as checkpoints of a network
    """

    pool: tuple[Document, ...]
    annotated: tuple[Document, ...]
    resolver: TrainableResolver | None
    seed: int = 1
    members: int = MEMBERS
    fixed: tuple[TrainedResolver, ...] = ()

    def learner(self) -> TrainableResolver:
        """The resolver; an error if there is none."""
        if self.resolver is None:
            raise InvalidValue("this strategy needs a resolver that can be trained, found none")
        return self.resolver


@dataclass(frozen=True, slots=True)
class Scores:
    """The output of a strategy.

    values   a score for each document of the pool
    models   digests of the models that were used
    extra    further values for each document, by name, to be logged
    """

    values: tuple[float, ...]
    models: tuple[str, ...] = ()
    extra: tuple[tuple[str, tuple[float, ...]], ...] = ()


class Strategy(Protocol):
    """The contract of a strategy's module."""

    ABOUT: str

    def score(self, query: Query) -> Scores:
        """A score for each document of the pool."""
