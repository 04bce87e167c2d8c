"""Training of a masked-lm or substitution model from a recipe, in stages.

Each stage has its own optimizer (AdamW) and its own learning-rate schedule; it ends with the
weights of its best epoch by dev, or of its last one where there is no dev. The next stage starts
from those. With `parts`, a part of an epoch counts as an epoch here.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from coindex import io
from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, versions
from coindex.models.common.checkpoint import STATE, load_tensors, save_tensors
from coindex.models.common.learning_rate_schedule import parameter_groups
from coindex.models.common.trainer import LOG, Trainer, TrainingResult
from coindex.models.pronoun import weights
from coindex.models.pronoun.artifact import read_metadata, write_trained_card
from coindex.models.pronoun.candidate_rows import batch_parts, epoch_part, shuffled_batches
from coindex.models.pronoun.lora import adapter_parameters
from coindex.models.pronoun.masked_lm import MaskedLM, probes
from coindex.models.pronoun.query import CandidateFinder
from coindex.models.pronoun.recipe import Recipe, check_same_recipe
from coindex.models.pronoun.train.dev_sets import load_dev_sets, score_dev_sets
from coindex.models.pronoun.train.stages import ProblemStage, StageData, load_stages
from coindex.types.progress import OnProgress, Progress, ignore_progress

logger = logging.getLogger(__name__)


def train_seed(
    recipe: Recipe,
    out: Path,
    finders: Mapping[str, CandidateFinder],
    device: str = "cpu",
    *,
    seed: int | None = None,
    fresh: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> TrainingResult:
    """Train one model into a folder, or resume the run there; a finished one is not changed."""
    io.make_folder(out)
    if fresh:
        for name in (*weights.FILES, weights.BEST, STATE, LOG):
            (out / name).unlink(missing_ok=True)
    seed = recipe.seeds[0] if seed is None else seed
    if (out / METADATA).is_file() and not (out / STATE).is_file():
        metadata = read_metadata(out, recipe.kind)
        check_same_recipe(metadata["recipe"], recipe, f"{out}: holds a finished model")
        if metadata["seed"] != seed:
            raise InputError(
                f"{out}: holds a finished model of seed {metadata['seed']}, expected {seed};"
                " choose another folder, or --fresh to train anew in this one"
            )
        return TrainingResult(out, True, metadata["dev"])
    return PronounTrainer(recipe, out, finders, device, seed, on_progress).run()


class PronounTrainer(Trainer):
    """One run of training."""

    model: weights.Model

    def __init__(
        self,
        recipe: Recipe,
        out: Path,
        finders: Mapping[str, CandidateFinder],
        device: str,
        seed: int,
        on_progress: OnProgress = ignore_progress,
    ) -> None:
        """Load the model and read the data; nothing is trained yet."""
        super().__init__(out, device, seed, on_progress)
        self.recipe, self.seed = recipe, seed
        self.model = weights.new_model(recipe, seed).to(self.device)
        self.dev = load_dev_sets(recipe.dev, finders)
        self.stages = load_stages(recipe, self.model, self.dev, seed, finders)
        for stage in self.stages:
            logger.info("stage %s: %s", stage.name, "; ".join(stage.remarks))
        for dev in self.dev:
            count = f"{len(dev.queries):,}"
            logger.info(f"dev {dev.name}: {count} problems, {dev.lost} % of answers lost")
        self.stage = self.skipped = 0
        self.history: list[dict[str, Any]] = []
        self.optimizer = self._new_optimizer()

    def run(self) -> TrainingResult:
        """Train to the end, resuming from the last checkpoint if there is one."""
        self.resume()
        while True:
            while self.epoch < self.stages[self.stage].stage.units:
                self._run_epoch()
            best = load_tensors(self.out / weights.BEST)
            weights.set_weights(self.model, best, str(self.out))
            if self.stage + 1 == len(self.stages):
                return self._finish()
            self.history.append(self.best_row)
            self.stage, self.epoch, self.best, self.best_row = self.stage + 1, 0, -math.inf, {}
            self.optimizer = self._new_optimizer()
            self.save_checkpoint()  # the next stage's best weights replace this one's

    def _run_epoch(self) -> None:
        """One epoch, its scores, its row in the log, its checkpoint."""
        start, data = time.monotonic(), self.stages[self.stage]
        loss = self._epoch(data)
        self.epoch += 1
        row: dict[str, Any] = {
            "epoch": len(self.log.rows()) + 1, "stage": data.name, "of stage": self.epoch,
            "loss": round(loss, 4),
        }  # fmt: skip
        if self.skipped:
            row["skipped"], self.skipped = self.skipped, 0
        row.update(data.measure(self.model, self.device))
        self._evaluate(row)
        row["seconds"] = round(time.monotonic() - start, 1)
        self.log.append(row)
        self.save_checkpoint()
        logger.info(epoch_line(row, data.stage.units))

    def _epoch(self, data: StageData) -> float:
        self.model.train()
        lengths, stage = data.lengths, data.stage
        part = epoch_part(len(lengths), stage.parts, self.epoch, self.seed)
        todo = shuffled_batches([lengths[at] for at in part], stage.batch, self.rng)
        total, steps = 0.0, stage.units * len(todo)
        for number, batch in enumerate(todo):
            total += self._backward(data, [part[at] for at in batch])
            progress = (self.epoch * len(todo) + number) / steps
            taken = self.update(progress, stage.warmup, self.recipe.clip, skip_infinite=True)
            self.skipped += not taken
            where = f"stage {data.name}, epoch {self.epoch + 1}"
            self.check_loss(total, where, "rate, head_rate")
            self.on_progress(Progress(f"{where}/{stage.units}", number + 1, len(todo)))
        return total / max(len(todo), 1)

    def _backward(self, data: StageData, chosen: Sequence[int]) -> float:
        """The loss of a batch, and its gradient; large batches are computed in parts."""
        total = torch.zeros((), device=self.device)
        for part in batch_parts([data.cost(at) for at in chosen], data.stage.subwords):
            own = [chosen[at] for at in part]
            cuda = self.device.type == "cuda"
            with torch.autocast(self.device.type, torch.bfloat16, enabled=cuda):
                loss = data.loss(self.model, own, self.device) * (len(own) / len(chosen))
            torch.autograd.backward(loss)
            total += loss.detach()
        return float(total)

    def _new_optimizer(self) -> torch.optim.Optimizer:
        """AdamW; new layers and adapters have another learning rate than the encoder."""
        stage = self.stages[self.stage].stage
        encoder = {id(p) for p in self.model.encoder.parameters()}
        encoder -= {id(p) for p in adapter_parameters(self.model)}
        trained = [p for p in self.model.parameters() if p.requires_grad]
        groups: list[dict[str, Any]] = []
        for inside, rate in ((True, stage.rate), (False, stage.head_rate)):
            chosen = [p for p in trained if (id(p) in encoder) == inside]
            groups += parameter_groups(chosen, rate, self.recipe.decay)
        return torch.optim.AdamW(groups, fused=self.device.type == "cuda")

    def _evaluate(self, row: dict[str, Any]) -> None:
        """Score on dev; store the weights if they are the best of the stage so far."""
        dev: dict[str, float] = {}
        threshold = None
        if isinstance(self.stages[self.stage], ProblemStage):
            dev, threshold = score_dev_sets(self.model, self.dev, self.recipe)
        mean = round(sum(dev.values()) / len(dev), 2) if dev else float(self.epoch)
        better = mean > self.best
        if dev:
            row["dev"], row["best"] = {"mean": mean, **dev}, better
        if better:
            self.best = mean
            self.best_row = {**row, "neither": threshold}
            save_tensors(self.out / weights.BEST, weights.trained_weights(self.model))

    def _checksums(self) -> dict[str, str]:
        return {stage.name: stage.checksum for stage in self.stages}

    def progress(self) -> dict[str, Any]:
        """Stage, epoch, best score, recipe, seed and checksums of the data."""
        return {
            "stage": self.stage, "epoch": self.epoch, "best": self.best, "kept": self.best_row,
            "history": self.history, "recipe": asdict(self.recipe), "seed": self.seed,
            "data": self._checksums(),
        }  # fmt: skip

    def restore(self, progress: Mapping[str, Any]) -> str:
        """Take over stored progress of the same recipe, seed and data."""
        check_same_recipe(progress["recipe"], self.recipe, f"{self.out}: holds a checkpoint")
        if progress["data"] != self._checksums() or progress["seed"] != self.seed:
            raise InputError(
                f"{self.out}: the data or the seed is not what it was when this run began;"
                " restore it, or --fresh to train anew"
            )
        self.stage, self.epoch, self.best = progress["stage"], progress["epoch"], progress["best"]
        self.best_row, self.history = progress["kept"], progress["history"]
        self.optimizer = self._new_optimizer()
        return f"epoch {self.epoch} of stage {self.stages[self.stage].name}"

    def logged_epochs(self) -> int:
        """The log has one row per epoch of every stage."""
        return sum(stage.stage.units for stage in self.stages[: self.stage]) + self.epoch

    def _finish(self) -> TrainingResult:
        """Write the model with its card; the checkpoint is removed last."""
        dev = self.best_row.get("dev", {})
        metadata = {
            "kind": self.recipe.kind, "recipe": asdict(self.recipe), "seed": self.seed,
            "stages": [*self.history, self.best_row], "dev": dev,
            "neither": self.best_row.get("neither"),
            "data": self._checksums(),
            "left out": {stage.name: stage.remarks for stage in self.stages},
            "lost": {each.name: each.lost for each in self.dev},
            "parameters": self.parameters(),
            "versions": versions("torch", "transformers"),
        }  # fmt: skip
        if isinstance(self.model, MaskedLM):
            metadata["probes"] = probes(self.model)
        weights.save_model(self.out, self.model, metadata)
        write_trained_card(self.out, metadata)
        for name in (STATE, weights.BEST):
            (self.out / name).unlink(missing_ok=True)
        return TrainingResult(self.out, False, dev)


def epoch_line(row: Mapping[str, Any], epochs: int) -> str:
    """A row of the log as text."""
    text = f"stage {row['stage']}, epoch {row['of stage']}/{epochs}: loss {row['loss']:.3f}"
    if "perplexity" in row:
        text += f", perplexity {row['perplexity']:.2f}"
    if "skipped" in row:
        text += f", {row['skipped']} steps skipped: their gradient was not finite"
    text += f", {row['seconds']} s"
    dev = row.get("dev")
    if not dev:
        return text
    each = ", ".join(f"{name} {value:.1f}" for name, value in dev.items() if name != "mean")
    return f"{text}; dev {dev['mean']:.1f} ({each}){' best so far' if row.get('best') else ''}"
