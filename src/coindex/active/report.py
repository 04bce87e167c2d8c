"""The report of a simulation: tables, JSON, and learning curves as in the paper's Figure 4.

That figure shows the precision of one run. Here are F1 and precision: the mean over seeds as
a line, the standard deviation as a band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coindex.active.curves import Curve, compare, curves, documents_needed, strategies
from coindex.active.journal import Row
from coindex.errors import InputError, MissingExtra
from coindex.report.plots import figure
from coindex.report.table import Cell, Table, text_notes

PANELS = (
    ("mentions", "f1", "mentions, F1"), ("muc", "f1", "MUC, F1"), ("b3", "f1", "B³, F1"),
    ("conll", "f1", "CoNLL, F1"), ("muc", "precision", "MUC, precision"),
    ("b3", "precision", "B³, precision"),
)  # fmt: skip
_LINE_STYLES = ("-", "--", "-.", ":")


PLOT_SUFFIXES = (".svg", ".png", ".pdf")
_SHOWN = (("mentions", "f1"), ("muc", "f1"), ("b3", "f1"), ("conll", "f1"), ("b3", "precision"))


def tables(rows: Sequence[Row], metric: str = "conll", target: float | None = None) -> list[Table]:
    """Scores at the start, in the middle and at the end; comparisons; documents saved."""
    return [_scores(rows), *_tests(rows, metric), _needed(rows, metric, target)]


def _scores(rows: Sequence[Row]) -> Table:
    result = {(each.strategy, each.metric, each.formula): each for each in curves(rows)}
    columns = ("strategy", "documents", *(f"{name} {formula}" for name, formula in _SHOWN))
    cells: list[tuple[Cell, ...]] = []
    for strategy in strategies(rows):
        whole = result[(strategy, "conll", "f1")]
        last = len(whole.annotated) - 1
        for at in sorted({0, last // 2, last}):
            shown = [result[(strategy, metric, formula)] for metric, formula in _SHOWN]
            values = [f"{each.mean[at]:.2f} ± {each.spread[at]:.2f}" for each in shown]
            cells.append((strategy, whole.annotated[at], *values))
    seeds = len({row["seed"] for row in rows})
    note = f"mean and standard deviation over {seeds} seeds, on documents kept aside"
    return Table("Scores by documents annotated", columns, tuple(cells), text_notes(note))


def _tests(rows: Sequence[Row], metric: str) -> list[Table]:
    names = strategies(rows)
    if "random" not in names or len(names) < 2:
        return []
    cells: list[tuple[Cell, ...]] = []
    for name in names:
        if name == "random":
            continue
        result = compare(rows, name, "random", metric)
        by_seed = ", ".join(f"{value:+.2f}" for value in result.difference)
        t_test = None if result.t_test is None else f"{result.t_test:.3f}"
        cells.append((name, result.mean, by_seed, result.last, f"{result.sign_flip:.3f}", t_test))
    columns = ("against random", "mean over rounds", "by seed", "last round", "p (sign-flip)",
               "p (t-test)")  # fmt: skip
    note = f"{metric} F1, in points; both start from the same documents, seed by seed"
    return [Table("Paired tests over seeds", columns, tuple(cells), text_notes(note))]


def _needed(rows: Sequence[Row], metric: str, target: float | None) -> Table:
    result = documents_needed(rows, metric, target)
    needed = dict(result.needed)
    base = needed.get("random")
    cells: list[tuple[Cell, ...]] = []
    for name, count in result.needed:
        gain = None if base is None or count is None else base - count
        cells.append((name, "not reached" if count is None else count, gain))
    title = f"Documents needed for {metric} F1 {result.target:.2f}"
    return Table(title, ("strategy", "documents", "saved against random"), tuple(cells))


def as_json(rows: Sequence[Row], target: float | None = None) -> dict[str, Any]:
    """All of it as plain values."""
    names = strategies(rows)
    others = [name for name in names if name != "random"] if "random" in names else []
    metrics = ("mentions", "muc", "b3", "conll")
    return {
        "curves": [asdict(each) for each in curves(rows)],
        "against-random": [
            asdict(compare(rows, name, "random", metric)) for name in others for metric in metrics
        ],
        "saved": asdict(documents_needed(rows, "conll", target)),
        "rows": list(rows),
    }


def check_plot(path: str) -> None:
    """Raise if a plot cannot be written there, before hours of work."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "plot")
    file = Path(path)
    if file.suffix not in PLOT_SUFFIXES:
        raise InputError(
            f"{path}: expected a picture ({', '.join(PLOT_SUFFIXES)}), found {file.suffix!r}"
        )
    if not file.absolute().parent.is_dir():
        raise InputError(f"{path}: expected a folder {file.parent}, found none")


def draw_plot(rows: Sequence[Row], path: str) -> None:
    """Draw all curves of a simulation."""
    check_plot(path)
    result = curves(rows)
    with figure(path, 11, 6.5, dpi=120) as drawn:
        for number, (metric, formula, title) in enumerate(PANELS, 1):
            chosen = [each for each in result if (each.metric, each.formula) == (metric, formula)]
            _panel(drawn.add_subplot(2, 3, number), chosen, title)


def _panel(axes: Any, chosen: Sequence[Curve], title: str) -> None:
    for number, curve in enumerate(chosen):
        colour, line = f"C{number % 10}", _LINE_STYLES[number % len(_LINE_STYLES)]
        low = [mean - spread for mean, spread in zip(curve.mean, curve.spread, strict=True)]
        high = [mean + spread for mean, spread in zip(curve.mean, curve.spread, strict=True)]
        axes.plot(curve.annotated, curve.mean, line, color=colour, label=curve.strategy)
        axes.fill_between(curve.annotated, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(title=title, xlabel="annotated documents")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
