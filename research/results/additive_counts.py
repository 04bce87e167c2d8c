"""Every figure of a benchmark as a ratio of sums, unit by unit.

Figures of resampled items, of several seeds and of two systems side by side all come from the
same additive counts. Items that belong together are resampled together: the two sentences of a
WinoBias pair, the three pronouns of a Winogender sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coindex import benchmarks
from coindex.benchmarks.figures import consistency_counts, ratio
from coindex.benchmarks.protocol import CONSISTENCY, Derived
from coindex.scoring.contingency import Floats
from coindex.types.decision import MatchedDecisions


@dataclass(frozen=True, slots=True)
class AdditiveCounts:
    """One run on one task: numerator and denominator of every figure, unit by unit."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: Floats  # (units, figures, 2)
    derived: Mapping[str, Derived]


def additive_counts(
    name: str, matched: MatchedDecisions, after: MatchedDecisions | None = None
) -> AdditiveCounts:
    """The counts of a benchmark's figures; `after` are decisions on switched copies."""
    benchmark = benchmarks.load(name)
    counts = benchmark.counts(matched)
    if after is not None:
        counts[CONSISTENCY] = consistency_counts(matched, after)
    keys = [benchmark.resampling_unit(problem) for problem in matched.problems]
    units = tuple(dict.fromkeys(keys))
    index = {unit: at for at, unit in enumerate(units)}
    rows = np.zeros((len(units), len(counts), 2))
    np.add.at(rows, [index[key] for key in keys], np.stack(list(counts.values()), axis=1))
    return AdditiveCounts(tuple(counts), units, rows, benchmark.DERIVED)


def figures(
    names: tuple[str, ...], sums: Floats, derived: Mapping[str, Derived]
) -> dict[str, Floats]:
    """Figures from sums `(..., figures, 2)`: percentages, and those derived from two of them."""
    shares = ratio(100 * sums[..., 0], sums[..., 1])
    result = {name: shares[..., at] for at, name in enumerate(names)}
    for name, rule in derived.items():
        if rule.first in result and rule.second in result:
            result[name] = rule.combine(result[rule.first], result[rule.second])
    return result
