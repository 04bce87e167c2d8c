"""The settings of a mention-pair model; they are part of the model's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any

from coindex.errors import InvalidValue, UnknownName, UsageError

FAMILIES = ("tokens", "window", "tokens-between", "sentences-between", "cosine", "match")
"""The families of pair features: the paper's, and `match`, which is ours (see `pair_features`)."""

RULES = ("closest-first", "best-first", "transitive")
CRF_FEATURES = ("paper", "tree")
CRF_TRAINING = ("perceptron", "likelihood")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one model.

    families       which features pairs have
    crf_features   `paper`: the four of section 5.2; `tree`: also neighbours and noun phrases
    rule           how links become entities
    threshold      the least probability of a link
    window         how many words before and after a mention its features include
    reach          how many mentions back an antecedent may be; those that share a noun are
                   candidates at any distance
    positives      linked training pairs per mention, at most
    negatives      other training pairs per mention, at most
    depth          how deep mentions may be nested
    crf_training   `perceptron`: the averaged perceptron (Collins 2002); `likelihood`:
                   stochastic gradient descent on the regularised likelihood
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
        for what, name, known in (
            ("link rule", self.rule, RULES),
            ("set of CRF features", self.crf_features, CRF_FEATURES),
            ("way to train the CRF", self.crf_training, CRF_TRAINING),
        ):
            if name not in known:
                raise UnknownName(what, name, known)
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


def config_from_json(values: dict[str, Any]) -> Config:
    """Settings from plain values; unknown names are an error."""
    known = {field.name for field in fields(Config)}
    for name in values:
        if name not in known:
            raise UnknownName("setting", name, known)
    plain = {**values, "families": tuple(values.get("families", FAMILIES))}
    return Config(**plain)


def config_from_overrides(changes: Iterable[str]) -> Config:
    """The default settings with overrides as people type them: `rule=transitive`."""
    kinds = {field.name: str(field.type) for field in fields(Config)}
    values: dict[str, Any] = {}
    for change in changes:
        name, equals, value = change.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"expected KEY=VALUE, found {change!r}")
        values[name] = _value(kinds.get(name, "str"), value.strip(), change)
    return config_from_json(values)


def _value(kind: str, value: str, change: str) -> Any:
    if kind.startswith("tuple"):
        return [each.strip() for each in value.split(",") if each.strip()]
    if kind not in ("int", "float"):
        return value
    try:
        return int(value) if kind == "int" else float(value)
    except ValueError:
        expected = "a whole number" if kind == "int" else "a number"
        raise UsageError(f"{change}: expected {expected}, found {value!r}") from None
