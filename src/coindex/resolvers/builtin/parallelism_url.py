"""Parallelism and the page's title (Webster et al. 2018, section 4.3, "URL").

The candidate closest in the tree that shares a word with the title of the page the
passage is from; if there is none, parallelism. It looks at the page's address.
"""

from __future__ import annotations

from coindex.resolvers.cues import cue_resolver
from coindex.resolvers.cues import parallelism_url as cue
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "the candidate named in the page's title; backs off to parallelism"
CONTEXT = "page"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return cue_resolver("parallelism-url", settings, cue)
