"""The picture of a run: losses falling, dev scores rising."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coindex.errors import InputError, MissingExtra
from coindex.training.record import PARTS, main


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the rows of a log; without dev scores, only the losses."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "train") from error
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "coindex"  # the same run gives the same file
    from matplotlib.figure import Figure

    checked = [row for row in rows if row.get("dev")]
    figure = Figure(figsize=(9 if checked else 5.5, 4), layout="constrained")
    columns = 2 if checked else 1
    _losses(figure.add_subplot(1, columns, 1), rows)
    if checked:
        _scores(figure.add_subplot(1, columns, 2), checked)
    try:
        figure.savefig(path, metadata={"Date": None})
    except OSError as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error


def _losses(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    epochs = [row["epoch"] for row in rows]
    for name in ("loss", *PARTS):
        if any(row.get(name) for row in rows):
            style = "k-" if name == "loss" else "--"
            axes.plot(epochs, [row[name] for row in rows], style, marker=".", label=name)
    axes.set(xlabel="epoch", ylabel="loss", title="Training loss")
    axes.grid(alpha=0.3)
    if rows:
        axes.legend(fontsize="small")


def _scores(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    epochs = [row["epoch"] for row in rows]
    for name in rows[-1]["dev"]:
        if name == "mean":
            values = [row["dev"][name] for row in rows]
        else:
            values = [main(row["dev"][name]) for row in rows]
        axes.plot(epochs, values, "k-" if name == "mean" else "--", marker=".", label=name)
    axes.set(xlabel="epoch", ylabel="F1", title="Score on dev")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
