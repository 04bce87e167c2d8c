"""Substitution: the passages with each candidate in the pronoun's place compete.

Emami et al. (2019), KnowRef, section 4. A small one, which needs no torch, is shipped
beside the coreference model.
`coindex train pronoun --recipe substitution` trains others, whose folder is the model.
"""

from __future__ import annotations

from coindex.resolvers.learned import missing_model, phrase_scoring_resolver
from coindex.resolvers.protocol import Decider, ResolverSettings

ABOUT = "the candidate that makes the best sentence, by a trained scorer"
CONTEXT = "snippet"


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: torch, or a model of its kind."""
    return missing_model(settings, "substitution")


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return phrase_scoring_resolver(settings, "substitution")
