"""Masked-lm: the candidate that a masked language model finds likeliest in the gap.

Kocijan et al. (2019), WikiCREM, section 4. Trained by `coindex train pronoun --recipe
wikicrem` and the recipes after it, whose folder is the model.
"""

from __future__ import annotations

from coindex.resolvers.learned import missing_model, phrase_scoring_resolver
from coindex.resolvers.protocol import Decider, ResolverSettings

ABOUT = "the candidate likeliest in the pronoun's place, by a language model"
CONTEXT = "snippet"


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: torch, or a model of its kind."""
    return missing_model(settings, "masked-lm")


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return phrase_scoring_resolver(settings, "masked-lm")
