"""Random: a candidate chosen uniformly at random (Webster et al. 2018, section 4.3).

The choice depends on the seed, the problem's id and its passage alone, so it is the
same in any order, in any batch and on any machine.
"""

from __future__ import annotations

from functools import partial

from coindex.core.problem import Problem
from coindex.resolvers import Decider, Settings
from coindex.resolvers._cues import draw
from coindex.resolvers._cues import random as cue
from coindex.resolvers._engine import PlainResolver, resolver

ABOUT = "a candidate chosen at random, by the seed"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return PlainResolver("random", partial(_choose, seed=settings.seed), settings.seed)
    return resolver("random", settings, partial(cue, seed=settings.seed), seeded=True)


def _choose(problem: Problem, seed: int) -> int | None:
    return draw(problem, seed, len(problem.candidates))
