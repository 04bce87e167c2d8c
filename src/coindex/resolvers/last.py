"""Last: always the last candidate, a sanity row.

Of given candidates the last in the corpus's own order (in GAP this is always name
B); of found ones the last in the passage.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._candidates import Phrase, Scene
from coindex.resolvers._engine import PlainResolver, resolver

ABOUT = "always the last candidate"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return PlainResolver("last", lambda problem: len(problem.candidates) - 1)
    return resolver("last", settings, _last)


def _last(scene: Scene) -> Phrase | None:
    return scene.phrases[-1] if scene.phrases else None
