"""Transformer-Single: the candidate that attends most to the pronoun (Webster et al. 2018, 4.4).

The head is the one with the best F1 on GAP validation, chosen by `coindex train pronoun
--recipe attention`, whose folder is the model.
"""

from __future__ import annotations

from coindex.resolvers.learned import attention_resolver, missing_model
from coindex.resolvers.protocol import Decider, ResolverSettings

ABOUT = "the candidate that attends most to the pronoun, in one head"
CONTEXT = "snippet"


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: torch, or a model of its kind."""
    return missing_model(settings, "attention")


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return attention_resolver("attention-single", settings, multi=False)
