"""The pairwise classifier: logistic regression on hashed features.

Training pairs are drawn from each document alone, with a generator seeded by its
text, so that a document's rows are made once and reused in every training. Scoring
needs only the weights; scikit-learn is needed for training alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coindex.errors import MissingExtra
from coindex.quizbowl.config import Config
from coindex.quizbowl.ground import Floats, Ground, Ints
from coindex.quizbowl.pairs import Matrix, Pairs, candidates, rows, scores
from coindex.quizbowl.spans import Spans

NEVER = -20.0
"""The score of a pair where training saw no link at all; where it saw nothing else, its opposite."""

_RARE = 2


@dataclass(frozen=True, slots=True)
class Rows:
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
        found = np.zeros(1 << bits)
        found[self.columns] = self.values
        return found


def training_rows(ground: Ground, spans: Spans, entities: Ints, config: Config, seed: int) -> Rows:
    """Pairs of a document whose mentions' entities are known, links and others."""
    pairs = candidates(ground, spans, config.reach)
    linked = entities[pairs.earlier] == entities[pairs.later]
    draw = np.random.default_rng(seed).random(len(pairs))
    kept = np.concatenate(
        [
            _some(np.flatnonzero(linked), pairs.later, draw, config.positives),
            _some(np.flatnonzero(~linked), pairs.later, draw, config.negatives),
        ]
    )
    kept.sort()
    chosen = Pairs(pairs.earlier[kept], pairs.later[kept])
    return Rows(rows(ground, spans, chosen, config), linked[kept])


def _some(members: Ints, later: Ints, draw: Floats, most: int) -> Ints:
    """At most so many of each later mention's pairs, drawn at random."""
    if not len(members):
        return members
    order = members[np.lexsort((draw[members], later[members]))]
    owner = later[order]
    places = np.arange(len(order))
    first = np.r_[True, owner[1:] != owner[:-1]]
    since = places - np.maximum.accumulate(np.where(first, places, 0))
    return order[since < most]


def train(parts: Sequence[Rows], config: Config) -> Classifier:
    """A classifier from the rows of documents; features seen once are left out."""
    linked = np.concatenate([np.zeros(0, bool), *(part.linked for part in parts)])
    if linked.all() or not linked.any():
        sure = -NEVER if len(linked) and linked.all() else NEVER
        return Classifier(np.zeros(0, np.int64), np.zeros(0, np.float32), sure)
    whole = sparse.vstack([part.features for part in parts], format="csr")
    seen = np.bincount(whole.indices, minlength=whole.shape[1])
    columns = np.flatnonzero(seen >= _RARE)
    if not len(columns):  # nothing to tell pairs apart by: all are as likely as one of them
        odds = linked.sum() / (~linked).sum()
        return Classifier(columns, np.zeros(0, np.float32), float(np.log(odds)))
    values, intercept = _fit(whole[:, columns], linked, config)
    kept = np.abs(values) > 1e-4
    return Classifier(columns[kept], values[kept].astype(np.float32), float(intercept))


def _fit(features: Matrix, linked: NDArray[np.bool_], config: Config) -> tuple[Floats, float]:
    """One thread: more of them give other last digits, and wait for each other."""
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


def chances(
    ground: Ground, spans: Spans, pairs: Pairs, config: Config, weights: Floats, intercept: float
) -> Floats:
    """The probability that each pair is a link."""
    total = scores(ground, spans, pairs, config, weights) + intercept
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(total, -50, 50))), np.float64)
