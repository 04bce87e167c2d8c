"""Several seeds of a system as one figure: mean, spread over seeds, interval over items.

The interval is by the bootstrap over items: a resample draws items, scores every seed on
them, and takes the mean of the seeds. The spread is the standard deviation over seeds
(n - 1). The first says what other items would give, the second what other seeds would.

Two systems are compared on the same resamples, so that what is hard for both cancels out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coindex.benchmarks.accuracy import wilson
from coindex.benchmarks.figures import interval, resampled
from coindex.errors import InvalidValue
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED, Interval
from research.results.additive_counts import AdditiveCounts, figures


@dataclass(frozen=True, slots=True)
class Summary:
    """A figure of a system, or the difference of two.

    value     the mean over seeds; None where a seed has no value
    spread    the standard deviation over seeds; None with one seed
    seeds     how many there are
    """

    value: float | None
    spread: float | None
    interval: Interval | None
    seeds: int

    @property
    def above(self) -> bool:
        """Whether it and its whole interval are above 0."""
        return self.interval is not None and self.interval.low > 0

    @property
    def below(self) -> bool:
        """Whether it and its whole interval are below 0."""
        return self.interval is not None and self.interval.high < 0


def summaries(
    runs: Sequence[AdditiveCounts], resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Summary]:
    """The figures of a system, by name, from the runs of its seeds on one task."""
    names, rows = _together(runs)
    derived = runs[0].derived
    drawn = figures(names, _drawn(rows, resamples, seed), derived)
    result = {}
    for name, values in figures(names, rows.sum(axis=0), derived).items():
        mean, spread = _mean(values)
        bounds = None if mean is None else _bounds(drawn[name].mean(axis=-1))
        if mean in (0.0, 100.0) and name in names:  # resamples of all right are all right
            bounds = wilson(round(_whole(rows, names.index(name)) * mean / 100),
                            _whole(rows, names.index(name)))  # fmt: skip
        result[name] = Summary(mean, spread, bounds, len(runs))
    return result


def differences(
    one: Sequence[AdditiveCounts],
    two: Sequence[AdditiveCounts],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Summary]:
    """The first system less the second, figure by figure, on the same resampled items."""
    names, rows = _together([*one, *two])
    derived = one[0].derived
    drawn = figures(names, _drawn(rows, resamples, seed), derived)
    count = len(one)
    result = {}
    for name, values in figures(names, rows.sum(axis=0), derived).items():
        first, second = _mean(values[:count])[0], _mean(values[count:])[0]
        if first is None or second is None:
            result[name] = Summary(None, None, None, count)
            continue
        apart = drawn[name][:, :count].mean(axis=-1) - drawn[name][:, count:].mean(axis=-1)
        result[name] = Summary(first - second, None, _bounds(apart), count)
    return result


def _together(runs: Sequence[AdditiveCounts]) -> tuple[tuple[str, ...], Floats]:
    """The rows of all runs, `(units, runs, figures, 2)`."""
    if not runs:
        raise InvalidValue("expected runs to summarise, found none")
    first, *others = runs
    if any(each.units != first.units for each in others):
        raise InvalidValue("expected runs on the same items, found others")
    names = tuple(name for name in first.names if all(name in each.names for each in others))
    rows = [run.rows[:, [run.names.index(name) for name in names]] for run in runs]
    return names, np.stack(rows, axis=1)


def _drawn(rows: Floats, resamples: int, seed: int) -> Floats:
    sums = resampled(rows.reshape(len(rows), -1), resamples, seed)
    return sums.reshape(resamples, *rows.shape[1:])


def _mean(values: Floats) -> tuple[float | None, float | None]:
    if np.isnan(values).any():
        return None, None
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return float(values.mean()), spread


def _whole(rows: Floats, at: int) -> int:
    """How many of a figure's wholes one seed has."""
    return round(float(rows[:, :, at, 1].sum(axis=0).mean()))


def _bounds(values: Floats) -> Interval | None:
    return interval(values) if len(values) > 1 else None
