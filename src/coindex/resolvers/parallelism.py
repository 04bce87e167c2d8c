"""Parallelism: a subject means a subject (Webster et al. 2018, section 4.3).

If the pronoun is a subject or a direct object, the closest candidate that is one too;
otherwise, or if there is none, syntactic distance.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._cues import parallelism as cue
from coindex.resolvers._engine import resolver

ABOUT = "the closest candidate in the pronoun's role; backs off to syntactic distance"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("parallelism", settings, cue)
