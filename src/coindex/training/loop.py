"""Training from a recipe to a folder: checkpoints, log, best epoch, averaged weights.

An epoch takes every corpus (or its `share`) once, in batches of about `words` words.
The losses of a batch are means over its own mentions. With `accumulate` batches to
an update, the gradient is the mean of theirs: each batch counts the same, however
many mentions it has, which is not quite one batch of all their examples, where each
mention would count the same. What is left over at the end of an epoch makes an
update too, of less weight.

Batches are drawn anew in each epoch, so their number changes a little; how far the
run is, which decides the learning rate, is `epoch + done / batches of this epoch`.

A run that is stopped goes on after its last whole epoch. A checkpoint holds the
weights, their average, the optimizer and every random generator, so on the same
machine the end is the same, bit by bit, on a CPU.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from coindex import __version__, io
from coindex.errors import CoindexError, InputError, MissingExtra
from coindex.training import record
from coindex.training.config import Recipe
from coindex.training.corpora import Side, side
from coindex.training.evaluate import clusters, gap_counts, scored
from coindex.training.examples import Example, Maker, batches
from coindex.training.merge import merged
from coindex.training.model import Model, Shape
from coindex.training.read import checksums, read
from coindex.training.record import PLOT, Record
from coindex.training.save import (
    STATE,
    load_model,
    load_state,
    progress_of,
    save_model,
    save_state,
    tokenizer_of,
)
from coindex.training.step import Losses, Told, distilled, encode, losses
from coindex.training.teacher import Teacher, check_teacher

Say = Callable[[str], None]
Watch = Callable[[str, int, int], None]


class TrainingError(CoindexError):
    """A run that cannot go on, such as one whose loss is no longer a number."""


def train(
    recipe: Recipe, out: Path, device: str = "cpu", *, fresh: bool = False,
    say: Say | None = None, watch: Watch | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Train a model into a folder, or go on with it; a finished one is left as it is."""
    io.make_folder(out)
    folder = Record(out)
    if fresh:
        folder.clear()
    facts = folder.finished(recipe)
    if facts is not None:
        return {
            "folder": str(out), "finished": "before", "epochs": recipe.epochs,
            "best": facts["epoch"], "dev": facts["dev"],
        }  # fmt: skip
    before = progress_of(out)
    if before is not None:
        record.same(before["recipe"], recipe, f"{out}: holds a checkpoint")
    if recipe.teacher:
        check_teacher(recipe)
    return Trainer(recipe, out, device, say, watch).run()


