"""Syntactic distance: the candidate closest in the tree (Webster et al. 2018, section 4.3).

Names in a position that precludes coreference are left out; of several as close, the
one with the fewest tokens between it and the pronoun.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._cues import syntactic_distance as cue
from coindex.resolvers._engine import resolver

ABOUT = "the candidate closest in the dependency tree; backs off to token distance"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("syntactic-distance", settings, cue)
