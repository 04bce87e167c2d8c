"""Topical entity: the candidate the passage speaks of most (Webster et al. 2018, section 4.3).

The closest candidate that contains the most frequent token among the candidates.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._cues import topical_entity as cue
from coindex.resolvers._engine import resolver

ABOUT = "the closest candidate with the candidates' most frequent token"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("topical-entity", settings, cue)
