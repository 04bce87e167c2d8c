"""The picture of a simulation: curves with their spread, as in the paper's Figure 4.

That figure shows the precision of one run. Here are F1 and precision, the mean over
seeds as a line and the standard deviation as a band.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coindex.active._curves import Curve, curves
from coindex.active._journal import Row
from coindex.errors import InputError, MissingExtra

PANELS = (
    ("mentions", "f1", "mentions, F1"), ("muc", "f1", "MUC, F1"), ("b3", "f1", "B³, F1"),
    ("conll", "f1", "CoNLL, F1"), ("muc", "precision", "MUC, precision"),
    ("b3", "precision", "B³, precision"),
)  # fmt: skip
_LINES = ("-", "--", "-.", ":")


KINDS = (".svg", ".png", ".pdf")


def check(path: str) -> None:
    """Say what is wrong with a place for the picture before hours of work go into it."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "plot")
    place = Path(path)
    if place.suffix not in KINDS:
        raise InputError(f"{path}: expected a picture ({', '.join(KINDS)}), found {place.suffix!r}")
    if not place.absolute().parent.is_dir():
        raise InputError(f"{path}: expected a folder {place.parent}, found none")


def draw(rows: Sequence[Row], path: str) -> None:
    """Draw all curves of a simulation."""
    check(path)
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "coindex"  # the same simulation gives the same file
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    found = curves(rows)
    for number, (metric, formula, title) in enumerate(PANELS, 1):
        axes = figure.add_subplot(2, 3, number)
        chosen = [each for each in found if (each.metric, each.formula) == (metric, formula)]
        _panel(axes, chosen, title)
    try:
        figure.savefig(path, dpi=120, **_dated(path))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error


def _dated(path: str) -> dict[str, Any]:
    return {"metadata": {"Date": None}} if path.endswith(".svg") else {}


def _panel(axes: Any, chosen: Sequence[Curve], title: str) -> None:
    for number, curve in enumerate(chosen):
        colour, line = f"C{number % 10}", _LINES[number % len(_LINES)]
        low = [mean - spread for mean, spread in zip(curve.mean, curve.spread, strict=True)]
        high = [mean + spread for mean, spread in zip(curve.mean, curve.spread, strict=True)]
        axes.plot(curve.annotated, curve.mean, line, color=colour, label=curve.strategy)
        axes.fill_between(curve.annotated, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(title=title, xlabel="annotated documents")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
