"""Figures that benchmarks share: accuracy, additive counts, and bootstrap intervals over items.

A problem without a decision, with several candidates chosen or with none counts as wrong
wherever exactly one candidate is right.

A bootstrap resample draws as many items as there are, with replacement, and scores the sum of
their counts. Items with equal counts contribute equally to the sum, and there are few distinct
counts, so a resample is one multinomial draw of how often each of them occurs: exactly the same
distribution, at a fraction of the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coindex.benchmarks.accuracy import Accuracy, accuracy, consistency, is_correct
from coindex.benchmarks.protocol import CONSISTENCY, Figure
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED, Interval
from coindex.types.decision import Decision, MatchedDecisions
from coindex.types.problem import Problem


def accuracy_figure(name: str, part: Accuracy) -> Figure:
    """A percentage with Wilson's interval; without items it has neither value nor interval."""
    return Figure(name, part.value, part.interval if part.total else None, part.total)


def subset(matched: MatchedDecisions, keep: Callable[[Problem], bool]) -> MatchedDecisions:
    """The problems that `keep` accepts, with their decisions."""
    pairs = [(problem, decision) for problem, decision in matched if keep(problem)]
    ids = {problem.id for problem, _ in pairs}
    return MatchedDecisions(
        tuple(problem for problem, _ in pairs),
        tuple(decision for _, decision in pairs),
        tuple(id for id in matched.missing if id in ids),
    )


def score_accuracy(
    matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """The score of a benchmark whose only figure is accuracy; nothing is resampled."""
    return (accuracy_figure("accuracy", accuracy(matched)),)


def accuracy_counts(matched: MatchedDecisions) -> dict[str, Floats]:
    """The counts of a benchmark whose only figure is accuracy."""
    return {"accuracy": counts_of(matched, [True] * len(matched))}


def counts_of(
    matched: MatchedDecisions,
    included: Sequence[bool],
    correct: Callable[[Problem, Decision], bool] = is_correct,
) -> Floats:
    """Per item: 1 of 1 if it is correct, 0 of 1 if not, 0 of 0 if it is not included."""
    rows = [(use and correct(*item), use) for item, use in zip(matched, included, strict=True)]
    return np.array(rows, dtype=float).reshape(-1, 2)


def problem_id(problem: Problem) -> str:
    """The resampling unit of benchmarks whose items are independent: the problem itself."""
    return problem.id


def consistency_figure(before: MatchedDecisions, after: MatchedDecisions) -> Figure:
    """KnowRef's consistency of decisions on problems and on their switched copies.

    It is computed over the pairs with a decision: see `accuracy.Consistency`.
    """
    return accuracy_figure(CONSISTENCY, consistency(before, after).share)


def consistency_counts(before: MatchedDecisions, after: MatchedDecisions) -> Floats:
    """The counts of consistency; problems without a switched copy count 0 of 0."""
    copies = {problem.id: MatchedDecisions((problem,), (decision,)) for problem, decision in after}
    counts = np.zeros((len(before), 2))
    for row, (problem, decision) in enumerate(before):
        if problem.id in copies:
            one = consistency(MatchedDecisions((problem,), (decision,)), copies[problem.id]).share
            counts[row] = one.right, one.total
    return counts


def resampled(rows: Floats, resamples: int, seed: int) -> Floats:
    """Sums of counts over resampled items: `(items, n)` in, `(resamples, n)` out."""
    distinct, frequencies = np.unique(rows, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(rows), frequencies / len(rows), size=resamples)
    sums: Floats = weights.astype(float) @ distinct
    return sums


def interval(values: Floats) -> Interval | None:
    """The middle 95 % of the values; NaNs are left out."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return Interval(float(low), float(high))


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part over whole; NaN where the whole is zero."""
    result: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)
    return result
