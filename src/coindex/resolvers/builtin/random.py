"""Random: a candidate chosen uniformly at random (Webster et al. 2018, section 4.3).

The choice depends on the seed, the problem's id and its passage alone, so it is the
same in any order, in any batch and on any machine.
"""

from __future__ import annotations

from functools import partial

from coindex.resolvers.cues import RuleResolver, cue_resolver, draw
from coindex.resolvers.cues import random as cue
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing
from coindex.types.problem import Problem

ABOUT = "a candidate chosen at random, by the seed"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return RuleResolver("random", partial(_choose, seed=settings.seed), settings.seed)
    return cue_resolver("random", settings, partial(cue, seed=settings.seed), seeded=True)


def _choose(problem: Problem, seed: int) -> int | None:
    return draw(problem, seed, len(problem.candidates))
