"""How unsure one model, trained on all annotated documents, is of each document.

A resolver may have a `calibrated()` form, whose probabilities mean what they say.
"""

from __future__ import annotations

from typing import cast

from coindex.active import Question, Trainable, Unsure
from coindex.errors import InvalidValue
from coindex.quizbowl.model import Doubt


def doubts(question: Question) -> tuple[str, list[Doubt]]:
    """The model's digest, and its doubt about each document of the pool."""
    if question.fixed:
        raise InvalidValue("entropy asks one model that is trained here, found given models")
    if not question.annotated:
        raise InvalidValue("a model needs annotated documents, found none")
    resolver = question.learner()
    calibrated = getattr(resolver, "calibrated", None)
    chosen: Trainable = resolver if calibrated is None else calibrated()
    model = chosen.train(question.annotated, question.seed)
    if not hasattr(model, "doubts"):
        raise InvalidValue(
            "entropy needs a resolver that gives probabilities (doubts), found one that does not"
        )
    return model.digest, cast("Unsure", model).doubts(question.pool)
