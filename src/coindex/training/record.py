"""What a run leaves in its folder besides the weights: a log for machines, and for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import InputError
from coindex.training.config import Recipe, alike, recipe
from coindex.training.save import FILES, STATE, facts_of

LOG, PLOT = "log.jsonl", "training.svg"
PARTS = ("mention", "antecedent", "clue", "teacher")
"""What the loss is made of: a row has those that its run knows."""


@dataclass(frozen=True, slots=True)
class Record:
    """The folder of one run."""

    out: Path

    def rows(self) -> list[dict[str, Any]]:
        """The log, an epoch a row."""
        file = self.out / LOG
        if not file.is_file():
            return []
        try:
            return [json.loads(line) for line in io.read_text(file).splitlines() if line.strip()]
        except ValueError as error:
            raise InputError(f"{file}: expected JSON lines: {error}") from None

    def write(self, row: Mapping[str, Any]) -> None:
        """One more row."""
        self._put([*self.rows(), dict(row)])

    def rewind(self, epoch: int) -> None:
        """Forget what was logged after an epoch: it is trained again."""
        kept = [row for row in self.rows() if row["epoch"] <= epoch]
        if kept:
            self._put(kept)
        else:
            (self.out / LOG).unlink(missing_ok=True)

    def _put(self, rows: list[dict[str, Any]]) -> None:
        io.write_text(self.out / LOG, (json.dumps(row) + "\n" for row in rows))

    def clear(self) -> None:
        """Remove the run, and nothing else that may be in the folder."""
        for name in (*FILES, STATE, LOG, PLOT):
            (self.out / name).unlink(missing_ok=True)

    def finished(self, wanted: Recipe) -> dict[str, Any] | None:
        """The facts of the finished model in the folder; None if there is none.

        A model without a checkpoint is finished, unless its log ends early: then the
        run was stopped in its first epochs, and begins anew.
        """
        if (self.out / STATE).is_file() or not (self.out / "model.json").is_file():
            return None
        facts = facts_of(self.out)
        same(facts["recipe"], wanted, f"{self.out}: holds a finished model")
        rows = self.rows()
        return None if rows and rows[-1]["epoch"] < wanted.epochs else facts


def same(found: Mapping[str, Any], wanted: Recipe, where: str) -> None:
    """Raise an error that names the settings in which two recipes differ."""
    alike(recipe(found, "its recipe"), wanted, where)


def line(row: Mapping[str, Any], epochs: int) -> str:
    """A row for people."""
    shown = [name for name in PARTS if row.get(name) or name in ("mention", "antecedent")]
    parts = ", ".join(f"{name} {row[name]:.3f}" for name in shown)
    text = f"epoch {row['epoch']}/{epochs}: loss {row['loss']:.3f} ({parts}), {row['seconds']} s"
    dev = row.get("dev")
    if not dev:
        return text
    each = ", ".join(f"{name} {main(value):.1f}" for name, value in dev.items() if name != "mean")
    return f"{text}; dev {dev['mean']:.1f} ({each}){' best so far' if row.get('best') else ''}"


def main(scores: Mapping[str, float]) -> float:
    """The one score of a corpus that decides: F1 of problems, else CoNLL F1."""
    return scores["f1"] if "f1" in scores else scores["conll"]
