"""Training of the parser from a recipe.

Each span of each sentence is classified on its own: a label, or no phrase (cross-entropy);
trees are built only where they are needed, on dev and later. The tags of words are learnt with
them. The weights that are scored and stored are a moving average.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as f

from coindex import datasets, formats, io
from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, read_json
from coindex.models.common.checkpoint import STATE, save_tensors
from coindex.models.common.learning_rate_schedule import parameter_groups
from coindex.models.common.trainer import LOG, Trainer, TrainingResult
from coindex.models.parser import weights
from coindex.models.parser.decode import SpanScorer
from coindex.models.parser.network import ParserNetwork
from coindex.models.parser.recipe import Recipe, check_same_recipe
from coindex.models.parser.train.examples import Batch, Example, make_batch, make_examples
from coindex.models.parser.trees import LabelledSpan, to_fragments
from coindex.models.parser.vocabulary import vocabulary
from coindex.scoring.bracket_scores import bracket_scores, count_brackets
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

logger = logging.getLogger(__name__)


def train(
    recipe: Recipe, out: Path, device: str = "cpu", *,
    fresh: bool = False, on_progress: OnProgress = ignore_progress,
) -> TrainingResult:  # fmt: skip
    """Train a parser into a folder, or resume the run there; a finished one is not changed."""
    io.make_folder(out)
    if fresh:
        for name in (weights.WEIGHTS, weights.BEST, METADATA, STATE, LOG):
            (out / name).unlink(missing_ok=True)
    if (out / METADATA).is_file() and not (out / STATE).is_file():
        metadata = read_json(out / METADATA)
        check_same_recipe(metadata["recipe"], recipe, f"{out}: holds a finished model")
        return TrainingResult(out, True, metadata["dev"], recipe.epochs, metadata["best"])
    return ParserTrainer(recipe, out, device, on_progress).run()


def read_documents(
    names: Sequence[str], *, training: bool
) -> tuple[list[Document], dict[str, str]]:
    """The documents of corpora or paths, and the checksum of each file."""
    documents: list[Document] = []
    checksums: dict[str, str] = {}
    for name in names:
        found = datasets.training_files(name) if training else datasets.named_files(name)
        for path in formats.expand_paths(found[1]):
            documents += (item for item in formats.read(path) if isinstance(item, Document))
            checksums[Path(path).name] = sha256(Path(path))
    return [document for document in documents if len(document)], checksums


class ParserTrainer(Trainer):
    """One run of training."""

    model: ParserNetwork

    def __init__(
        self, recipe: Recipe, out: Path, device: str, on_progress: OnProgress = ignore_progress
    ) -> None:
        """Read the data and run the shared layers on it; nothing is trained yet."""
        super().__init__(out, device, recipe.seed, on_progress)
        self.recipe = recipe
        documents, self.checksums = read_documents(recipe.train, training=True)
        self.dev, more = read_documents(recipe.dev, training=False)
        self.checksums |= more
        self.vocabulary = vocabulary(documents, recipe.rare)
        self.parser = weights.new_parser(recipe, self.vocabulary)
        self.model = self.parser.network
        self.examples = self._examples(documents)
        self.dev_examples = self._examples(self.dev)
        self.model.to(self.device)
        parts = (self.model.layers.parameters(), self.model.scorers())
        groups: list[dict[str, Any]] = []
        for part, rate in zip(parts, (recipe.layer_rate, recipe.head_rate), strict=True):
            groups += parameter_groups(part, rate, recipe.decay)
        self.optimizer = torch.optim.AdamW(groups)
        self.average = [p.detach().clone() for p in self.model.parameters()]
        self.steps = 0

    def _examples(self, documents: Sequence[Document]) -> list[Example]:
        parser = self.parser
        with torch.autocast("cpu", torch.bfloat16):
            return make_examples(
                documents, self.vocabulary, parser.shared, parser.tokenizer, self.recipe.window,
                self.on_progress,
            )  # fmt: skip

    def run(self) -> TrainingResult:
        """Train to the end, resuming from the last checkpoint if there is one."""
        self.resume()
        while self.epoch < self.recipe.epochs:
            start = time.monotonic()
            loss = self._epoch()
            self.epoch += 1
            with weights.swapped(self.model, self.average):
                dev = self.evaluate()
                better = dev["f1"] > self.best
                if better:
                    self.best = dev["f1"]
                    save_tensors(self.out / weights.BEST, self.model.state_dict())
            seconds = round(time.monotonic() - start, 1)
            row = {"epoch": self.epoch, "loss": round(loss, 4), "seconds": seconds,
                   "dev": dev, "best": better}  # fmt: skip
            self.best_row = row if better else self.best_row
            self.log.append(row)
            self.save_checkpoint()
            logger.info("epoch %s/%s: %s", self.epoch, self.recipe.epochs, row)
        return self._finish()

    def _epoch(self) -> float:
        network, recipe = self.model.train(), self.recipe
        order = list(range(len(self.examples)))
        self.rng.shuffle(order)
        batches = [order[at : at + recipe.batch] for at in range(0, len(order), recipe.batch)]
        total = 0.0
        for number, chosen in enumerate(batches):
            batch = make_batch([self.examples[at] for at in chosen], self.device)
            loss = self._loss(network, batch)
            torch.autograd.backward(loss)
            progress = (self.epoch + number / len(batches)) / recipe.epochs
            self.update(progress, recipe.warmup, recipe.clip)
            self._update_average()
            total += float(loss.detach())
            self.check_loss(total, f"epoch {self.epoch + 1}", "layer_rate, head_rate")
            task = f"epoch {self.epoch + 1}/{recipe.epochs}"
            self.on_progress(Progress(task, number + 1, len(batches)))
        return total / len(batches)

    def _loss(self, network: ParserNetwork, batch: Batch) -> Tensor:
        """The loss of spans, of all in a sentence but per word, and that of tags."""
        keep = torch.rand(batch.shapes.shape) >= self.recipe.dropout
        with torch.autocast(self.device.type, torch.bfloat16):
            lower = batch.lower * keep[..., None].to(self.device)
            x = network(lower, batch.shapes, batch.edges, batch.mask).flatten(0, 1)
            starts, ends, tags = network.words(x, batch.firsts, batch.lasts)
            spans = network.spans(starts[batch.starts], ends[batch.ends])
        loss = f.cross_entropy(spans.float(), batch.labels, reduction="sum") / len(batch.tags)
        tag_loss = f.cross_entropy(tags.float(), batch.tags)
        return loss + self.recipe.tag_weight * tag_loss

    def _update_average(self) -> None:
        self.steps += 1
        decay = min(self.recipe.average, self.steps / (self.steps + 10))
        with torch.no_grad():
            for mean, current in zip(self.average, self.model.parameters(), strict=True):
                mean.lerp_(current, 1 - decay)

    def evaluate(self) -> dict[str, float]:
        """The scores on dev, by torch."""
        network = self.model.eval()
        trees: list[list[LabelledSpan]] = []
        tags: list[str] = []
        scorer = SpanScorer(
            network.label.weight.detach().numpy(), network.label.bias.detach().numpy(),
            self.vocabulary.labels,
        )  # fmt: skip
        for at in range(0, len(self.dev_examples), self.recipe.batch):
            examples = self.dev_examples[at : at + self.recipe.batch]
            batch = make_batch(examples, self.device)
            with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16):
                x = network(batch.lower, batch.shapes, batch.edges, batch.mask).flatten(0, 1)
                rows = network.words(x, batch.firsts, batch.lasts)
            starts, ends, scores = (row.float().cpu().numpy() for row in rows)
            tags += [self.vocabulary.tags[number] for number in scores.argmax(1)]
            word = 0
            for each in examples:
                for span in each.window.sentences:
                    part = slice(word + span.start, word + span.end)
                    trees.append(scorer.tree(starts[part], ends[part]))
                word += len(each.tags)
        return score_trees(self.dev, trees, tags)

    def progress(self) -> dict[str, Any]:
        """Epoch, best score, recipe and checksums of the data."""
        return {
            "epoch": self.epoch, "best": self.best, "kept": self.best_row, "steps": self.steps,
            "recipe": asdict(self.recipe), "data": self.checksums,
        }  # fmt: skip

    def restore(self, progress: Mapping[str, Any]) -> str:
        """Take over stored progress of the same recipe and data."""
        check_same_recipe(progress["recipe"], self.recipe, f"{self.out}: holds a checkpoint")
        if progress["data"] != self.checksums:
            raise InputError(
                f"{self.out}: the data is not what it was when this run began;"
                " restore it, or --fresh to train anew"
            )
        self.epoch, self.best, self.steps = (progress[n] for n in ("epoch", "best", "steps"))
        self.best_row = progress["kept"]
        return f"epoch {self.epoch}"

    def logged_epochs(self) -> int:
        """The log has one row per epoch."""
        return self.epoch

    def _finish(self) -> TrainingResult:
        best = int(self.best_row["epoch"])
        weights.save_parser(self.out, self.recipe, self.vocabulary, {
            "dev": self.best_row["dev"], "best": best, "log": self.log.rows(),
            "data": self.checksums,
        })  # fmt: skip
        (self.out / STATE).unlink(missing_ok=True)
        return TrainingResult(self.out, False, self.best_row["dev"], self.recipe.epochs, best)


def score_trees(
    documents: Sequence[Document], trees: Sequence[list[LabelledSpan]], tags: Sequence[str]
) -> dict[str, float]:
    """The scores of predicted trees and tags, which are those of all sentences in order."""
    counts = []
    found, word = iter(trees), 0
    for document in documents:
        parse: list[str] = []
        for span in document.sentence_spans():
            parse += to_fragments(span.end - span.start, next(found))
        pos = tuple(tags[word : word + len(document)])
        word += len(document)
        counts.append(count_brackets(document, replace(document, pos=pos, parse=tuple(parse))))
    return bracket_scores(counts)
