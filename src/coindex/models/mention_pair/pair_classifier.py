"""The classifier of mention pairs: logistic regression on hashed features, and link rules.

Training pairs are drawn from each document alone, with a generator seeded by its text, so
that they are made once and reused in every training. scikit-learn is needed for training
only. A named rule turns probabilities of pairs into links:

    closest-first   a mention joins the nearest earlier one above the threshold (Soon 2001)
    best-first      it joins the most probable one above the threshold (Ng and Cardie 2002)
    transitive      every pair above the threshold is joined

Entities are the connected components. Of equally probable antecedents the nearest wins.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coindex.errors import MissingExtra, UnknownName
from coindex.models.mention_pair.mention_arrays import MentionArrays
from coindex.models.mention_pair.pair_features import Matrix, Pairs, candidates, feature_matrix
from coindex.models.mention_pair.recipe import RULES, Config
from coindex.models.mention_pair.token_arrays import Floats, Ints, TokenArrays

NEVER = -20.0
"""The score of every pair if no training pair is a link; negated if all of them are."""

_RARE = 2


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Training pairs of one document: features, and whether each pair is a link."""

    features: Matrix
    linked: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Classifier:
    """A weight for each column that has one, and the intercept."""

    columns: Ints
    values: NDArray[np.float32]
    intercept: float

    def dense(self, bits: int) -> Floats:
        """The weights of all columns."""
        result = np.zeros(1 << bits)
        result[self.columns] = self.values
        return result


def training_pairs(
    arrays: TokenArrays, mentions: MentionArrays, entities: Ints, config: Config, seed: int
) -> TrainingPairs:
    """A sample of the pairs of a document with known entities."""
    pairs = candidates(arrays, mentions, config.reach)
    linked = entities[pairs.earlier] == entities[pairs.later]
    draw = np.random.default_rng(seed).random(len(pairs))
    chosen = np.concatenate(
        [
            _some(np.flatnonzero(linked), pairs.later, draw, config.positives),
            _some(np.flatnonzero(~linked), pairs.later, draw, config.negatives),
        ]
    )
    chosen.sort()
    sample = Pairs(pairs.earlier[chosen], pairs.later[chosen])
    return TrainingPairs(feature_matrix(arrays, mentions, sample, config), linked[chosen])


def _some(members: Ints, later: Ints, draw: Floats, most: int) -> Ints:
    """At most `most` pairs of each later mention, drawn at random."""
    if not len(members):
        return members
    order = members[np.lexsort((draw[members], later[members]))]
    owner = later[order]
    places = np.arange(len(order))
    first = np.r_[True, owner[1:] != owner[:-1]]
    since = places - np.maximum.accumulate(np.where(first, places, 0))
    return order[since < most]


def train(parts: Sequence[TrainingPairs], config: Config) -> Classifier:
    """A classifier of the training pairs of documents; features seen once are left out."""
    from scipy import sparse

    linked = np.concatenate([np.zeros(0, bool), *(part.linked for part in parts)])
    if linked.all() or not linked.any():
        score = -NEVER if len(linked) and linked.all() else NEVER
        return Classifier(np.zeros(0, np.int64), np.zeros(0, np.float32), score)
    whole = sparse.vstack([part.features for part in parts], format="csr")
    seen = np.bincount(whole.indices, minlength=whole.shape[1])
    columns = np.flatnonzero(seen >= _RARE)
    if not len(columns):  # no features: every pair gets the mean probability
        odds = linked.sum() / (~linked).sum()
        return Classifier(columns, np.zeros(0, np.float32), float(np.log(odds)))
    values, intercept = _fit(whole[:, columns], linked, config)
    chosen = np.abs(values) > 1e-4
    return Classifier(columns[chosen], values[chosen].astype(np.float32), float(intercept))


def _fit(features: Matrix, linked: NDArray[np.bool_], config: Config) -> tuple[Floats, float]:
    """Fit with one thread: more threads change the last digits, and are slower."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise MissingExtra("scikit-learn", "train") from None
    model = LogisticRegression(C=config.inverse_l2, max_iter=config.iterations, tol=1e-3)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of steps is a setting
        model.fit(features, linked)
    return model.coef_[0], model.intercept_[0]


def links(
    pairs: Pairs, probabilities: Floats, rule: str, threshold: float
) -> list[tuple[int, int]]:
    """The pairs (earlier, later) that a rule links."""
    if rule not in RULES:
        raise UnknownName("link rule", rule, RULES)
    likely = np.flatnonzero(probabilities >= threshold)
    one, two = pairs.earlier[likely], pairs.later[likely]
    if rule != "transitive":
        weight = probabilities[likely] if rule == "best-first" else np.zeros(len(likely))
        order = np.lexsort((one, weight, two))
        one, two = one[order], two[order]
        last = np.r_[two[1:] != two[:-1], np.ones(min(len(two), 1), bool)]
        one, two = one[last], two[last]
    return list(zip(one.tolist(), two.tolist(), strict=True))


def clusters(count: int, links: list[tuple[int, int]]) -> list[list[int]]:
    """The sets of mentions that links connect, in reading order; singletons included."""
    owner = list(range(count))

    def root(mention: int) -> int:
        while owner[mention] != mention:
            owner[mention] = owner[owner[mention]]
            mention = owner[mention]
        return mention

    for one, two in links:
        first, second = sorted((root(one), root(two)))
        owner[second] = first
    result: dict[int, list[int]] = {}
    for mention in range(count):
        result.setdefault(root(mention), []).append(mention)
    return list(result.values())
