"""Ensemble: several resolvers' decisions, with weights fitted on dev or equal ones.

Made by `coindex train pronoun` from a recipe of the kind "ensemble", whose folder is the model;
see `coindex.models.pronoun.ensemble`. A member may be any resolver: a clusterer, such as
`neural`, decides through its clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from coindex import resolvers
from coindex.models.common.artifact import METADATA
from coindex.models.common.artifact import digest as file_digest
from coindex.models.pronoun import artifact
from coindex.models.pronoun.ensemble import MemberWeights, choose_candidate, parse_weights
from coindex.resolvers.learned import missing_model, model_folder
from coindex.resolvers.protocol import Decider, ResolverSettings
from coindex.types.decision import Decision
from coindex.types.problem import Problem

ABOUT = "several resolvers, weighed on dev or counting alike"
CONTEXT = "snippet"

_BATCH = 64


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Members and their weights; and vetoes, which have no weight but exclude candidates."""

    signature: str
    members: tuple[Decider, ...]
    weights: MemberWeights
    vetoes: tuple[Decider, ...] = ()

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        rest = iter(problems)
        while batch := list(islice(rest, _BATCH)):
            voting = [list(member.decide(batch)) for member in self.members]
            vetoing = [list(veto.decide(batch)) for veto in self.vetoes]
            for at, problem in enumerate(batch):
                decisions, vetoes = ([row[at] for row in rows] for rows in (voting, vetoing))
                yield choose_candidate(problem, decisions, self.weights, vetoes)


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: the folder of an ensemble."""
    return missing_model(settings, "ensemble")


def load(settings: ResolverSettings) -> Ensemble:
    """The ensemble of a folder, with all its members."""
    folder = model_folder(settings, "ensemble")
    metadata = artifact.read_metadata(folder, "ensemble")
    candidates = settings.candidates
    fitted = artifact.for_candidates(
        folder, metadata.get("weights", {}), candidates, "its members are weighed"
    )
    every = [
        resolvers.decider(row["resolver"], replace(settings, model=row["model"] or None))
        for row in metadata["members"]
    ]
    is_veto = [bool(row.get("veto")) for row in metadata["members"]]
    members = tuple(one for one, veto in zip(every, is_veto, strict=True) if not veto)
    vetoes = tuple(one for one, veto in zip(every, is_veto, strict=True) if veto)
    weights = parse_weights(fitted, len(members), str(folder / METADATA))
    names = "+".join(row["resolver"] for row in metadata["members"])
    parts = "\n".join([file_digest(folder / METADATA), *(member.signature for member in every)])
    digest = sha256(parts.encode()).hexdigest()[:8]  # changes if a member changes
    signature = f"ensemble|candidates:{candidates}|members:{names}|model:{digest}"
    return Ensemble(signature, members, weights, vetoes)
