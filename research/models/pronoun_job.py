"""One job of `pronoun_device`: training on prepared data, and the raw scores of all sets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from coindex.models.common.artifact import METADATA
from coindex.models.common.subwords import SubwordText, TextTokenizer
from coindex.models.common.trainer import Trainer
from coindex.models.pronoun.artifact import read_metadata
from coindex.models.pronoun.candidate_rows import ProblemRows, make_batch
from coindex.models.pronoun.recipe import Recipe, load_recipe
from coindex.models.pronoun.train.dev_sets import DevSet
from coindex.models.pronoun.train.stages import StageData, TextStage, TextStretches
from coindex.models.pronoun.train.trainer import PronounTrainer
from coindex.models.pronoun.weights import Model, load_model, new_model
from research.models.device_session import log, trial_limit, work_folder
from research.models.pronoun_plan import Job
from research.models.pronoun_prepare import TEXT, PreparedRecipe, PreparedText, restore

BATCH = 64  # problems of a test set that are scored at once


class CachingTokenizer(TextTokenizer):
    """A tokenizer that remembers every text, since dev sets are scored after every epoch."""

    def __init__(self, name: str) -> None:
        """Load it."""
        super().__init__(name)
        self._known: dict[str, SubwordText] = {}

    def of(self, text: str) -> SubwordText:
        """The subwords of a text, computed once."""
        if text not in self._known:
            self._known[text] = super().of(text)
        return self._known[text]


class PreparedTrainer(PronounTrainer):
    """A trainer with prepared data that writes no checkpoints: a job ends within one call."""

    def __init__(
        self, recipe: Recipe, out: Path, device: str, seed: int,
        data: tuple[Sequence[StageData], Sequence[DevSet]],
    ) -> None:  # fmt: skip
        """Load the model; stages and dev sets are taken as they are."""
        Trainer.__init__(self, out, device, seed)
        self.recipe, self.seed = recipe, seed
        self.model = new_model(recipe, seed).to(self.device)
        self.model.tokenizer = CachingTokenizer(self.model.tokenizer.name)
        self.stages, self.dev = list(data[0]), list(data[1])
        self.stage = self.skipped = 0
        self.history: list[dict[str, Any]] = []
        self.optimizer = self._new_optimizer()

    def save_checkpoint(self) -> None:
        """Write nothing."""


def train_job(job: Job, changes: list[str], out: Path, device: str) -> Mapping[str, Any]:
    """Train the model of a job into a folder; returns its dev scores.

    A model that is finished is not trained again.
    """
    out.mkdir(parents=True, exist_ok=True)
    if (out / METADATA).is_file():
        return dict(read_metadata(out)["dev"])
    recipe = job_recipe(job, changes, work_folder())
    data = prepared_data(job, recipe, work_folder() / "prepared")
    return PreparedTrainer(recipe, out, device, job.seed, data).run().dev


def job_recipe(job: Job, changes: list[str], work: Path) -> Recipe:
    """The recipe of a job with its changes, and with the folders of this machine."""
    start = str(work / "jobs" / job.start) if job.start else None
    encoder = str(work / job.encoder) if job.encoder and not start else None
    if job.after:
        encoder = str(encoder_of(work / "jobs" / job.after, work / "mpnet"))
    return load_recipe(job.recipe, changes, encoder, start)


def prepared_data(job: Job, recipe: Recipe, folder: Path) -> tuple[list[StageData], list[DevSet]]:
    """The prepared stages and dev sets of a recipe, with the settings that this job has."""
    prepared: PreparedRecipe = restore(folder / f"{job.family}-{job.recipe}.xz")
    few = trial_limit() or None
    dev = [replace(each, queries=each.queries[:few]) for each in prepared.dev]
    problems = iter(prepared.stages)
    stages: list[StageData] = []
    for stage in recipe.stage:
        if stage.loss == "text":
            stages.append(text_stage(recipe, folder))
        else:
            each = next(problems)
            most = few or stage.most or None
            stages.append(replace(each, stage=stage, items=each.items[:most]))
    return stages, dev


def text_stage(recipe: Recipe, folder: Path) -> TextStage:
    """The stage of plain text."""
    prepared: PreparedText = restore(folder / TEXT)
    few = trial_limit() or None
    learn, held = (each[:few].astype(np.int32) for each in (prepared.learn, prepared.held))
    text = TextStretches(learn, held, prepared.pages)
    return TextStage("1 wikipedia", recipe.stage[0], text.checksum, prepared.remarks, text)


def encoder_of(folder: Path, base: Path) -> Path:
    """The encoder of a masked language model, written to a folder of its own.

    Several jobs may need it at the same time; the first one that writes it wins.
    """
    out = folder / "encoder"
    if not out.exists():
        own = folder / f"encoder-{os.getpid()}"
        load_model(folder, "masked-lm").encoder.save_pretrained(own)
        shutil.copy(base / "tokenizer.json", own / "tokenizer.json")
        try:
            own.rename(out)
        except OSError:  # another job was first
            shutil.rmtree(own)
    return out


def score_rows(model: Model, rows: Sequence[ProblemRows]) -> Iterator[list[float]]:
    """The scores of the candidates of prepared problems, in order."""
    model.eval()
    device = next(model.parameters()).device
    cuda = device.type == "cuda"
    for start in range(0, len(rows), BATCH):
        chosen = rows[start : start + BATCH]
        flat: list[float] = []
        if any(each.rows for each in chosen):
            with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=cuda):
                flat = model.scores(make_batch(chosen, model.tokenizer.pad, device)).tolist()
        at = 0
        for each in chosen:
            yield flat[at : at + len(each.rows)]
            at += len(each.rows)


def score_sets(out: Path, family: str, device: str) -> None:
    """Write the raw scores of every set, by the weights that were saved."""
    model = load_model(out, read_metadata(out)["kind"]).to(device)
    few = trial_limit() or None
    sets: dict[str, list[ProblemRows]] = restore(work_folder() / "prepared" / f"{family}-sets.xz")
    write_scores(
        out / "scores.npz",
        {name: list(score_rows(model, rows[:few])) for name, rows in sets.items()},
    )
    log(f"{out.name}: scored {len(sets)} sets")


def write_scores(path: Path, scores: Mapping[str, Sequence[Sequence[float]]]) -> None:
    """Write scores by set: all of them flat, and the number of candidates of each problem."""
    arrays: dict[str, Any] = {}
    for name, rows in scores.items():
        arrays[name] = np.array([score for row in rows for score in row], dtype=np.float32)
        arrays[f"{name}|counts"] = np.array([len(row) for row in rows], dtype=np.int32)
    np.savez_compressed(path, allow_pickle=False, **arrays)
