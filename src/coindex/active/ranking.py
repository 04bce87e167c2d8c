"""Ranking a pool: a strategy scores the documents, ties are broken at random by the seed.

What is drawn at random depends on the seed and a document's name alone, not on the other
documents or their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from coindex.active.strategies import load, protocol
from coindex.errors import InvalidValue
from coindex.text.seeded_hash import seeded_draw
from coindex.types.document import Document


@dataclass(frozen=True, slots=True)
class Pick:
    """The position of a document in a ranking; rank 1 is to be annotated first."""

    rank: int
    document: str
    score: float
    extra: tuple[tuple[str, float], ...] = ()

    def as_json(self) -> dict[str, object]:
        """As plain values."""
        row = {"rank": self.rank, "document": self.document, "score": self.score}
        return {**row, **dict(self.extra)}


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranked pool, with everything that the order depends on."""

    strategy: str
    seed: int
    annotated: int
    models: tuple[str, ...]
    picks: tuple[Pick, ...] = field(default=())

    def as_json(self) -> dict[str, object]:
        """As plain values."""
        return {**self._header(), "picks": [pick.as_json() for pick in self.picks]}

    def lines(self) -> Iterator[dict[str, object]]:
        """Rows for a log: one per pick, each complete by itself."""
        for pick in self.picks:
            yield {**self._header(), **pick.as_json()}

    def _header(self) -> dict[str, object]:
        return {
            "strategy": self.strategy,
            "seed": self.seed,
            "annotated": self.annotated,
            "models": list(self.models),
        }


def rank(
    pool: Iterable[Document],
    annotated: Iterable[Document],
    resolver: protocol.TrainableResolver | None,
    strategy: str = "voting",
    *,
    seed: int = 1,
    members: int = protocol.MEMBERS,
    fixed: Sequence[protocol.TrainedResolver] = (),
) -> Ranking:
    """Rank a pool in the order in which it should be annotated.

    Entities of the pool's documents are ignored. An empty pool gives an empty ranking.
    """
    chosen, known = load(strategy), tuple(annotated)
    bare = tuple(replace(document, entities=()) for document in pool)
    keys = [document.key for document in bare]
    _check(keys, known, members)
    if not bare:
        return Ranking(strategy, seed, len(known), ())
    scores = chosen.score(protocol.Query(bare, known, resolver, seed, members, tuple(fixed)))
    if fixed and scores.models != tuple(member.digest for member in fixed):
        raise InvalidValue(f"expected a strategy in which given models vote, found {strategy}")
    return Ranking(strategy, seed, len(known), scores.models, _picks(keys, scores, seed))


def _check(keys: list[str], annotated: Sequence[Document], members: int) -> None:
    twice = {key for key, count in Counter(keys).items() if count > 1}
    if twice:
        raise InvalidValue(f"expected each document of the pool once, found {min(twice)!r} again")
    again = set(keys) & {document.key for document in annotated}
    if again:
        raise InvalidValue(f"expected a pool of other documents, found {min(again)!r} annotated")
    if members < 1:
        raise InvalidValue(f"members: expected 1 or more, found {members}")


def _picks(keys: list[str], scores: protocol.Scores, seed: int) -> tuple[Pick, ...]:
    values = scores.values
    if len(values) != len(keys):
        raise InvalidValue(f"expected {len(keys)} scores, found {len(values)}")
    order = sorted(
        range(len(keys)), key=lambda at: (-values[at], seeded_draw(seed, keys[at]), keys[at])
    )
    return tuple(
        Pick(number, keys[at], values[at], tuple((name, each[at]) for name, each in scores.extra))
        for number, at in enumerate(order, 1)
    )


def split_held_out(
    documents: Iterable[Document], share: float, seed: int
) -> tuple[list[Document], list[Document]]:
    """The documents to choose from, and the random share that only serves evaluation.

    A document's name decides, so that a pool may grow without a document changing sides.
    """
    if not 0 <= share < 1:
        raise InvalidValue(f"the share kept aside: expected 0 up to 1, found {share}")
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in documents:
        sides[seeded_draw(seed, document.key, "aside") < share].append(document)
    return sides
