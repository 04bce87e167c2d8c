"""Figures of an audit that are those of a benchmark, and differences of its counts.

Values and intervals of `bench_figure` are taken from the result as they are, so that they equal
those of `coindex bench`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coindex import benchmarks
from coindex.audit.intervals import Draws, Estimate, combined, difference
from coindex.audit.measurements.protocol import AuditFigure
from coindex.evaluate.results import SystemResult
from coindex.scoring.contingency import Floats


def bench_figure(result: SystemResult, name: str, meaning: str, called: str = "") -> AuditFigure:
    """A figure of a benchmark, not judged; `{}` in the meaning stands for its value."""
    found = {each.name: each for each in result.all_figures}[name]
    value = "undefined" if found.value is None else f"{found.value:.{_decimals(found.unit)}f}"
    return AuditFigure(
        called or name, found.value, found.interval, found.of, found.unit, meaning.format(value)
    )


def difference_of(
    result: SystemResult, one: Sequence[str], two: Sequence[str], draws: Draws
) -> Estimate:
    """The difference of two shares of a benchmark, each of one or several of its counts together."""
    return difference(_rows(result, [one, two]), draws)


def difference_from_mean(
    result: SystemResult, one: Sequence[str], two: str, draws: Draws
) -> Estimate:
    """The mean of several shares less another one."""
    rows = _rows(result, [*([name] for name in one), [two]])
    return combined(rows, lambda shares: np.asarray(shares[:-1].mean(axis=0) - shares[-1]), draws)


def _rows(result: SystemResult, columns: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
    """The counts of every resampling unit: two numbers for each column."""
    benchmark = benchmarks.load(result.benchmark)
    counts = benchmark.counts(result.matched)
    sums: dict[str, Floats] = {}
    for at, problem in enumerate(result.matched.problems):
        row = np.concatenate([sum(counts[name][at] for name in names) for names in columns])
        unit = benchmark.resampling_unit(problem)
        sums[unit] = sums[unit] + row if unit in sums else row
    return [tuple(map(float, row)) for row in sums.values()]


def _decimals(unit: str) -> int:
    return 2 if unit in ("ratio", "correlation") else 1
