"""The link rule and its threshold, chosen on development documents by CoNLL F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from coindex.core.document import Document
from coindex.quizbowl.config import RULES
from coindex.quizbowl.learn import Learner
from coindex.quizbowl.model import Model, answer
from coindex.scoring.run import Options, score_pairs

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Tried:
    """One rule and threshold, and the CoNLL F1 it gave."""

    rule: str
    threshold: float
    conll: float

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"rule": self.rule, "threshold": self.threshold, "conll": self.conll}


def choose(
    model: Model, learner: Learner, development: Sequence[Document]
) -> tuple[Model, list[Tried]]:
    """The model with the best rule and threshold, and all that was tried, best first."""
    parts = learner.store.of(development)
    tried = []
    for rule, threshold in product(RULES, THRESHOLDS):
        other = replace(model, config=replace(model.config, rule=rule, threshold=threshold))
        pairs = [(part.document, answer(other, part)) for part in parts]
        score = score_pairs(pairs, Options(("conll",))).scores["conll"].f1
        tried.append(Tried(rule, threshold, score))
    tried.sort(key=lambda each: -each.conll)
    best = replace(model.config, rule=tried[0].rule, threshold=tried[0].threshold)
    return replace(model, config=best), tried
