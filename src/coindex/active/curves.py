"""Learning curves of a simulation: means with spread, paired tests, documents saved.

The spread is the standard deviation over seeds. Two strategies are compared by the mean over
all rounds of a metric's F1, seed by seed: with the same seed both have the same documents. The test is an exact sign-flip test (with n seeds its p cannot be below
2 / 2 ** n, so five seeds can never show p < 0.05), with a paired t-test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from coindex.active.journal import Row
from coindex.active.simulation import METRICS
from coindex.scoring.contingency import Floats

FORMULAS = {"precision": 0, "recall": 1, "f1": 2}
_EXACT = 16


@dataclass(frozen=True, slots=True)
class Curve:
    """One metric over rounds: mean and standard deviation over seeds."""

    strategy: str
    metric: str
    formula: str
    annotated: tuple[int, ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two strategies compared over seeds.

    difference   of the mean over rounds, first minus second, in points, one per seed
    last         mean difference of the last round
    sign_flip    p of the exact two-sided sign-flip test
    t_test       p of the paired t-test; None for fewer than two seeds or without spread
    """

    first: str
    second: str
    metric: str
    difference: tuple[float, ...]
    mean: float
    last: float
    sign_flip: float
    t_test: float | None


@dataclass(frozen=True, slots=True)
class DocumentsNeeded:
    """How many annotated documents each strategy needs until its mean reaches a target.

    needed   by strategy; None if the mean never reaches the target
    """

    metric: str
    target: float
    needed: tuple[tuple[str, int | None], ...]


def values(rows: Sequence[Row], strategy: str, metric: str, formula: str) -> Floats:
    """A table with one row per seed and one column per round."""
    mine = [row for row in rows if row["strategy"] == strategy]
    seeds = sorted({row["seed"] for row in mine})
    rounds = sorted({row["round"] for row in mine})
    table = np.full((len(seeds), len(rounds)), np.nan)
    for row in mine:
        scores = row["scores"][metric]
        value = scores[-1] if formula == "f1" else scores[FORMULAS[formula]]
        table[seeds.index(row["seed"]), rounds.index(row["round"])] = value
    return table


def curves(rows: Sequence[Row]) -> list[Curve]:
    """The curves of every strategy, metric and formula; CoNLL has only an F1."""
    result = []
    for strategy in strategies(rows):
        mine = [row for row in rows if row["strategy"] == strategy]
        sizes = tuple(sorted({row["annotated"] for row in mine}))
        for metric, formula in product(METRICS, FORMULAS):
            if metric == "conll" and formula != "f1":
                continue
            table = values(rows, strategy, metric, formula)
            mean, spread = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
            result.append(
                Curve(
                    strategy, metric, formula, sizes, tuple(mean.tolist()), tuple(spread.tolist())
                )
            )
    return result


def strategies(rows: Sequence[Row]) -> list[str]:
    """Their names, in order of appearance."""
    return list(dict.fromkeys(row["strategy"] for row in rows))


def compare(rows: Sequence[Row], first: str, second: str, metric: str = "conll") -> Difference:
    """Compare two strategies over the same seeds."""
    one, two = (values(rows, name, metric, "f1") for name in (first, second))
    gaps = one.mean(axis=1) - two.mean(axis=1)
    last = float((one[:, -1] - two[:, -1]).mean())
    return Difference(
        first, second, metric, tuple(gaps.tolist()), float(gaps.mean()), last,
        sign_flip(gaps), _t_test(gaps),
    )  # fmt: skip


def sign_flip(gaps: Floats) -> float:
    """The probability of a mean as far from zero if every sign is drawn at random.

    Exact up to 16 seeds; beyond that 2 ** 16 patterns are drawn, the observed one included.
    """
    if len(gaps) <= _EXACT:
        signs = np.array(list(product((1.0, -1.0), repeat=len(gaps))))
    else:
        signs = np.random.default_rng(1).choice((1.0, -1.0), (1 << _EXACT, len(gaps)))
        signs[0] = 1.0
    means = np.abs(signs @ gaps)
    return float(np.mean(means >= abs(gaps.sum()) - 1e-12))


def _t_test(gaps: Floats) -> float | None:
    if len(gaps) < 2 or np.ptp(gaps) < 1e-12:
        return None
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(gaps, 0.0).pvalue)


def documents_needed(
    rows: Sequence[Row], metric: str = "conll", target: float | None = None
) -> DocumentsNeeded:
    """Documents needed for a target; by default the lowest of the strategies' last means."""
    names = strategies(rows)
    means = {name: values(rows, name, metric, "f1").mean(axis=0) for name in names}
    if target is None:
        target = min(float(mean[-1]) for mean in means.values())
    start = min(row["annotated"] for row in rows)
    needed: list[tuple[str, int | None]] = []
    for name, mean in means.items():
        reached = np.flatnonzero(mean >= target - 1e-9)
        needed.append((name, start + int(reached[0]) if len(reached) else None))
    return DocumentsNeeded(metric, target, tuple(needed))
