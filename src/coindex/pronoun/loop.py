"""Training a pronoun model from a recipe: stages, checkpoints, log, best epoch by dev.

Stages follow each other. Each has its own optimizer (AdamW) and its own rise and fall
of the learning rate; it ends with the weights of its best epoch by dev, or of its last
one where there is no dev. The next stage goes on from those. With `parts`, a part of a
pass through the data is what is called an epoch here.

A run that is stopped goes on after its last whole epoch. A checkpoint holds weights,
optimizer and every random generator, so on the same machine the end is the same, bit
by bit, on a CPU.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from coindex import io
from coindex.errors import CoindexError, InputError
from coindex.pronoun import card, package, weights
from coindex.pronoun.adapters import beside
from coindex.pronoun.asked import Ask
from coindex.pronoun.dev import sides
from coindex.pronoun.recipe import Recipe, difference
from coindex.pronoun.rows import portion, shuffled
from coindex.pronoun.scorer import scored
from coindex.pronoun.stages import Problems, Work, work_of
from coindex.training.record import LOG, Record
from coindex.training.save import STATE, load_state, progress_of, save_state

Say = Callable[[str], None]


class TrainingError(CoindexError):
    """A run that cannot go on, such as one whose loss is no longer a number."""


def train(
    recipe: Recipe, out: Path, ways: Mapping[str, Ask], device: str = "cpu", *,
    seed: int | None = None, fresh: bool = False, say: Say = lambda text: None,
) -> dict[str, Any]:  # fmt: skip
    """Train one model into a folder, or go on with it; a finished one is left as it is."""
    io.make_folder(out)
    if fresh:
        for name in (*weights.FILES, weights.BEST, STATE, LOG):
            (out / name).unlink(missing_ok=True)
    seed = recipe.seeds[0] if seed is None else seed
    if (out / package.FACTS).is_file() and not (out / STATE).is_file():
        facts = package.facts_of(out, recipe.kind)
        difference(facts["recipe"], recipe, f"{out}: holds a finished model")
        if facts["seed"] != seed:
            raise InputError(
                f"{out}: holds a finished model of seed {facts['seed']}, expected {seed};"
                " choose another folder, or --fresh to train anew in this one"
            )
        return {"folder": str(out), "finished": "before", "dev": facts["dev"]}
    return Trainer(recipe, out, ways, device, seed, say).run()


class Trainer:
    """One run: everything it needs, and how far it is."""

    def __init__(
        self, recipe: Recipe, out: Path, ways: Mapping[str, Ask], device: str, seed: int, say: Say
    ) -> None:
        """Load the model and read the data; nothing is trained yet."""
        self.recipe, self.out, self.seed, self.say = recipe, out, seed, say
        self.device = torch.device(device)
        torch.backends.cuda.matmul.allow_tf32 = True
        self.rng = random.Random(seed)
        self.model = weights.begin(recipe, seed).to(self.device)
        self.dev = sides(recipe.dev, ways)
        self.work = work_of(recipe, self.model, self.dev, seed)
        for each in self.work:
            say(f"stage {each.name}: {'; '.join(each.remarks)}")
        for side in self.dev:
            say(f"dev {side.name}: {len(side.asked):,} problems, {side.lost} % of answers lost")
        self.record = Record(out)
        self.stage = self.epoch = 0
        self.best = -math.inf
        self.kept: dict[str, Any] = {}
        self.history: list[dict[str, Any]] = []
        self.optimizer = self._optimizer()

    def run(self) -> dict[str, Any]:
        """Train to the end, going on from the last checkpoint if there is one."""
        self._resume()
        while True:
            while self.epoch < self.work[self.stage].stage.units:
                self._one()
            weights.load_best(self.out, self.model)
            if self.stage + 1 == len(self.work):
                return self._finish()
            self.history.append(self.kept)
            self.stage, self.epoch, self.best, self.kept = self.stage + 1, 0, -math.inf, {}
            self.optimizer = self._optimizer()
            self._save()  # the next stage's best weights take the place of this one's

    def _one(self) -> None:
        """One epoch, its scores, its row in the log, its checkpoint."""
        start, work = time.monotonic(), self.work[self.stage]
        loss = self._epoch(work)
        self.epoch += 1
        row: dict[str, Any] = {
            "epoch": len(self.record.rows()) + 1, "stage": work.name, "of stage": self.epoch,
            "loss": round(loss, 4),
        }  # fmt: skip
        row.update(work.measure(self.model, self.device))
        self._check(row)
        row["seconds"] = round(time.monotonic() - start, 1)
        self.record.write(row)
        self._save()
        self.say(card.line(row, work.stage.units))

    def _save(self) -> None:
        save_state(self.out, self.model, self.optimizer, (), self._progress())

    def _epoch(self, work: Work) -> float:
        self.model.train()
        every, stage = work.lengths, work.stage
        part = portion(len(every), stage.parts, self.epoch, self.seed)
        todo = shuffled([every[at] for at in part], stage.batch, self.rng)
        total, steps = 0.0, stage.units * len(todo)
        for number, places in enumerate(todo):
            chosen = [part[at] for at in places]
            with torch.autocast(
                self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"
            ):
                loss = work.loss(self.model, chosen, self.device)
            loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
            self._update((self.epoch * len(todo) + number) / steps, stage.warmup)
            total += float(loss.detach())
            if not math.isfinite(total):
                raise TrainingError(
                    f"stage {work.name}, epoch {self.epoch + 1}: the loss is no longer a number;"
                    " try lower rates (rate, head_rate)"
                )
        return total / max(len(todo), 1)

    def _update(self, progress: float, warm: float) -> None:
        factor = progress / warm if progress < warm else (1 - progress) / (1 - warm)
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def _optimizer(self) -> torch.optim.Optimizer:
        """AdamW; what is new, on top of the encoder or in it, has a rate of its own."""
        stage = self.work[self.stage].stage
        below = {id(p) for p in self.model.encoder.parameters()}
        below -= {id(p) for p in beside(self.model)}
        groups = []
        for inside, rate in ((True, stage.rate), (False, stage.head_rate)):
            for plain in (True, False):
                chosen = [
                    p for p in self.model.parameters()
                    if p.requires_grad
                    and (id(p) in below) == inside and (p.ndim < 2) == plain
                ]  # fmt: skip
                decay = 0.0 if plain else self.recipe.decay
                groups.append({"params": chosen, "lr": rate, "peak": rate, "weight_decay": decay})
        return torch.optim.AdamW(groups, fused=self.device.type == "cuda")

    def _check(self, row: dict[str, Any]) -> None:
        """Score on dev; keep the weights if they are the best of the stage, or the last."""
        dev: dict[str, float] = {}
        cut = None
        if isinstance(self.work[self.stage], Problems):
            dev, cut = scored(self.model, self.dev, self.recipe)
        mean = round(sum(dev.values()) / len(dev), 2) if dev else float(self.epoch)
        better = mean > self.best
        if dev:
            row["dev"], row["best"] = {"mean": mean, **dev}, better
        if better:
            self.best = mean
            self.kept = {**row, "neither": cut}
            weights.save_best(self.out, self.model)

    def _progress(self) -> dict[str, Any]:
        cuda = torch.cuda.get_rng_state(self.device) if self.device.type == "cuda" else None
        return {
            "stage": self.stage, "epoch": self.epoch, "best": self.best, "kept": self.kept,
            "history": self.history, "rng": self.rng.getstate(), "torch": torch.get_rng_state(),
            "cuda": cuda, "recipe": self.recipe.json(), "seed": self.seed, "data": self._data(),
        }  # fmt: skip

    def _data(self) -> dict[str, str]:
        return {work.name: work.checksum for work in self.work}

    def _resume(self) -> None:
        before = progress_of(self.out)
        if before is None:
            self.record.rewind(0)
            return
        difference(before["recipe"], self.recipe, f"{self.out}: holds a checkpoint")
        if before["data"] != self._data() or before["seed"] != self.seed:
            raise InputError(
                f"{self.out}: the data or the seed is not what it was when this run began;"
                " restore it, or --fresh to train anew"
            )
        self.stage, self.epoch, self.best = before["stage"], before["epoch"], before["best"]
        self.kept, self.history = before["kept"], before["history"]
        self.optimizer = self._optimizer()
        load_state(self.out, self.model, self.optimizer, ())
        self.rng.setstate(before["rng"])
        torch.set_rng_state(before["torch"])
        if self.device.type == "cuda" and before["cuda"] is not None:
            torch.cuda.set_rng_state(before["cuda"], self.device)
        done = sum(work.stage.units for work in self.work[: self.stage]) + self.epoch
        self.record.rewind(done)
        self.say(f"going on after epoch {self.epoch} of stage {self.work[self.stage].name}")

    def _finish(self) -> dict[str, Any]:
        """Write the model with its card; the checkpoint goes last."""
        dev = self.kept.get("dev", {})
        facts = {
            "kind": self.recipe.kind, "recipe": self.recipe.json(), "seed": self.seed,
            "stages": [*self.history, self.kept], "dev": dev, "neither": self.kept.get("neither"),
            "data": self._data(), "left out": {work.name: work.remarks for work in self.work},
            "lost": {side.name: side.lost for side in self.dev},
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "versions": package.versions("torch", "transformers"),
        }  # fmt: skip
        if self.recipe.kind == "masked-lm":
            facts["probes"] = card.probes(self.model)
        weights.save(self.out, self.model, facts)
        io.write_text(self.out / "README.md", [card.card(facts)])
        for name in (STATE, weights.BEST):
            (self.out / name).unlink(missing_ok=True)
        return {"folder": str(self.out), "finished": "now", "dev": dev}
