"""First: always the first candidate, a sanity row.

Of given candidates the first in the corpus's own order (in GAP this is always name
A); of found ones the first in the passage.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._candidates import Phrase, Scene
from coindex.resolvers._engine import PlainResolver, resolver

ABOUT = "always the first candidate"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return PlainResolver("first", lambda problem: 0)
    return resolver("first", settings, _first)


def _first(scene: Scene) -> Phrase | None:
    return scene.phrases[0] if scene.phrases else None
