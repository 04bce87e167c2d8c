"""The plot of a run, `training.svg`, and the line of each epoch: losses and dev scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coindex.report.plots import figure

LOSSES = ("mention", "antecedent", "clue", "teacher")
"""The parts of the loss; a row of the log has those that its run uses."""


def main_score(scores: Mapping[str, float]) -> float:
    """The score of a dev corpus that counts: F1 of problems, else CoNLL F1."""
    return scores["f1"] if "f1" in scores else scores["conll"]


def epoch_line(row: Mapping[str, Any], epochs: int) -> str:
    """A row of the log as text."""
    shown = [name for name in LOSSES if row.get(name) or name in ("mention", "antecedent")]
    parts = ", ".join(f"{name} {row[name]:.3f}" for name in shown)
    text = f"epoch {row['epoch']}/{epochs}: loss {row['loss']:.3f} ({parts}), {row['seconds']} s"
    dev = row.get("dev")
    if not dev:
        return text
    each = ", ".join(f"{n} {main_score(value):.1f}" for n, value in dev.items() if n != "mean")
    return f"{text}; dev {dev['mean']:.1f} ({each}){' best so far' if row.get('best') else ''}"


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the rows of a log; without dev scores, only the losses."""
    scored = [row for row in rows if row.get("dev")]
    columns = 2 if scored else 1
    with figure(path, 9 if scored else 5.5, 4, extra="train") as drawn:
        _losses(drawn.add_subplot(1, columns, 1), rows)
        if scored:
            _scores(drawn.add_subplot(1, columns, 2), scored)


def _losses(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    epochs = [row["epoch"] for row in rows]
    for name in ("loss", *LOSSES):
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
            values = [main_score(row["dev"][name]) for row in rows]
        axes.plot(epochs, values, "k-" if name == "mean" else "--", marker=".", label=name)
    axes.set(xlabel="epoch", ylabel="F1", title="Score on dev")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
