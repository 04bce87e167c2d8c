"""Token distance: the candidate closest to the pronoun (Webster et al. 2018, section 4.3).

Distance is the number of tokens between the two, before or after.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._cues import token_distance as cue
from coindex.resolvers._engine import resolver

ABOUT = "the candidate with the fewest tokens between it and the pronoun"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("token-distance", settings, cue)
