"""Transformer-Multi: trees over the choices of a few heads (Webster et al. 2018, 4.4).

Fitted on GAP validation by `coindex train pronoun --recipe attention`, whose folder is
the model.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._attention import missing, resolver

__all__ = ["ABOUT", "CONTEXT", "load", "missing"]

ABOUT = "extra trees over the heads of an encoder"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("attention-multi", settings, multi=True)
