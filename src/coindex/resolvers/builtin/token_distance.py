"""Token distance: the candidate closest to the pronoun (Webster et al. 2018, section 4.3).

Distance is the number of tokens between the two, before or after.
"""

from __future__ import annotations

from coindex.resolvers.cues import cue_resolver
from coindex.resolvers.cues import token_distance as cue
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "the candidate with the fewest tokens between it and the pronoun"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return cue_resolver("token-distance", settings, cue)
