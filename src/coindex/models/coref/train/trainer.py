"""Training of a coreference model from a recipe: epochs, averaged weights, the best epoch.

An epoch takes every corpus (or its `share`) once, in batches of about `words` words. The losses
of a batch are means over its own mentions. With `accumulate` batches per update, the gradient is
the mean of theirs: each batch has the same weight, however many mentions it has. The remaining
batches at the end of an epoch make an update too, of less weight.

Batches are drawn anew in each epoch, so their number varies a little; the progress of the run,
which decides the learning rate, is `epoch + done / batches of this epoch`.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from coindex import io
from coindex.errors import InputError, MissingExtra
from coindex.models.common.artifact import METADATA, versions
from coindex.models.common.checkpoint import STATE, read_progress
from coindex.models.common.learning_rate_schedule import parameter_groups
from coindex.models.common.prefetch import prefetch
from coindex.models.common.recipe import check_same_recipe
from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer
from coindex.models.common.trainer import LOG, Trainer, TrainingLog, TrainingResult
from coindex.models.common.training_plot import draw, epoch_line, main_score
from coindex.models.coref.network import Model
from coindex.models.coref.recipe import Recipe, parse_recipe
from coindex.models.coref.start import read_start, scheme_rows
from coindex.models.coref.train.batch import PreparedBatch, batches, merge_examples, prepare
from coindex.models.coref.train.corpora import (
    TrainingCorpus,
    build_corpus,
    checksums,
    read_corpus,
)
from coindex.models.coref.train.evaluate import gap_f1, predict_clusters, score_clusters
from coindex.models.coref.train.examples import Example, ExampleBuilder
from coindex.models.coref.train.licences import count_origins, licence_line, licences
from coindex.models.coref.train.step import Losses, encode_windows, losses, shared_row
from coindex.models.coref.train.teacher import (
    Teacher,
    TeacherScores,
    check_teacher,
    distillation_losses,
)
from coindex.models.coref.weights import (
    FILES,
    new_model,
    read_training_metadata,
    save_model,
    tokenizer_source,
)
from coindex.types.progress import OnProgress, Progress, ignore_progress

logger = logging.getLogger(__name__)

PLOT = "training.svg"


def train(
    recipe: Recipe,
    out: Path,
    device: str = "cpu",
    *,
    fresh: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> TrainingResult:
    """Train a model into a folder, or resume the run there; a finished model is not changed.

    fresh   whether to remove the run in the folder first
    """
    io.make_folder(out)
    if fresh:
        for name in (*FILES, STATE, LOG, PLOT):
            (out / name).unlink(missing_ok=True)
    metadata = _finished(out, recipe)
    if metadata is not None:
        return TrainingResult(out, True, metadata["dev"], recipe.epochs, metadata["epoch"])
    before = read_progress(out)
    if before is not None:
        _check_recipe(before["recipe"], recipe, f"{out}: holds a checkpoint")
    if recipe.teacher:
        check_teacher(recipe)
    return CorefTrainer(recipe, out, device, on_progress).run()


def _finished(out: Path, recipe: Recipe) -> dict[str, Any] | None:
    """The metadata of the finished model in a folder; None if there is none.

    A model without a checkpoint is finished, unless its log ends early: then the run was
    stopped in its first epochs, and starts anew.
    """
    if (out / STATE).is_file() or not (out / METADATA).is_file():
        return None
    metadata = read_training_metadata(out)
    _check_recipe(metadata["recipe"], recipe, f"{out}: holds a finished model")
    rows = TrainingLog(out).rows()
    return None if rows and rows[-1]["epoch"] < recipe.epochs else metadata


def _check_recipe(stored: Mapping[str, Any], recipe: Recipe, where: str) -> None:
    check_same_recipe(parse_recipe(stored, "its recipe"), recipe, where)


class CorefTrainer(Trainer):
    """One run of training."""

    model: Model

    def __init__(
        self,
        recipe: Recipe,
        out: Path,
        device: str = "cpu",
        on_progress: OnProgress = ignore_progress,
    ) -> None:
        """Read the corpora and load the encoder; nothing is trained yet."""
        super().__init__(out, device, recipe.seed, on_progress)
        self.recipe = recipe
        torch.manual_seed(recipe.seed)
        tokenizer = SubwordTokenizer(load_tokenizer(tokenizer_source(recipe)))
        self.builder = ExampleBuilder(tokenizer, recipe.window, recipe.overlap, recipe.width)
        self._read()
        self.model = new_model(recipe).to(self.device)
        self._check_vocabulary()
        self.teacher = Teacher(recipe, self.device) if recipe.teacher else None
        self.average = [p.detach().clone() for p in self.model.parameters()]
        self.optimizer = torch.optim.AdamW(
            [
                *parameter_groups(
                    self.model.encoder.parameters(), recipe.encoder_rate, recipe.decay
                ),
                *parameter_groups(self.model.head.parameters(), recipe.head_rate, recipe.decay),
            ],
            betas=(0.9, 0.98),
            fused=self.device.type == "cuda",
        )
        self.step = 0

    def run(self) -> TrainingResult:
        """Train to the end, resuming from the last checkpoint if there is one."""
        io.make_folder(self.out)
        self.resume()
        while self.epoch < self.recipe.epochs:
            start = time.monotonic()
            row: dict[str, Any] = {"epoch": self.epoch + 1, **self._epoch()}
            self.epoch += 1
            row["seconds"] = round(time.monotonic() - start, 1)
            last = self.epoch == self.recipe.epochs
            if self.dev and (last or self.epoch % self.recipe.check == 0):
                row["dev"], row["best"] = self._evaluate()
            self.log.append(row)
            self.save_checkpoint()
            logger.info(epoch_line(row, self.recipe.epochs))
        if not self.dev:
            with _swapped(self.model, self.average):
                self._save_best(0.0, {})
        try:
            draw(self.log.rows(), self.out / PLOT)
        except MissingExtra as error:  # the weights matter more than the plot
            logger.info("no picture: %s", error)
        (self.out / STATE).unlink(missing_ok=True)
        return TrainingResult(
            self.out, False, self.best_row["dev"], self.epoch, self.best_row["best"]
        )

    def _read(self) -> None:
        corpora: dict[bool, list[TrainingCorpus]] = {True: [], False: []}
        items = []
        for training in (True, False):
            for corpus in self.recipe.train if training else self.recipe.dev:
                use = "train" if training else "dev"
                without = self.recipe.without if training else ()
                read = read_corpus(corpus, without, training=training)
                if not len(read):
                    name = ", ".join(corpus.files)
                    logger.info("%s: %s: left out: all %d items", use, name, read.unseen)
                    continue
                items.append(read)
                made = build_corpus(read, self.recipe, self.builder, split=training)
                corpora[training].append(made)
                logger.info("%s: %s: %s", use, made.name, "; ".join(made.remarks))
                for warning in made.warnings:
                    logger.warning("%s: %s: %s", use, made.name, warning)
        self.train, self.dev = corpora[True], corpora[False]
        if not self.train:
            raise InputError("expected a corpus to train on, found none besides `without`")
        self.data = checksums(items)
        trained = (o for read in items if read.corpus in self.recipe.train for o in read.origins)
        self.licences = licences(count_origins(trained))
        if self.licences:
            logger.info("licences: %s", licence_line(self.licences))

    def _check_vocabulary(self) -> None:
        """Raise an `InputError` if the tokenizer is that of another encoder."""
        examples = (e for corpus in (*self.train, *self.dev) for e in corpus.examples)
        most = max(int(window.subwords.max()) for e in examples for window in e.windows)
        known = int(self.model.encoder.config.vocab_size)
        if most >= known:
            raise InputError(
                f"{self.recipe.encoder or self.recipe.start}: the tokenizer gives subwords up to"
                f" {most}, the encoder knows {known}: they do not belong together"
            )

    def _examples(self) -> list[Example]:
        """The examples of one epoch."""
        examples: list[Example] = []
        for corpus in self.train:
            count = max(1, round(corpus.corpus.share * len(corpus.examples)))
            chosen = self.rng.sample(corpus.examples, count)
            if corpus.corpus.partial:
                numbers = self.recipe.scheme_numbers(corpus.corpus)
                chosen = [replace(e, scheme=self.rng.choice(numbers)) for e in chosen]
            examples += chosen
        return examples

    def _epoch(self) -> dict[str, float]:
        self.model.train()
        todo = batches(self._examples(), self.recipe.words, self.rng)
        total = self.recipe.epochs * len(todo)
        sums: Counter[str] = Counter()
        before: dict[str, torch.Tensor] = {}
        with closing(prefetch(self._prepare, todo)) as prepared:
            for number, batch in enumerate(prepared):
                loss, parts = self._loss(batch)
                torch.autograd.backward(loss / self.recipe.accumulate)
                if (number + 1) % self.recipe.accumulate == 0 or number + 1 == len(todo):
                    self._update((self.epoch * len(todo) + number) / total)
                self._add_losses(sums, before)  # one step later, when they are computed
                before = parts
                task = f"epoch {self.epoch + 1}/{self.recipe.epochs}"
                self.on_progress(Progress(task, number + 1, len(todo)))
        self._add_losses(sums, before)
        return {"step": self.step, **{n: round(v / len(todo), 4) for n, v in sums.items()}}

    def _add_losses(self, sums: Counter[str], parts: Mapping[str, torch.Tensor]) -> None:
        """Add the losses of a step to those of the epoch, if they are numbers."""
        if parts:
            sums.update(dict(zip(parts, torch.stack(list(parts.values())).tolist(), strict=True)))
            self.check_loss(sums["loss"], f"epoch {self.epoch + 1}", "encoder_rate, head_rate")

    def _prepare(self, batch: Sequence[Example]) -> PreparedBatch:
        """Everything of a step that needs no weights."""
        prepared = prepare(batch, shared_row(self.model, self.device))
        if self.teacher:
            for document in prepared.documents:
                self.teacher.prepare(document)
        return prepared

    def _loss(self, batch: PreparedBatch) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The loss to minimise, and its parts, itself included."""
        vectors = encode_windows(self.model, batch.windows, self.device)
        gold = Losses.none(self.device)
        if batch.labelled:
            gold.add(losses(self.model.head, batch.labelled, vectors[batch.unlabelled :]))
        loss = gold.total(self.recipe.clue_weight)
        parts = gold.means()
        if self.teacher:
            documents = vectors[: batch.unlabelled + batch.annotated]
            teacher_loss = self._teacher_loss(self.teacher, batch.documents, documents)
            weight = self.recipe.teacher_weight
            loss = (1 - weight) * loss + weight * teacher_loss
            parts["teacher"] = teacher_loss.detach()
        return loss, {"loss": loss.detach(), **parts}

    def _teacher_loss(
        self, teacher: Teacher, documents: Sequence[Example], vectors: torch.Tensor
    ) -> torch.Tensor:
        """The loss against the teacher's scores of whole documents."""
        if not documents:
            return torch.zeros((), device=self.device)
        scores = TeacherScores.merged(teacher.scores(documents))
        merged = merge_examples(documents)
        return distillation_losses(self.model.head, merged, vectors, scores).total(0.0)

    def _update(self, progress: float) -> None:
        self.update(progress, self.recipe.warmup, self.recipe.clip)
        self.step += 1
        decay = min(self.recipe.average, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.model.parameters()), 1 - decay)

    def _evaluate(self) -> tuple[dict[str, Any], bool]:
        """Score the averaged weights on the dev corpora; store them if they are the best."""
        with _swapped(self.model, self.average):
            scores = {}
            for number, corpus in enumerate(self.dev, 1):
                self.on_progress(Progress("dev", number - 1, len(self.dev)))
                scores[f"{number} {corpus.name}"] = self.score(corpus)
            mean = sum(map(main_score, scores.values())) / len(scores)
            best = mean > self.best
            if best:
                self._save_best(mean, scores)
        return {"mean": round(mean, 2), **scores}, best

    def score(self, corpus: TrainingCorpus) -> dict[str, float]:
        """The scores of the current weights on one corpus."""
        if not corpus.corpus.partial:
            predicted = predict_clusters(self.model, corpus.examples, self.device)
            return score_clusters(corpus.documents, predicted, corpus.corpus.singletons)
        scores: dict[str, float] = {}
        for number in self.recipe.scheme_numbers(corpus.corpus):
            examples = [replace(e, scheme=number) for e in corpus.examples]
            predicted = predict_clusters(self.model, examples, self.device)
            pairs = zip(examples, predicted, strict=True)
            clues = [(clue, clusters) for example, clusters in pairs for clue in example.clues]
            scores[self.recipe.all_schemes()[number]] = round(gap_f1(clues), 2)
        return {"f1": max(scores.values()), **scores}

    def _save_best(self, mean: float, scores: dict[str, Any]) -> None:
        """Store the current weights as the model of the run."""
        self.best = mean
        metadata = {
            "recipe": self.recipe.as_json(),
            "schemes": list(self.recipe.all_schemes()),
            "epoch": self.epoch,
            "dev": scores,
            "data": self.data,
            "parameters": self.parameters(),
            "versions": versions("torch", "transformers"),
        }
        if self.licences:
            metadata["licences"] = self.licences
        if self.recipe.start:
            start = read_start(self.recipe.start)
            metadata["scheme_rows"] = scheme_rows(start, self.recipe)
            metadata["start_data"] = {
                **start.trained.get("start_data", {}),
                **start.trained["data"],
            }
        if self.teacher:
            metadata["teacher"] = self.teacher.checksum
        save_model(self.out, self.model, self.recipe, metadata)
        self.best_row = {"best": self.epoch, "dev": scores}

    def progress(self) -> dict[str, Any]:
        """Epoch, step, best score, recipe and checksums of the data."""
        return {
            "epoch": self.epoch, "step": self.step, "best": self.best, "kept": self.best_row,
            "recipe": self.recipe.as_json(), "data": self.data,
        }  # fmt: skip

    def restore(self, progress: Mapping[str, Any]) -> str:
        """Take over stored progress of the same recipe and data."""
        _check_recipe(progress["recipe"], self.recipe, f"{self.out}: holds a checkpoint")
        if progress["data"] != self.data:
            raise InputError(
                f"{self.out}: the data is not what it was when this run began;"
                " restore it, or --fresh to train anew"
            )
        self.epoch, self.step, self.best = progress["epoch"], progress["step"], progress["best"]
        self.best_row = progress["kept"]
        return f"epoch {self.epoch}"

    def logged_epochs(self) -> int:
        """The log has one row per epoch."""
        return self.epoch


class _swapped:
    """The model with other weights, for a while."""

    def __init__(self, model: Model, weights: Sequence[torch.Tensor]) -> None:
        self.model, self.weights = model, weights

    def __enter__(self) -> None:
        self.own = [p.detach().clone() for p in self.model.parameters()]
        self._copy(self.weights)

    def __exit__(self, *error: object) -> None:
        self._copy(self.own)
        self.model.train()

    @torch.no_grad()
    def _copy(self, weights: Sequence[torch.Tensor]) -> None:
        for parameter, weight in zip(self.model.parameters(), weights, strict=True):
            parameter.copy_(weight)
