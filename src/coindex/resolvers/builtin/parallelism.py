"""Parallelism: a subject means a subject (Webster et al. 2018, section 4.3).

If the pronoun is a subject or a direct object, the closest candidate that is one too;
otherwise, or if there is none, syntactic distance.
"""

from __future__ import annotations

from coindex.resolvers.cues import cue_resolver
from coindex.resolvers.cues import parallelism as cue
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "the closest candidate in the pronoun's role; backs off to syntactic distance"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return cue_resolver("parallelism", settings, cue)
