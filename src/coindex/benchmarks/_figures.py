"""Figures that benchmarks share: shares with Wilson's interval, and consistency.

A problem without a decision, with several candidates chosen or with none counts
as wrong wherever one is right.
"""

from __future__ import annotations

from collections.abc import Callable

from coindex.benchmarks._accuracy import Accuracy, accuracy, consistency
from coindex.benchmarks._spec import CONSISTENCY, Figure
from coindex.core.decision import Matched
from coindex.core.problem import Problem
from coindex.scoring.significance import RESAMPLES, SEED


def share(name: str, part: Accuracy) -> Figure:
    """A share in percent; of nothing it has no value and no interval."""
    return Figure(name, part.value, part.interval if part.total else None, part.total)


def only(matched: Matched, keep: Callable[[Problem], bool]) -> Matched:
    """The problems that are kept, with their decisions."""
    pairs = [(problem, decision) for problem, decision in matched if keep(problem)]
    kept = {problem.id for problem, _ in pairs}
    return Matched(
        tuple(problem for problem, _ in pairs),
        tuple(decision for _, decision in pairs),
        tuple(id for id in matched.missing if id in kept),
    )


def score_accuracy(
    matched: Matched, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """The score of a benchmark whose one figure is accuracy; nothing is resampled."""
    return (share("accuracy", accuracy(matched)),)


def consistency_figure(before: Matched, after: Matched) -> Figure:
    """KnowRef's consistency of decisions on problems and on their switched copies.

    Counted over the pairs with a decision: see `_accuracy.Consistency`.
    """
    return share(CONSISTENCY, consistency(before, after).share)
