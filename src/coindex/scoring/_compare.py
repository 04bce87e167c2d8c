"""A table of differences between systems, corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence

from coindex.scoring._cells import MARKED
from coindex.scoring._words import title
from coindex.scoring.grid import Cell, Grid
from coindex.scoring.significance import RESAMPLES, SEED, Comparison

LEVEL = 0.05


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down correction of p values (the one by Bonferroni, made less strict).

    The smallest of n is multiplied by n, the next by n - 1, and so on; none gets
    smaller than one before it, none greater than 1.
    """
    corrected = [0.0] * len(values)
    least = 0.0
    for done, at in enumerate(sorted(range(len(values)), key=lambda at: values[at])):
        least = min(1.0, max(least, (len(values) - done) * values[at]))
        corrected[at] = least
    return corrected


def comparison_grid(
    comparisons: Sequence[Comparison], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Grid:
    """A row for each pair of systems; of several pairs, p is also shown corrected.

    Both tests must agree: the greater p of the two decides, after the correction.
    """
    several = len(comparisons) > 1
    decide = holm([max(each.randomization, each.bootstrap) for each in comparisons])
    rows: list[tuple[Cell, ...]] = []
    for each, p in zip(comparisons, decide, strict=True):
        significant = p < LEVEL
        rows.append(
            (
                each.first,
                each.second,
                title(each.metric),
                f"{_round(each.difference):+.2f}",
                f"{_round(each.interval.low):+.2f} to {_round(each.interval.high):+.2f}",
                f"{each.randomization:.4f}",
                f"{each.bootstrap:.4f}",
                *([f"{p:.4f}"] if several else []),
                f"significant at {LEVEL}" if significant else "not significant",
            )
        )
    columns = (
        *("first", "second", "metric", "difference", "95 % interval"),
        *("p (randomization)", "p (bootstrap)"),
        *(("p (Holm)",) if several else ()),
        "verdict",
    )
    return Grid(
        "Differences in F1",
        columns,
        tuple(rows),
        _notes(resamples, seed, len(comparisons), min(decide, default=1.0) < LEVEL),
        frozenset((at, len(columns) - 1) for at, p in enumerate(decide) if p < LEVEL),
    )


def _round(value: float) -> float:
    return round(value, 2) + 0.0  # no "-0.00"


def _notes(resamples: int, seed: int, pairs: int, marked: bool) -> tuple[str, ...]:
    corrected = ", after the correction" if pairs > 1 else ""
    notes = [f"{MARKED}p below {LEVEL} in both tests{corrected}."] if marked else []
    notes += [
        "Difference: F1 of the first less F1 of the second, in points. Two-sided paired tests "
        "over documents, approximate randomization and the bootstrap: "
        f"{resamples:,} resamples each, seed {seed}.",
    ]
    if pairs > 1:
        notes.append(
            f"p (Holm): the greater p of the two tests, corrected for {pairs} comparisons "
            "(Holm-Bonferroni); it decides the verdict."
        )
    return tuple(notes)
