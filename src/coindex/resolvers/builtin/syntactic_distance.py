"""Syntactic distance: the candidate closest in the tree (Webster et al. 2018, section 4.3).

Names in a position that precludes coreference are left out; of several as close, the
one with the fewest tokens between it and the pronoun.
"""

from __future__ import annotations

from coindex.resolvers.cues import cue_resolver
from coindex.resolvers.cues import syntactic_distance as cue
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "the candidate closest in the dependency tree; backs off to token distance"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return cue_resolver("syntactic-distance", settings, cue)
