"""Train a pronoun model by the teacher's scores in a given time: `pronoun_distill`.

    python -m research.models.pronoun_distill train --encoder FOLDER --data FOLDER --out FOLDER \\
        --seconds 360 [--rank 64] [--bits 4] ...

With a rank, adapters over a frozen encoder are trained; with `--rank 0` all layers but the word
embeddings. ENCODER is a coreference model as `coindex train coref` writes it, or a folder of transformers;
DATA is made by `pronoun_distill_data`. The learning rate follows the time, so the run ends in
SECONDS whatever else the GPU does; the time for scoring at the end is estimated from the speed.

OUT gets the model as `coindex train pronoun` writes it (adapters in half precision), dev.json
(accuracy on every dev set), log.jsonl, and scores.npz: raw scores of all dev and test sets. Those
of test sets are not compared with answers before dev has decided (`pronoun_scores`). weights.pt is
also written in slices, weights.pt.00 and so on, for a machine that returns small files only.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from coindex.models.common.artifact import versions
from coindex.models.common.checkpoint import load_tensors
from coindex.models.common.learning_rate_schedule import parameter_groups, set_learning_rates
from coindex.models.pronoun.artifact import write_trained_card
from coindex.models.pronoun.lora import adapter_parameters
from coindex.models.pronoun.recipe import Recipe, Stage
from coindex.models.pronoun.substitution import distillation_loss, new_substitution
from coindex.models.pronoun.weights import WEIGHTS, save_model
from research.models.device_session import SLICE, log, use_one_thread
from research.models.fused_attention import use_fused_attention
from research.models.packed_rows import Vocabulary, load_arrays
from research.models.pronoun_distill_pool import SOFT, Settings, load_pool
from research.models.pronoun_distill_scores import (
    PreparedSets,
    dev_accuracy,
    score_sets,
    write_scores,
)
from research.models.rounded_weights import BITS, restore_encoder, round_encoder

WINDOW = 192
_SCORING_SPEED = 2.0
"""How much faster scoring is than training, at least."""
_SPARE_SECONDS = 12.0
_LOG_STEPS = 50


class TimedRun:
    """One run, from loading to scores."""

    def __init__(
        self, settings: Settings, encoder: Path, data: Path, out: Path, start: Path | None = None
    ) -> None:
        """Load model and data; `start` is a trained model of the same kind to go on from."""
        self.began = time.monotonic()
        self.settings, self.encoder, self.data, self.out = settings, encoder, data, out
        out.mkdir(parents=True, exist_ok=True)
        cuda = torch.cuda.is_available()
        self.device = torch.device("cuda" if cuda else "cpu")
        torch.backends.cuda.matmul.allow_tf32 = True
        if cuda:
            use_one_thread()
        family = json.loads((encoder / "config.json").read_text())["model_type"]
        if family == "mpnet" and cuda:
            use_fused_attention(log)
        numbers = load_arrays(data / "vocabularies.npz.xz")[family]
        self.vocabulary = Vocabulary.of_array(numbers)
        self.model = new_substitution(str(encoder), 0, settings.seed, rank=settings.rank)
        self.model.to(self.device).eval()  # no dropout: its noise exceeds the rows' differences
        matrices = torch.bfloat16 if cuda else torch.float32
        self.originals = round_encoder(self.model.encoder, settings.bits, matrices)
        self.pool = load_pool(data, settings)
        self.sets = PreparedSets(data)
        if settings.few or settings.score_few:
            self.sets.shorten(settings.few or settings.score_few)
        if start is not None:
            self.model.load_state_dict(load_tensors(start / WEIGHTS), strict=False)
        if not settings.rank:  # so that a document model over the same encoder can share them
            self.model.encoder.embeddings.word_embeddings.requires_grad_(False)
        self.trained: list[Tensor] = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = self._new_optimizer()
        self.mean = [p.detach().clone() for p in self.trained]
        self.averaged = self.step = self.seen = 0
        count = sum(p.numel() for p in self.trained)
        log(f"{family} on {self.device}, rank {settings.rank}: {count:,} trained parameters")

    def _new_optimizer(self) -> torch.optim.Optimizer:
        adapters = {id(p) for p in adapter_parameters(self.model)}
        encoder = {id(p) for p in self.model.encoder.parameters()} - adapters
        groups: list[dict[str, Any]] = []
        for inside, rate in ((True, self.settings.rate), (False, self.settings.head_rate)):
            every = (p for p in self.model.parameters() if p.requires_grad)
            chosen = [p for p in every if (id(p) in encoder) == inside]
            groups += parameter_groups(chosen, rate, self.settings.decay)
        return torch.optim.AdamW(groups, fused=self.device.type == "cuda")

    def run(self) -> None:
        """Train, choose between last and averaged weights on dev, save, score all sets."""
        loss = self._train()
        figures, scores = self._choose()
        self._save(figures, loss)
        log(f"saved {self.out}: {json.dumps(figures)}")
        scores.update(score_sets(self.model, self.sets, self.sets.test, self.vocabulary))
        write_scores(self.out / "scores.npz", scores)
        log(f"done in {time.monotonic() - self.began:.1f} s")

    def _train(self) -> float:
        settings, rng = self.settings, np.random.default_rng(self.settings.seed)
        todo = self.sets.subwords([*self.sets.dev, *self.sets.dev, *self.sets.test])
        start, progress, recent = time.monotonic(), 0.0, list[Tensor]()
        last = 0.0
        for batch in self.pool.batches(settings.subwords, rng):
            elapsed = time.monotonic() - start
            progress = max(progress, elapsed / self._time_left(start, elapsed, todo))
            if settings.steps:
                progress = self.step / settings.steps
            if progress >= 1:
                break
            recent.append(self._update(batch, progress))
            if self.step % _LOG_STEPS == 0:
                last = float(torch.stack(recent).mean())  # waits for the GPU
                self._log_step(progress, last, elapsed)
                recent = []
        return float(torch.stack(recent).mean()) if recent else last

    def _time_left(self, start: float, elapsed: float, todo: int) -> float:
        """The seconds that training may take in all, given its speed so far."""
        whole = self.settings.seconds - (start - self.began) - _SPARE_SECONDS
        speed = self.seen / elapsed if self.step > 20 else 100_000.0
        return max(whole - min(todo / (_SCORING_SPEED * speed), 0.4 * whole), 1.0)

    def _update(self, batch: list[int], progress: float) -> Tensor:
        rows = self.pool.packed.batch(batch, self.vocabulary, self.device)
        cuda = self.device.type == "cuda"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=cuda):
            scores = self.model.scores(rows)
        loss = distillation_loss(scores, rows.target, rows.owner, len(batch))
        torch.autograd.backward(loss)
        set_learning_rates(self.optimizer, progress, self.settings.warmup)
        torch.nn.utils.clip_grad_norm_(self.trained, self.settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.seen += rows.subwords.numel()
        if progress >= 1 - self.settings.average:
            self.averaged += 1
            with torch.no_grad():
                torch._foreach_lerp_(self.mean, self.trained, 1 / self.averaged)
        return loss.detach()

    def _log_step(self, progress: float, loss: float, elapsed: float) -> None:
        speed = self.seen / max(elapsed, 1e-9)
        row = {"step": self.step, "progress": round(progress, 4), "loss": round(loss, 4),
               "subwords": self.seen, "seconds": round(elapsed, 1)}  # fmt: skip
        with (self.out / "log.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
        log(f"step {self.step}: {100 * progress:.1f} %, loss {loss:.4f}, {speed:,.0f} subwords/s")

    def _choose(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The figures of the better weights, which the model has afterwards, and their scores."""
        last, scores = self._dev("last")
        if not self.averaged:
            return {"weights": "last", **last}, scores
        own = [p.detach().clone() for p in self.trained]
        self._set(self.mean)
        mean, mean_scores = self._dev("averaged")
        if mean["mean"]["rule"] >= last["mean"]["rule"]:
            return {"weights": "averaged", **mean}, mean_scores
        self._set(own)
        return {"weights": "last", **last}, scores

    def _dev(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        scores = score_sets(self.model, self.sets, self.sets.dev, self.vocabulary)
        figures = dev_accuracy(self.sets, scores)
        log(f"{name}: {json.dumps(figures['mean'])}")
        return dict(figures), dict(scores)

    @torch.no_grad()
    def _set(self, values: list[Tensor]) -> None:
        for current, value in zip(self.trained, values, strict=True):
            current.copy_(value)

    def _save(self, figures: dict[str, Any], loss: float) -> None:
        """Write the model over the original encoder, its card and its figures."""
        rounded = {name: dict(self.model.encoder.named_parameters())[name].data
                   for name in self.originals}  # fmt: skip
        restore_encoder(self.model.encoder, self.originals)
        metadata = self._metadata(figures, loss)
        if not self.settings.rank:  # what is frozen is not stored
            self.model.encoder.embeddings.word_embeddings.requires_grad_(True)
        save_model(self.out, self.model, metadata)
        restore_encoder(self.model.encoder, rounded)
        write_trained_card(self.out, metadata)
        (self.out / "dev.json").write_text(json.dumps(figures, indent=1))
        content = (self.out / WEIGHTS).read_bytes()
        for number, at in enumerate(range(0, len(content), SLICE)):
            (self.out / f"{WEIGHTS}.{number:02d}").write_bytes(content[at : at + SLICE])

    def _metadata(self, figures: dict[str, Any], loss: float) -> dict[str, Any]:
        recipe, settings = distill_recipe(self.settings, str(self.encoder)), self.settings
        dev = {name: each["rule"] for name, each in figures.items() if isinstance(each, dict)}
        stage = {"stage": "1 distill", "of stage": 1, "loss": round(loss, 4), "dev": dev}
        remarks = {
            name: [f"{sum(each['problems'].values()):,} problems", *_removed(each)]
            for name, each in self.pool.metadata.items()
        }
        return {
            "kind": "substitution", "recipe": asdict(recipe), "seed": settings.seed,
            "stages": [stage], "dev": dev, "neither": None,
            "data": {name: _file_checksum(self.data / f"{name}.npz.xz") for name in remarks},
            "left out": remarks, "lost": {},
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "versions": versions("torch", "transformers"),
            "distill": {**asdict(settings), "steps": self.step, "subwords read": self.seen},
        }  # fmt: skip


def _removed(metadata: dict[str, Any]) -> list[str]:
    """What was left out of a set because it is in a dev or test set."""
    rows = [
        f"left out: {count:,} of {corpus} that are in {name}"
        for corpus, each in metadata.get("corpora", {}).items()
        for name, count in each["removed"].items()
    ]
    return rows + [f"left out: {n:,} {why}" for why, n in metadata.get("left out", {}).items()]


def _file_checksum(path: Path) -> str:
    from coindex.datasets.checksums import sha256

    return sha256(path)


def distill_recipe(settings: Settings, encoder: str) -> Recipe:
    """The recipe of `coindex train pronoun` that corresponds to the settings."""
    files = ("labelled", *SOFT)
    stage = Stage(
        files, "distill", "distill", scores=SOFT, temperature=settings.temperature,
        smoothing=settings.smoothing, switched=True, rate=settings.rate,
        head_rate=settings.head_rate, warmup=settings.warmup,
    )  # fmt: skip
    return Recipe(
        "substitution", (stage,), encoder=encoder, seeds=(settings.seed,), window=WINDOW,
        rank=settings.rank, decay=settings.decay, clip=settings.clip, both=True, names=True,
    )  # fmt: skip


def parse_settings(
    arguments: list[str] | None = None,
) -> tuple[Settings, Path, Path, Path, Path | None]:
    """The settings and folders of a command line."""
    parser = argparse.ArgumentParser(prog="pronoun_distill", description=__doc__)
    parser.add_argument("command", choices=["train"])
    for name in ("encoder", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--bits", default="", choices=BITS)
    defaults = asdict(Settings(0.0))
    for name, value in defaults.items():
        if name not in ("seconds", "bits"):
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    found = vars(parser.parse_args(arguments))
    settings = Settings(**{name: found[name] for name in defaults})
    return settings, found["encoder"], found["data"], found["out"], found["start"]


def main() -> None:
    """Train one model."""
    TimedRun(*parse_settings()).run()


if __name__ == "__main__":
    main()
