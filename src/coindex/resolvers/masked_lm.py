"""Masked-lm: the candidate that a masked language model finds likeliest in the gap.

Kocijan et al. (2019), WikiCREM, section 4. Trained by `coindex train pronoun --recipe
wikicrem` and the recipes after it, whose folder is the model.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._learned import missing as _missing
from coindex.resolvers._learned import resolver

ABOUT = "the candidate likeliest in the pronoun's place, by a language model"
CONTEXT = "snippet"


def missing(settings: Settings) -> str | None:
    """What this resolver lacks to work, if anything."""
    return _missing(settings, "masked-lm")


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver(settings, "masked-lm")
