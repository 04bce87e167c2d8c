"""What a model of the Quiz Bowl system is made with; it stands in the model's file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any

from coindex.errors import InvalidValue, UnknownName

FAMILIES = ("tokens", "window", "tokens-between", "sentences-between", "cosine", "match")
"""The families of pair features: the paper's, and `match`, which is ours (see `pairs`)."""

PAPER = FAMILIES[:5]
RULES = ("closest-first", "best-first", "transitive")
CRF_FEATURES = ("paper", "tree")
CRF_TRAINING = ("perceptron", "likelihood")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one model.

    families       which features pairs have
    crf_features   `paper`: the four of section 5.2; `tree`: also neighbours and noun phrases
    rule           how links become entities
    threshold      the probability from which on a pair is a link
    window         words before and after a mention that its features look at
    reach          how many mentions back an antecedent is looked for; those that share a
                   noun are looked at however far they are
    positives      training pairs that are links, for each mention, at most
    negatives      and those that are none
    depth          how many mentions may lie within each other
    crf_training   `perceptron`: the CRF's weights by the averaged perceptron (Collins 2002);
                   `likelihood`: by stochastic gradient descent on the regularised likelihood
    rounds         passes over the training sentences
    crf_l2         L2 regularisation of the likelihood
    inverse_l2     C of the logistic regression
    iterations     steps of the logistic regression, at most
    bits           pair features are hashed to 2 ** bits columns
    """

    families: tuple[str, ...] = FAMILIES
    crf_features: str = "tree"
    rule: str = "best-first"
    threshold: float = 0.6
    window: int = 2
    reach: int = 50
    positives: int = 4
    negatives: int = 6
    depth: int = 3
    crf_training: str = "perceptron"
    rounds: int = 6
    crf_l2: float = 0.1
    inverse_l2: float = 0.1
    iterations: int = 30
    bits: int = 20

    def __post_init__(self) -> None:
        for name in self.families:
            if name not in FAMILIES:
                raise UnknownName("feature family", name, FAMILIES)
        if self.rule not in RULES:
            raise UnknownName("link rule", self.rule, RULES)
        if self.crf_features not in CRF_FEATURES:
            raise UnknownName("set of CRF features", self.crf_features, CRF_FEATURES)
        if self.crf_training not in CRF_TRAINING:
            raise UnknownName("way to train the CRF", self.crf_training, CRF_TRAINING)
        self._check_numbers()

    def _check_numbers(self) -> None:
        if not 0 < self.threshold < 1:
            raise InvalidValue(f"threshold: expected between 0 and 1, found {self.threshold}")
        for name in ("reach", "positives", "negatives", "depth", "rounds", "iterations"):
            if getattr(self, name) < 1:
                raise InvalidValue(f"{name}: expected 1 or more, found {getattr(self, name)}")
        for name in ("window", "crf_l2"):
            if not 0 <= getattr(self, name) < inf:
                raise InvalidValue(f"{name}: expected 0 or more, found {getattr(self, name)}")
        if not 0 < self.inverse_l2 < inf:
            raise InvalidValue(f"inverse_l2: expected more than 0, found {self.inverse_l2}")
        if not 8 <= self.bits <= 26:
            raise InvalidValue(f"bits: expected 8 to 26, found {self.bits}")

    def as_json(self) -> dict[str, Any]:
        """The settings as plain values."""
        return {**asdict(self), "families": list(self.families)}


def config(values: dict[str, Any]) -> Config:
    """Settings from plain values; each must be one there is."""
    known = {field.name for field in fields(Config)}
    for name in values:
        if name not in known:
            raise UnknownName("setting", name, known)
    plain = {**values, "families": tuple(values.get("families", FAMILIES))}
    return Config(**plain)
