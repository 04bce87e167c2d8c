"""Parallelism and the page's title (Webster et al. 2018, section 4.3, "URL").

The candidate closest in the tree that shares a word with the title of the page the
passage is from; if there is none, parallelism. It looks at the page's address.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._cues import parallelism_url as cue
from coindex.resolvers._engine import resolver

ABOUT = "the candidate named in the page's title; backs off to parallelism"
CONTEXT = "page"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("parallelism-url", settings, cue)