class Trainer:
    """One run: everything it needs, and how far it is."""

    def __init__(
        self, recipe: Recipe, out: Path, device: str = "cpu",
        say: Say | None = None, watch: Watch | None = None,
    ) -> None:  # fmt: skip
        """Read the corpora, load the encoder; nothing is trained yet."""
        self.recipe, self.out = recipe, out
        self.say = say or (lambda text: None)
        self.watch = watch or (lambda label, done, total: None)
        self.device = torch.device(device)
        self.rng = random.Random(recipe.seed)
        torch.manual_seed(recipe.seed)
        torch.backends.cuda.matmul.allow_tf32 = True
        self.maker = Maker(
            tokenizer_of(recipe.encoder), recipe.window, recipe.overlap, recipe.width
        )
        self._read()
        shape = Shape(
            recipe.all_schemes(), recipe.hidden, recipe.span, recipe.width, recipe.fine,
            recipe.dropout,
        )  # fmt: skip
        model = load_model(recipe.encoder, shape, recipe.layers, recipe.window)
        self.model: Model = model.to(self.device)
        self._check_pieces()
        self.teacher = Teacher(recipe, self.device) if recipe.teacher else None
        self.average = [p.detach().clone() for p in self.model.parameters()]
        self.optimizer = self._optimizer()
        self.record = Record(out)
        self.epoch = self.step = 0
        self.best: float = -1.0
        self.kept: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """Train to the end, going on from the last checkpoint if there is one."""
        io.make_folder(self.out)
        self._resume()
        while self.epoch < self.recipe.epochs:
            start = time.monotonic()
            row: dict[str, Any] = {"epoch": self.epoch + 1, **self._epoch()}
            self.epoch += 1
            row["seconds"] = round(time.monotonic() - start, 1)
            last = self.epoch == self.recipe.epochs
            if self.dev and (last or self.epoch % self.recipe.check == 0):
                row["dev"], row["best"] = self._check()
            self.record.write(row)
            save_state(self.out, self.model, self.optimizer, self.average, self._progress())
            self.say(record.line(row, self.recipe.epochs))
        if not self.dev:
            with _swapped(self.model, self.average):
                self._keep(0.0, {})
        return self._finish()

    def _read(self) -> None:
        sides: dict[bool, list[Side]] = {True: [], False: []}
        reads = []
        for training in (True, False):
            for corpus in self.recipe.train if training else self.recipe.dev:
                reads.append(read(corpus))
                made = side(reads[-1], self.recipe, self.maker, cut=training)
                sides[training].append(made)
                use = "train" if training else "dev"
                self.say(f"{use}: {made.name}: {'; '.join(made.remarks)}")
        self.train, self.dev = sides[True], sides[False]
        self.data = checksums(reads)

    def _check_pieces(self) -> None:
        """A tokenizer of another encoder gives numbers that this one does not know."""
        examples = (e for each in (*self.train, *self.dev) for e in each.examples)
        most = max(int(window.pieces.max()) for e in examples for window in e.windows)
        known = int(self.model.encoder.config.vocab_size)
        if most >= known:
            raise InputError(
                f"{self.recipe.encoder}: the tokenizer gives pieces up to {most},"
                f" the encoder knows {known}: they do not belong together"
            )

    def _optimizer(self) -> torch.optim.Optimizer:
        groups = []
        for part, rate in (("encoder", self.recipe.encoder_rate), ("head", self.recipe.head_rate)):
            named = list(getattr(self.model, part).named_parameters())
            for plain in (True, False):
                chosen = [p for n, p in named if (p.ndim < 2) == plain]
                decay = 0.0 if plain else self.recipe.decay
                groups.append({"params": chosen, "lr": rate, "peak": rate, "weight_decay": decay})
        return torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=self.device.type == "cuda")

    def _examples(self) -> list[Example]:
        found: list[Example] = []
        for each in self.train:
            count = max(1, round(each.corpus.share * len(each.examples)))
            chosen = self.rng.sample(each.examples, count)
            if each.corpus.partial:
                chosen = [replace(e, scheme=self.rng.choice(self.recipe.under(each.corpus)))
                          for e in chosen]  # fmt: skip
            found += chosen
        return found

    def _epoch(self) -> dict[str, float]:
        self.model.train()
        todo = batches(self._examples(), self.recipe.words, self.rng)
        total = self.recipe.epochs * len(todo)
        sums: Counter[str] = Counter()
        for number, batch in enumerate(todo):
            loss, parts = self._loss(batch)
            (loss / self.recipe.accumulate).backward()  # type: ignore[no-untyped-call, unused-ignore]
            if (number + 1) % self.recipe.accumulate == 0 or number + 1 == len(todo):
                self._update((self.epoch * len(todo) + number) / total)
            sums.update(parts)
            if not math.isfinite(sums["loss"]):
                raise TrainingError(
                    f"epoch {self.epoch + 1}: the loss is no longer a number;"
                    " try lower rates (encoder_rate, head_rate)"
                )
            self.watch(f"epoch {self.epoch + 1}/{self.recipe.epochs}", number + 1, len(todo))
        return {"step": self.step, **{n: round(v / len(todo), 4) for n, v in sums.items()}}

    def _loss(self, batch: Sequence[Example]) -> tuple[torch.Tensor, dict[str, float]]:
        """What is minimised, and what it is made of."""
        mine = encode(self.model, batch, self.device)
        gold = Losses.none(self.device)
        for clues in (False, True):
            kept = [n for n, e in enumerate(batch) if e.labelled and bool(e.clues) == clues]
            if kept:
                gold.add(losses(self.model.head, merged([batch[n] for n in kept]),
                                torch.cat([mine[n] for n in kept])))  # fmt: skip
        loss = gold.total(self.recipe.clue_weight)
        parts = gold.means()
        if self.teacher:
            told = self._told(self.teacher, batch, mine)
            weight = self.recipe.teacher_weight
            loss = (1 - weight) * loss + weight * told
            parts["teacher"] = told.detach()
        values = torch.stack([loss.detach(), *parts.values()]).tolist()
        return loss, dict(zip(("loss", *parts), values, strict=True))

    def _told(
        self, teacher: Teacher, batch: Sequence[Example], mine: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        """The loss against the teacher's opinion of whole documents."""
        kept = [n for n, example in enumerate(batch) if not example.clues]
        if not kept:
            return torch.zeros((), device=self.device)
        whole = [batch[n] for n in kept]
        told = Told.of(teacher.opinions(whole))
        vectors = torch.cat([mine[n] for n in kept])
        return distilled(self.model.head, merged(whole), vectors, told).total(0.0)

    def _update(self, progress: float) -> None:
        warm = self.recipe.warmup
        factor = min(progress / warm, 1.0) if progress < warm else (1 - progress) / (1 - warm)
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * max(factor, 0.0)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        keep = min(self.recipe.average, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.model.parameters()), 1 - keep)

    def _check(self) -> tuple[dict[str, Any], bool]:
        """Score the averaged weights on the dev corpora; keep them if they are the best."""
        with _swapped(self.model, self.average):
            scores = {}
            for number, each in enumerate(self.dev, 1):
                self.watch("dev", number - 1, len(self.dev))
                scores[f"{number} {each.name}"] = self.score(each)
            mean = sum(map(record.main, scores.values())) / len(scores)
            best = mean > self.best
            if best:
                self._keep(mean, scores)
        return {"mean": round(mean, 2), **scores}, best

    def score(self, each: Side) -> dict[str, float]:
        """The scores of one corpus with the model as it is."""
        if each.corpus.partial:
            found: dict[str, float] = {}
            for number in self.recipe.under(each.corpus):
                name = self.recipe.all_schemes()[number]
                examples = [replace(e, scheme=number) for e in each.examples]
                hits, wrong, missed = gap_counts(
                    examples, clusters(self.model, examples, self.device)
                )
                found[name] = round(200 * hits / max(2 * hits + wrong + missed, 1), 2)
            return {"f1": max(found.values()), **found}
        answers = clusters(self.model, each.examples, self.device)
        return scored(each.documents, answers, each.corpus.singletons)

    def _keep(self, mean: float, scores: dict[str, Any]) -> None:
        self.best = mean
        facts = {
            "recipe": self.recipe.json(),
            "schemes": list(self.recipe.all_schemes()),
            "epoch": self.epoch,
            "dev": scores,
            "data": self.data,
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "versions": {"coindex": __version__, "torch": torch.__version__,
                         "transformers": version("transformers")},
        }  # fmt: skip
        if self.teacher:
            facts["teacher"] = self.teacher.checksum
        save_model(self.out, self.model, self.recipe, facts)
        self.kept = {"best": self.epoch, "dev": scores}

    def _progress(self) -> dict[str, Any]:
        cuda = torch.cuda.get_rng_state(self.device) if self.device.type == "cuda" else None
        return {
            "epoch": self.epoch, "step": self.step, "best": self.best, "kept": self.kept,
            "rng": self.rng.getstate(), "torch": torch.get_rng_state(), "cuda": cuda,
            "recipe": self.recipe.json(), "data": self.data,
        }  # fmt: skip

    def _resume(self) -> None:
        before = progress_of(self.out)
        if before is None:
            self.record.rewind(0)
            return
        record.same(before["recipe"], self.recipe, f"{self.out}: holds a checkpoint")
        if before["data"] != self.data:
            raise InputError(
                f"{self.out}: the data is not what it was when this run began;"
                " restore it, or --fresh to train anew"
            )
        load_state(self.out, self.model, self.optimizer, self.average)
        self.epoch, self.step, self.best = before["epoch"], before["step"], before["best"]
        self.kept = before["kept"]
        self.rng.setstate(before["rng"])
        torch.set_rng_state(before["torch"])
        if self.device.type == "cuda" and before["cuda"] is not None:
            torch.cuda.set_rng_state(before["cuda"], self.device)
        self.record.rewind(self.epoch)
        self.say(f"going on after epoch {self.epoch}")

    def _finish(self) -> dict[str, Any]:
        from coindex.training.plot import draw

        try:
            draw(self.record.rows(), self.out / PLOT)
        except MissingExtra as error:  # the weights are worth more than their picture
            self.say(f"no picture: {error}")
        (self.out / STATE).unlink(missing_ok=True)
        return {"folder": str(self.out), "finished": "now", "epochs": self.epoch, **self.kept}


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
