"""Calibrated confidence: of mentions with a confidence of 0.8, four in five are right.

What a network states is not how often it is right. Calibration maps one to the other: `p` becomes
`sigmoid(slope * logit(p) + offset)`, with slope and offset fitted on dev (Platt, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

LEAST = 5e-4
"""Probabilities nearer to 0 or 1 are taken as this near."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the probabilities of mentions, or of links, become calibrated ones."""

    slope: float = 1.0
    offset: float = 0.0

    def apply(self, probabilities: Floats) -> Floats:
        """The calibrated probabilities; unchanged by slope 1 and offset 0."""
        if self == Calibration():
            return probabilities
        calibrated: Floats = _sigmoid(self.slope * logit(probabilities) + self.offset)
        return calibrated


def _sigmoid(x: Floats) -> Floats:
    values: Floats = np.exp(-np.logaddexp(0, -x))
    return values


def logit(probabilities: Floats) -> Floats:
    """The log odds of probabilities, none of them infinite."""
    clipped = np.clip(np.asarray(probabilities, dtype=np.float64), LEAST, 1 - LEAST)
    odds: Floats = np.log(clipped / (1 - clipped))
    return odds


UNCALIBRATED = Calibration()


def fit_calibration(probabilities: Floats, right: Floats, steps: int = 200) -> Calibration:
    """Slope and offset of the highest likelihood, by Newton steps that never make it lower."""
    x, y = logit(probabilities), np.asarray(right, dtype=np.float64)
    if not len(x) or y.min() == y.max():
        return Calibration()
    at = np.array([1.0, 0.0])
    loss = _loss(at, x, y)
    for _ in range(steps):
        step = _newton_step(at, x, y)
        while (new := _loss(at - step, x, y)) > loss and np.abs(step).max() > 1e-9:
            step /= 2
        if loss - new < 1e-9 * len(x):
            break
        at, loss = at - step, new
    return Calibration(round(float(at[0]), 4), round(float(at[1]), 4))


def _loss(at: Floats, x: Floats, y: Floats) -> float:
    z = at[0] * x + at[1]
    return float(np.logaddexp(0, z).sum() - (y * z).sum())


def _newton_step(at: Floats, x: Floats, y: Floats) -> Floats:
    predicted = _sigmoid(at[0] * x + at[1])
    weights = predicted * (1 - predicted)
    gradient = np.array([((predicted - y) * x).sum(), (predicted - y).sum()])
    crossed = (weights * x).sum()
    hessian = np.array([[(weights * x * x).sum(), crossed], [crossed, weights.sum()]])
    step: Floats = np.linalg.solve(hessian + 1e-6 * np.eye(2), gradient)
    return step


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of about equal confidence: the mean of it, the share that is right, how many."""

    confidence: float
    right: float
    count: int


def reliability(probabilities: Floats, right: Floats, bins: int = 10) -> list[Bin]:
    """The bins of equal width that have predictions, in order."""
    p, y = np.asarray(probabilities, dtype=np.float64), np.asarray(right, dtype=np.float64)
    number = np.minimum((p * bins).astype(int), bins - 1)
    members = (number == index for index in range(bins))
    return [
        Bin(float(p[own].mean()), float(y[own].mean()), int(own.sum()))
        for own in members
        if own.any()
    ]


def calibration_error(probabilities: Floats, right: Floats, bins: int = 10) -> float:
    """The expected calibration error: how far confidence is from the share that is right."""
    rows = reliability(probabilities, right, bins)
    total = sum(row.count for row in rows)
    return sum(row.count * abs(row.confidence - row.right) for row in rows) / max(1, total)
