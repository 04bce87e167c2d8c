"""Active learning: which document to annotate next. One file for each strategy.

    from coindex import active
    ranking = active.rank(pool, annotated, resolver, "voting", seed=1)
    ranking.picks[0].document                  # annotate this one

A strategy's file has an `ABOUT` and a function `score(question) -> Scored`: the higher
a document's score, the sooner it should be annotated. A resolver is anything with
`train(documents, seed)` that gives something with a `digest` and `resolve(documents)`
(see `Trainable`); `coindex.quizbowl.learn.learner()` is one. Everything a ranking
depends on is in its picks, so it can be made again.

`Worker` trains and ranks in another process, `Networks` lets neural models vote, `simulate` plays gold documents through
strategies, `divided` keeps a random share aside for evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from coindex import plugins
from coindex.core.document import Document
from coindex.errors import InvalidValue, UnknownName
from coindex.quizbowl.model import Doubt

MEMBERS = 4
"""How many models vote, unless told."""


class Trained(Protocol):
    """A resolver that has been trained; `digest` says which model it is."""

    @property
    def digest(self) -> str:
        """A hash of all that answers depend on."""

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, in their order."""


class Unsure(Trained, Protocol):
    """One that can also say how unsure it is; the entropy strategies need this."""

    def doubts(self, documents: Iterable[Document]) -> list[Doubt]:
        """How unsure the model is of each document."""


class Trainable(Protocol):
    """A resolver that learns from annotated documents, from scratch each time."""

    def train(self, documents: Sequence[Document], seed: int = 1) -> Trained:
        """A resolver trained on these; the same documents and seed give the same one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a strategy is asked.

    pool        documents without entities, to be put in order
    annotated   documents with entities, in the order in which they were annotated
    resolver    what is trained on them
    seed        where chance has a part
    members     how many models vote
    fixed       models that vote instead of trained ones, such as a network's checkpoints
    """

    pool: tuple[Document, ...]
    annotated: tuple[Document, ...]
    resolver: Trainable | None
    seed: int = 1
    members: int = MEMBERS
    fixed: tuple[Trained, ...] = ()

    def learner(self) -> Trainable:
        """The resolver, or an error that says that one is needed."""
        if self.resolver is None:
            raise InvalidValue("this strategy needs a resolver that can be trained, found none")
        return self.resolver


@dataclass(frozen=True, slots=True)
class Scored:
    """A score for each document of the pool, the digests of the models asked, and more to log."""

    values: tuple[float, ...]
    models: tuple[str, ...] = ()
    beside: tuple[tuple[str, tuple[float, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """One document's place in a ranking; rank 1 is to be annotated first."""

    rank: int
    document: str
    score: float
    beside: tuple[tuple[str, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        told = {"rank": self.rank, "document": self.document, "score": self.score}
        return {**told, **dict(self.beside)}


@dataclass(frozen=True, slots=True)
class Ranking:
    """A pool in order, with all that the order depends on."""

    strategy: str
    seed: int
    annotated: int
    models: tuple[str, ...]
    picks: tuple[Pick, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "strategy": self.strategy,
            "seed": self.seed,
            "annotated": self.annotated,
            "models": list(self.models),
            "picks": [pick.as_json() for pick in self.picks],
        }

    def lines(self) -> Iterator[dict[str, Any]]:
        """The log: one row a pick, each complete by itself."""
        head = {"strategy": self.strategy, "seed": self.seed, "annotated": self.annotated}
        for pick in self.picks:
            yield {**head, "models": list(self.models), **pick.as_json()}


class Strategy(Protocol):
    """What a strategy's file defines."""

    ABOUT: str

    def score(self, question: Question) -> Scored:
        """A score for each document of the pool."""
        ...


_ELSEWHERE = {
    "Plan": "_plan", "simulate": "_run", "Setup": "_worker", "Worker": "_worker",
    "Fixed": "_committee", "Lazy": "_worker", "Networks": "_networks", "divided": "_chance",
    "kept_aside": "_chance", "compare": "_curves", "curves": "_curves", "saved": "_curves",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """What is only imported when it is asked for."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)


def names() -> tuple[str, ...]:
    """The strategies there are."""
    return plugins.names("active")


def load(name: str) -> Strategy:
    """A strategy by its name."""
    if name not in names():
        raise UnknownName("strategy", name, names())
    return cast("Strategy", plugins.load("active", name))


def rank(
    pool: Iterable[Document],
    annotated: Iterable[Document],
    resolver: Trainable | None,
    strategy: str = "voting",
    *,
    seed: int = 1,
    members: int = MEMBERS,
    fixed: Sequence[Trained] = (),
) -> Ranking:
    """Put a pool in the order in which it should be annotated.

    Entities of the pool's documents are not looked at. Documents with equal scores
    come in an order drawn from the seed. An empty pool gives an empty ranking.
    """
    from coindex.active._rank import ranked

    chosen = load(strategy)
    return ranked(
        strategy, chosen, tuple(pool), tuple(annotated), resolver, seed, members, tuple(fixed)
    )
