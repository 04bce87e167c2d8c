"""The uncertainty of one model, trained on all annotated documents, of each document."""

from __future__ import annotations

from coindex.active.strategies.protocol import ProbabilisticResolver, Query
from coindex.errors import InvalidValue
from coindex.models.mention_pair.infer import Uncertainty


def uncertainties(query: Query) -> tuple[str, list[Uncertainty]]:
    """The digest of the trained model, and its uncertainty of each document of the pool."""
    if query.fixed:
        raise InvalidValue("entropy uses one model that is trained here, found given models")
    if not query.annotated:
        raise InvalidValue("a model needs annotated documents, found none")
    model = query.learner().calibrated().train(query.annotated, query.seed)
    if not isinstance(model, ProbabilisticResolver):
        raise InvalidValue(
            "entropy needs a resolver that gives probabilities (uncertainties), found one that"
            " does not"
        )
    return model.digest, model.uncertainties(query.pool)
