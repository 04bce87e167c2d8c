"""Substitution: the passages with each candidate in the pronoun's place compete.

Emami et al. (2019), KnowRef, section 4. A small one, which needs no torch, is shipped
beside the coreference model.
`coindex train pronoun --recipe substitution` trains others, whose folder is the model.
"""

from __future__ import annotations

from coindex.resolvers import Decider, Settings
from coindex.resolvers._learned import missing as _missing
from coindex.resolvers._learned import resolver

ABOUT = "the candidate that makes the best sentence, by a trained scorer"
CONTEXT = "snippet"


def missing(settings: Settings) -> str | None:
    """What this resolver lacks to work, if anything."""
    return _missing(settings, "substitution")


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return resolver(settings, "substitution")
