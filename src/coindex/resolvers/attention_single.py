"""Transformer-Single: the candidate that attends most to the pronoun (Webster et al. 2018, 4.4).

The head is the one with the best F1 on GAP validation, chosen by `coindex train pronoun
--recipe attention`, whose folder is the model.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._attention import missing, resolver

__all__ = ["ABOUT", "CONTEXT", "load", "missing"]

ABOUT = "the candidate that attends most to the pronoun, in one head"
CONTEXT = "snippet"


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver("attention-single", settings, multi=False)
