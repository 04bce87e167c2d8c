"""Transformer-Multi: trees over the choices of a few heads (Webster et al. 2018, 4.4).

Fitted on GAP validation by `coindex train pronoun --recipe attention`, whose folder is
the model.
"""

from __future__ import annotations

from coindex.resolvers.learned import attention_resolver, missing_model
from coindex.resolvers.protocol import Decider, ResolverSettings

ABOUT = "extra trees over the heads of an encoder"
CONTEXT = "snippet"


def missing(settings: ResolverSettings) -> str | None:
    """What the resolver needs and does not have: torch, or a model of its kind."""
    return missing_model(settings, "attention")


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return attention_resolver("attention-multi", settings, multi=True)
