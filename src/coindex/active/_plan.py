"""A simulation's plan, and how it divides the documents for each seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from coindex.active import MEMBERS, load
from coindex.core.document import Document
from coindex.errors import InvalidValue

METRICS = ("mentions", "muc", "b3", "ceafe", "conll")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated.

    strategies   their names
    seeds        how many times, each with other documents in each role
    rounds       documents annotated after the seed set, one a round
    start        size of the seed set
    pool         size of the pool
    aside        documents kept aside for evaluation; all that are left unless told
    members      models in a committee
    """

    strategies: tuple[str, ...]
    seeds: int = 5
    rounds: int = 40
    start: int = 10
    pool: int = 60
    aside: int | None = None
    members: int = MEMBERS

    def __post_init__(self) -> None:
        if not self.strategies:
            raise InvalidValue("expected the name of a strategy, found none")
        for name in self.strategies:
            load(name)
        if len(set(self.strategies)) < len(self.strategies):
            raise InvalidValue(f"expected each strategy once, found {self.strategies}")
        for name in ("seeds", "start", "members"):
            if getattr(self, name) < 1:
                raise InvalidValue(f"{name}: expected 1 or more, found {getattr(self, name)}")
        if not 0 <= self.rounds <= self.pool:
            raise InvalidValue(
                f"rounds: expected at most the pool's {self.pool} documents, found {self.rounds}"
            )

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "strategies": list(self.strategies)}


@dataclass(frozen=True, slots=True)
class Roles:
    """Documents by role."""

    start: tuple[Document, ...]
    pool: tuple[Document, ...]
    aside: tuple[Document, ...]


def roles(documents: Sequence[Document], plan: Plan, seed: int) -> Roles:
    """The documents of one seed: drawn from it and from the documents' names alone."""
    ordered = sorted(documents, key=lambda document: document.key)
    for one, two in pairwise(ordered):
        if one.key == two.key:  # it could be learned from in one role and scored in another
            raise InvalidValue(f"expected each document once, found {one.key!r} again")
    random.Random(seed).shuffle(ordered)
    needed = plan.start + plan.pool + (plan.aside or 1)
    if len(ordered) < needed:
        raise InvalidValue(
            f"expected at least {needed} documents for a seed set of {plan.start}, a pool of"
            f" {plan.pool} and {plan.aside or 1} kept aside, found {len(ordered)}"
        )
    first, second = plan.start, plan.start + plan.pool
    last = len(ordered) if plan.aside is None else second + plan.aside
    return Roles(tuple(ordered[:first]), tuple(ordered[first:second]), tuple(ordered[second:last]))
