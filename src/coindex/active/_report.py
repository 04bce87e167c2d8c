"""A simulation as tables, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from coindex.active._curves import compare, curves, saved, strategies
from coindex.active._journal import Row
from coindex.scoring.grid import Cell, Grid

_SHOWN = (("mentions", "f1"), ("muc", "f1"), ("b3", "f1"), ("conll", "f1"), ("b3", "precision"))


def grids(rows: Sequence[Row], metric: str = "conll", target: float | None = None) -> list[Grid]:
    """Scores at the start, in the middle and at the end; comparisons; documents saved."""
    return [_scores(rows), *_tests(rows, metric), _saved(rows, metric, target)]


def _scores(rows: Sequence[Row]) -> Grid:
    found = {(each.strategy, each.metric, each.formula): each for each in curves(rows)}
    columns = ("strategy", "documents", *(f"{name} {formula}" for name, formula in _SHOWN))
    cells: list[tuple[Cell, ...]] = []
    for strategy in strategies(rows):
        whole = found[(strategy, "conll", "f1")]
        last = len(whole.annotated) - 1
        for at in sorted({0, last // 2, last}):
            shown = [found[(strategy, metric, formula)] for metric, formula in _SHOWN]
            values = [f"{each.mean[at]:.2f} ± {each.spread[at]:.2f}" for each in shown]
            cells.append((strategy, whole.annotated[at], *values))
    seeds = len({row["seed"] for row in rows})
    note = f"mean and standard deviation over {seeds} seeds, on documents kept aside"
    return Grid("Scores by documents annotated", columns, tuple(cells), (note,))


def _tests(rows: Sequence[Row], metric: str) -> list[Grid]:
    names = strategies(rows)
    if "random" not in names or len(names) < 2:
        return []
    cells: list[tuple[Cell, ...]] = []
    for name in names:
        if name == "random":
            continue
        found = compare(rows, name, "random", metric)
        by_seed = ", ".join(f"{value:+.2f}" for value in found.difference)
        t_test = None if found.t_test is None else f"{found.t_test:.3f}"
        cells.append((name, found.mean, by_seed, found.last, f"{found.sign_flip:.3f}", t_test))
    columns = ("against random", "mean over rounds", "by seed", "last round", "p (sign-flip)",
               "p (t-test)")  # fmt: skip
    note = f"{metric} F1, in points; both start from the same documents, seed by seed"
    return [Grid("Paired tests over seeds", columns, tuple(cells), (note,))]


def _saved(rows: Sequence[Row], metric: str, target: float | None) -> Grid:
    found = saved(rows, metric, target)
    needed = dict(found.needed)
    base = needed.get("random")
    cells: list[tuple[Cell, ...]] = []
    for name, count in found.needed:
        gain = None if base is None or count is None else base - count
        cells.append((name, "not reached" if count is None else count, gain))
    title = f"Documents needed for {metric} F1 {found.target:.2f}"
    return Grid(title, ("strategy", "documents", "saved against random"), tuple(cells))


def as_json(rows: Sequence[Row], target: float | None = None) -> dict[str, Any]:
    """All of it, for machines."""
    names = strategies(rows)
    others = [name for name in names if name != "random"] if "random" in names else []
    metrics = ("mentions", "muc", "b3", "conll")
    return {
        "curves": [asdict(each) for each in curves(rows)],
        "against-random": [
            compare(rows, name, "random", metric).as_json() for name in others for metric in metrics
        ],
        "saved": asdict(saved(rows, "conll", target)),
        "rows": list(rows),
    }
