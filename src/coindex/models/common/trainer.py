"""What all trainers share: checkpoints and resuming, the log, updates, the result of a run.

A run that was stopped resumes after its last whole epoch. A checkpoint holds the weights, the
optimizer and the state of every random generator, so that on one machine with a CPU the result
of a resumed run is equal bit for bit to that of a run without interruption.
"""

from __future__ import annotations

import json
import logging
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from coindex import io
from coindex.errors import CoindexError, InputError
from coindex.models.common.checkpoint import load_state, read_progress, save_state
from coindex.models.common.learning_rate_schedule import set_learning_rates
from coindex.types.progress import OnProgress, ignore_progress

logger = logging.getLogger(__name__)

LOG = "log.jsonl"


class TrainingError(CoindexError):
    """A run that cannot continue, such as one whose loss is not a number."""


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A finished run.

    finished_before  whether the folder held the finished model already
    dev              the dev scores of the model
    epochs, best     how many epochs were trained, and which one the weights are of
    """

    folder: Path
    finished_before: bool
    dev: Mapping[str, Any]
    epochs: int | None = None
    best: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The result as plain values."""
        run = {"epochs": self.epochs, "best": self.best}
        return {
            "folder": str(self.folder),
            "finished": "before" if self.finished_before else "now",
            **{name: value for name, value in run.items() if value is not None},
            "dev": dict(self.dev),
        }


@dataclass(frozen=True, slots=True)
class TrainingLog:
    """The log of a run, `log.jsonl` in its folder: one row per epoch."""

    folder: Path

    def rows(self) -> list[dict[str, Any]]:
        """All rows; none if there is no log."""
        file = self.folder / LOG
        if not file.is_file():
            return []
        try:
            return [json.loads(line) for line in io.read_text(file).splitlines() if line.strip()]
        except ValueError as error:
            raise InputError(f"{file}: expected JSON lines: {error}") from None

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one more row."""
        self._write([*self.rows(), dict(row)])

    def rewind(self, epoch: int) -> None:
        """Remove the rows after an epoch, which is trained again."""
        rows = [row for row in self.rows() if row["epoch"] <= epoch]
        if rows:
            self._write(rows)
        else:
            (self.folder / LOG).unlink(missing_ok=True)

    def _write(self, rows: list[dict[str, Any]]) -> None:
        io.write_text(self.folder / LOG, (json.dumps(row) + "\n" for row in rows))


class Trainer(ABC):
    """One run; the families add data, losses and the choice of the best epoch.

    model, optimizer  are set by the subclass
    average           averaged weights; none for trainers that do not average
    best, best_row    the best dev score so far, and what is stored of its epoch
    """

    model: nn.Module
    optimizer: torch.optim.Optimizer
    average: list[Tensor]

    def __init__(
        self, out: Path, device: str, seed: int, on_progress: OnProgress = ignore_progress
    ) -> None:
        """Prepare the random generator and the log; nothing is trained yet."""
        self.out, self.on_progress = out, on_progress
        self.device = torch.device(device)
        torch.backends.cuda.matmul.allow_tf32 = True
        self.rng = random.Random(seed)
        self.log = TrainingLog(out)
        self.average = []
        self.epoch = 0
        self.best = -math.inf
        self.best_row: dict[str, Any] = {}

    @abstractmethod
    def progress(self) -> dict[str, Any]:
        """The progress of the run, for the checkpoint, besides the random state."""

    @abstractmethod
    def restore(self, progress: Mapping[str, Any]) -> str:
        """Check stored progress against this run and take it over; returns what is resumed."""

    @abstractmethod
    def logged_epochs(self) -> int:
        """How many rows the log has at this point of the run."""

    def save_checkpoint(self) -> None:
        """Write the checkpoint."""
        cuda = torch.cuda.get_rng_state(self.device) if self.device.type == "cuda" else None
        states = {"rng": self.rng.getstate(), "torch": torch.get_rng_state(), "cuda": cuda}
        progress = {**self.progress(), **states}
        save_state(self.out, self.model, self.optimizer, self.average, progress)

    def resume(self) -> None:
        """Continue from the checkpoint in the folder, if there is one."""
        progress = read_progress(self.out)
        if progress is None:
            self.log.rewind(0)
            return
        resumed = self.restore(progress)
        load_state(self.out, self.model, self.optimizer, self.average)
        self.rng.setstate(progress["rng"])
        torch.set_rng_state(progress["torch"])
        if self.device.type == "cuda" and progress["cuda"] is not None:
            torch.cuda.set_rng_state(progress["cuda"], self.device)
        self.log.rewind(self.logged_epochs())
        logger.info("resuming after %s", resumed)

    def update(
        self, progress: float, warmup: float, clip: float, *, skip_infinite: bool = False
    ) -> bool:
        """One step of the optimizer, at a point of the run from 0 to 1; whether it was taken.

        skip_infinite   whether to skip a step whose gradient is not finite, as those of large
                        models in 16 bits sometimes are; the CPU then waits for the device
        """
        set_learning_rates(self.optimizer, progress, warmup)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), clip)
        taken = not skip_infinite or math.isfinite(float(norm))
        if taken:
            self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return taken

    def check_loss(self, loss: float, where: str, settings: str) -> None:
        """Raise a `TrainingError` unless the loss is finite."""
        if not math.isfinite(loss):
            raise TrainingError(
                f"{where}: the loss is no longer a number; try lower learning rates ({settings})"
            )

    def parameters(self) -> int:
        """The number of the model's parameters."""
        return sum(p.numel() for p in self.model.parameters())
