"""Which head knows what a pronoun means: GAP's Table 8, and its two resolvers.

single  the head with the best F1 on the problems that it is fitted on
multi   for each candidate one feature a head, true if the head's choice stands for it;
        the `keep` best features by the chi-squared statistic; an extra-trees classifier
        (Geurts et al. 2006) says how likely the candidate is right. The paper keeps 3.

With `keep` features, each true or false, the forest is a table of 2^keep
probabilities, and that is what is stored: scikit-learn is needed to fit, not to use.

What the paper leaves open: it does not say what happens if both candidates are likely,
or none. GAP has no item where both are right, so the likeliest is chosen, of equals
the one that the best head prefers. With found candidates it must be likelier than
not; with given ones, one is always chosen, as by the other cues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.arrays import Floats
from coindex.core.decision import answer_of
from coindex.errors import InputError, MissingExtra
from coindex.pronoun.asked import Asked, best

TREES = 100
Bools = NDArray[np.bool_]
Head = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was learnt for one way to get candidates.

    table   F1 in percent of each head, a row a layer
    single  the best head: layer and head, from 0
    chosen  the heads of multi; odds: the probability for each pattern of their choices,
            where the first head is the lowest bit
    """

    table: tuple[tuple[float, ...], ...]
    single: Head
    chosen: tuple[Head, ...]
    odds: tuple[float, ...]

    def depth(self, *, multi: bool) -> int:
        """How many layers are looked at: those above need not be computed."""
        used = (self.single, *self.chosen) if multi else (self.single,)
        return 1 + max(layer for layer, _ in used)

    def json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def fitted(values: dict[str, Any], source: str) -> Fitted:
    """What `json` wrote."""
    try:
        made = Fitted(
            tuple(tuple(map(float, row)) for row in values["table"]),
            _head(values["single"]),
            tuple(map(_head, values["chosen"])),
            tuple(map(float, values["odds"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{source}: expected fitted heads, found {error!r} wrong") from None
    if len(made.odds) != 2 ** len(made.chosen):
        raise InputError(
            f"{source}: expected {2 ** len(made.chosen)} odds for {len(made.chosen)} heads,"
            f" found {len(made.odds)}"
        )
    return made


def picks(weights: Floats) -> NDArray[np.int64]:
    """The phrase that each head chooses: (layers, heads), -1 where there is none."""
    if not len(weights):
        return np.full(weights.shape[1:], -1)
    return np.asarray(weights.argmax(axis=0), dtype=np.int64)


def features(asked: Asked, weights: Floats) -> Bools:
    """Whether the choice of each head stands for each candidate: (candidates, layers, heads)."""
    chosen = picks(weights)
    found = np.zeros((len(asked.problem.candidates), *chosen.shape), dtype=bool)
    for at, phrase in enumerate(asked.phrases):
        for index in phrase.stands:
            found[index] |= chosen == at
    return found


def fit(asked: Sequence[Asked], weights: Sequence[Floats], keep: int = 3, seed: int = 1) -> Fitted:
    """The best head, and the trees over the best few."""
    if not asked:
        raise InputError("expected problems to fit heads on, found none")
    told = [features(each, w) for each, w in zip(asked, weights, strict=True)]
    rights = [
        np.isin(np.arange(len(each.problem.candidates)), answer_of(each.problem)) for each in asked
    ]
    x, y = np.concatenate(told), np.concatenate(rights)
    table = f1(x, y)
    layer, head = np.unravel_index(int(table.argmax()), table.shape)
    chosen = _telling(x.reshape(len(x), -1), y, keep)
    heads = x.shape[2]
    return Fitted(
        tuple(tuple(round(float(v), 2) for v in row) for row in table),
        (int(layer), int(head)),
        tuple((at // heads, at % heads) for at in chosen),
        _forest(x.reshape(len(x), -1)[:, chosen], y, seed),
    )


def f1(told: Bools, right: Bools) -> Floats:
    """GAP's F1 over all candidates, in percent, of each head."""
    truth = right[:, None, None]
    hits = (told & truth).sum(axis=0)
    total = told.sum(axis=0) + truth.sum()
    return np.asarray(200.0 * hits / np.maximum(total, 1))


def choose(asked: Asked, weights: Floats, fit: Fitted, *, multi: bool) -> int | None:
    """The phrase that one head, or the trees over several, choose."""
    layer, head = fit.single
    if not asked.phrases:
        return None
    if not multi:
        return best(weights[:, layer, head].tolist())
    scores = odds(asked, weights, fit)
    if asked.found and max(scores) < 0.5:
        return None
    pairs = [(score, float(w)) for score, w in zip(scores, weights[:, layer, head], strict=True)]
    return max(range(len(pairs)), key=pairs.__getitem__)


def odds(asked: Asked, weights: Floats, fit: Fitted) -> list[float]:
    """How likely each phrase is right: that of the candidates it stands for; 0 if of none."""
    told = features(asked, weights)
    bits = np.array([2**at for at in range(len(fit.chosen))])
    codes = np.stack([told[:, layer, head] for layer, head in fit.chosen], -1) @ bits
    each = [fit.odds[code] for code in codes]
    return [max((each[index] for index in p.stands), default=0.0) for p in asked.phrases]


def _telling(x: Bools, y: Bools, keep: int) -> list[int]:
    """The features with the highest chi-squared statistic, in the order of the heads."""
    select = _sklearn("feature_selection")
    statistic = np.nan_to_num(select.chi2(x.astype(float), y)[0], nan=-1.0)
    order = np.argsort(-statistic, kind="stable")[:keep]
    return sorted(int(at) for at in order)


def _forest(x: Bools, y: Bools, seed: int) -> tuple[float, ...]:
    """The forest's probability for every pattern of features."""
    if y.all() or not y.any():
        raise InputError("expected right and wrong candidates to fit heads on, found one kind")
    ensemble = _sklearn("ensemble")
    forest = ensemble.ExtraTreesClassifier(n_estimators=TREES, random_state=seed, n_jobs=1)
    forest.fit(x.astype(float), y)
    width = x.shape[1]
    every = (np.arange(2**width)[:, None] >> np.arange(width)) & 1
    return tuple(round(float(p), 6) for p in forest.predict_proba(every.astype(float))[:, 1])


def _sklearn(part: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"sklearn.{part}")
    except ImportError as error:
        raise MissingExtra("scikit-learn", "train") from error


def _head(value: Any) -> Head:
    layer, head = value
    return int(layer), int(head)
