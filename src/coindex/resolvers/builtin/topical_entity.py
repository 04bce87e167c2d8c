"""Topical entity: the candidate the passage speaks of most (Webster et al. 2018, section 4.3).

The closest candidate that contains the most frequent token among the candidates.
"""

from __future__ import annotations

from coindex.resolvers.cues import cue_resolver
from coindex.resolvers.cues import topical_entity as cue
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "the closest candidate with the candidates' most frequent token"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return cue_resolver("topical-entity", settings, cue)
