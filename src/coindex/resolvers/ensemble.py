"""Ensemble: several resolvers' decisions, weighed as was best on dev, or counting alike.

Made by `coindex train pronoun` from a recipe of the kind "ensemble", whose folder is the
model; `coindex.pronoun.ensemble` says how. A member may be any resolver: one of clusters,
such as `neural`, decides through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path

from coindex import resolvers
from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.pronoun import package
from coindex.pronoun.ensemble import Weights, choose, weights_from
from coindex.resolvers import Decider, Settings

ABOUT = "several resolvers, weighed on dev or counting alike"
CONTEXT = "snippet"

_BATCH = 64


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Members and their weights; and those that are not weighed, but bar candidates."""

    signature: str
    members: tuple[Decider, ...]
    weights: Weights
    vetoes: tuple[Decider, ...] = ()

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        rest = iter(problems)
        while batch := list(islice(rest, _BATCH)):
            told = [list(member.decide(batch)) for member in self.members]
            barring = [list(veto.decide(batch)) for veto in self.vetoes]
            for at, problem in enumerate(batch):
                decisions, vetoes = ([row[at] for row in rows] for rows in (told, barring))
                yield choose(problem, decisions, self.weights, vetoes)


def missing(settings: Settings) -> str | None:
    """What this resolver lacks to work, if anything."""
    return package.missing(settings.model, "ensemble")


def load(settings: Settings) -> Ensemble:
    """The ensemble of a folder, with all its members."""
    lacks = missing(settings)
    if lacks or settings.model is None:
        raise InputError(str(lacks))
    folder = Path(settings.model)
    facts = package.facts_of(folder, "ensemble")
    way = settings.candidates
    weighed = package.way_of(folder, facts.get("weights", {}), way, "its members are weighed")
    every = [
        resolvers.decider(row["resolver"], replace(settings, model=row["model"] or None))
        for row in facts["members"]
    ]
    no = [bool(row.get("veto")) for row in facts["members"]]
    members = tuple(one for one, veto in zip(every, no, strict=True) if not veto)
    vetoes = tuple(one for one, veto in zip(every, no, strict=True) if veto)
    weights = weights_from(weighed, len(members), str(folder / package.FACTS))
    names = "+".join(row["resolver"] for row in facts["members"])
    told = "\n".join([package.digest(folder), *(member.signature for member in every)])
    digest = sha256(told.encode()).hexdigest()[:8]  # so that it tells of members that change
    sign = f"ensemble|candidates:{way}|members:{names}|model:{digest}"
    return Ensemble(sign, members, weights, vetoes)
