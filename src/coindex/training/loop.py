"""Training from a recipe to a folder: checkpoints, log, best epoch, averaged weights."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from coindex.core.document import Document
from coindex.training.config import Corpus, Recipe
from coindex.training.evaluate import clusters, gap_counts, scored
from coindex.training.examples import Example, Maker, batches
from coindex.training.model import Model, Shape
from coindex.training.read import Read, read
from coindex.training.save import load_model, load_state, save_model, save_state, tokenizer_of
from coindex.training.step import Losses, distilled, encode, losses

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Side:
    """The examples of one corpus of a recipe."""

    corpus: Corpus
    documents: tuple[Document, ...]
    examples: tuple[Example, ...]


class Trainer:
    """One run: everything it needs, and how far it is."""

    def __init__(self, recipe: Recipe, out: Path, device: str, say: Say) -> None:
        """Read the corpora, load the encoder; nothing is trained yet."""
        self.recipe, self.out, self.say = recipe, out, say
        self.device = torch.device(device)
        self.rng = random.Random(recipe.seed)
        torch.manual_seed(recipe.seed)
        torch.backends.cuda.matmul.allow_tf32 = True
        self.maker = Maker(
            tokenizer_of(recipe.encoder), recipe.window, recipe.overlap, recipe.width
        )
        self.reads: list[Read] = []
        self.train = [self._side(corpus) for corpus in recipe.train]
        self.dev = [self._side(corpus) for corpus in recipe.dev]
        shape = Shape(
            recipe.all_schemes(), recipe.hidden, recipe.span, recipe.width, recipe.fine,
            recipe.dropout,
        )  # fmt: skip
        self.model = load_model(recipe.encoder, shape, recipe.layers).to(self.device)
        self.teacher = self._teacher()
        self.average = [p.detach().clone() for p in self.model.parameters()]
        self.optimizer = self._optimizer()
        self.retold: dict[object, Example] = {}
        self.epoch = self.step = 0
        self.best: float = -1.0

    def run(self) -> dict[str, Any]:
        """Train to the end, going on from the last checkpoint if there is one."""
        self.out.mkdir(parents=True, exist_ok=True)
        self._resume()
        while self.epoch < self.recipe.epochs:
            start = time.monotonic()
            mean = self._epoch()
            self.epoch += 1
            row: dict[str, Any] = {"epoch": self.epoch, "step": self.step, **mean}
            row["seconds"] = round(time.monotonic() - start, 1)
            late = self.epoch == self.recipe.epochs or self.epoch % self.recipe.check == 0
            if late and self.dev:
                row["dev"] = self._check()
            self._log(row)
            save_state(self.out, self.model, self.optimizer, self.average, self._progress())
        if not self.dev:
            self._keep(0.0, {})
        self._finish()
        return {"best": self.best, "epochs": self.epoch, "folder": str(self.out)}

    def _side(self, corpus: Corpus) -> Side:
        found = read(corpus)
        self.reads.append(found)
        if corpus.partial:
            examples = tuple(self.maker.pack(found.problems, self.recipe.under(corpus)[0]))
        else:
            (scheme,) = self.recipe.under(corpus)
            examples = tuple(
                self.maker.document(document, scheme, not corpus.unlabelled)
                for document in found.documents
            )
        words = sum(map(len, examples))
        self.say(f"{', '.join(corpus.files)}: {len(examples)} examples, {words} words")
        return Side(corpus, found.documents, tuple(e for e in examples if len(e)))

    def _teacher(self) -> tuple[Model, Maker] | None:
        if not self.recipe.teacher:
            return None
        from coindex.training.save import load_trained

        model, pieces, recipe = load_trained(Path(self.recipe.teacher))
        if tuple(recipe["schemes"]) != self.recipe.all_schemes():
            raise ValueError("the teacher has other schemes")
        model.to(self.device).eval()
        return model, Maker(pieces, recipe["window"], recipe["overlap"], self.recipe.width)

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
        for side in self.train:
            count = max(1, round(side.corpus.share * len(side.examples)))
            chosen = self.rng.sample(side.examples, count)
            if side.corpus.partial:
                chosen = [replace(e, scheme=self.rng.choice(self.recipe.under(side.corpus)))
                          for e in chosen]  # fmt: skip
            found += chosen
        return found

    def _epoch(self) -> dict[str, float]:
        self.model.train()
        todo = batches(self._examples(), self.recipe.words, self.rng)
        total = self.recipe.epochs * len(todo)
        sums = [0.0, 0.0, 0.0, 0.0]
        for number, batch in enumerate(todo):
            loss, parts = self._loss(batch)
            (loss / self.recipe.accumulate).backward()
            if (number + 1) % self.recipe.accumulate == 0 or number + 1 == len(todo):
                self._update((self.epoch * len(todo) + number) / total)
            for index, value in enumerate((loss.detach(), *parts)):
                sums[index] += float(value)
        names = ("loss", "mention", "antecedent", "clue")
        return {n: round(v / len(todo), 4) for n, v in zip(names, sums, strict=True)}

    def _loss(self, batch: Sequence[Example]) -> tuple[torch.Tensor, list[float]]:
        mine = encode(self.model, batch, self.device)
        gold, told = Losses.none(self.device), Losses.none(self.device)
        theirs = self._theirs(batch)
        for number, (example, vectors) in enumerate(zip(batch, mine, strict=True)):
            if example.labelled:
                gold.add(losses(self.model.head, example, vectors))
            if self.teacher and not example.clues:
                told.add(distilled(
                    self.model.head, self.teacher[0].head, example, vectors, theirs[number]
                ))  # fmt: skip
        loss = gold.total(self.recipe.clue_weight)
        if self.teacher:
            weight = self.recipe.teacher_weight
            loss = (1 - weight) * loss + weight * told.total(0.0)
        parts = [
            float(gold.mention.detach()) / max(gold.mentions, 1),
            float(gold.antecedent.detach()) / max(gold.anaphors, 1),
            float(gold.clue.detach()) / max(gold.clues, 1),
        ]
        return loss, parts

    @torch.no_grad()
    def _theirs(self, batch: Sequence[Example]) -> list[torch.Tensor]:
        if not self.teacher:
            return []
        model, maker = self.teacher
        for example in batch:
            if example.texts not in self.retold:
                self.retold[example.texts] = maker.again(example)
        return encode(model, [self.retold[example.texts] for example in batch], self.device)

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

    def _check(self) -> dict[str, Any]:
        """Score the averaged weights on the dev corpora; keep them if they are the best."""
        with _swapped(self.model, self.average):
            scores = {}
            for number, side in enumerate(self.dev, 1):
                scores[f"{number} {', '.join(side.corpus.files)}"] = self.score(side)
            main = [value["f1" if "f1" in value else "conll"] for value in scores.values()]
            mean = sum(main) / len(main)
            if mean > self.best:
                self._keep(mean, scores)
        return {"mean": round(mean, 2), **scores}

    def score(self, side: Side) -> dict[str, float]:
        """The scores of one corpus with the model as it is."""
        if side.corpus.partial:
            found: dict[str, float] = {}
            for number in self.recipe.under(side.corpus):
                name = self.recipe.all_schemes()[number]
                examples = [replace(e, scheme=number) for e in side.examples]
                hits, wrong, missed = gap_counts(
                    examples, clusters(self.model, examples, self.device)
                )
                found[name] = round(200 * hits / max(2 * hits + wrong + missed, 1), 2)
            return {"f1": max(found.values()), **found}
        answers = clusters(self.model, side.examples, self.device)
        return scored(side.documents, answers, side.corpus.singletons)

    def _keep(self, mean: float, scores: dict[str, Any]) -> None:
        self.best = mean
        facts = {
            "recipe": self.recipe.json(),
            "schemes": list(self.recipe.all_schemes()),
            "epoch": self.epoch,
            "dev": scores,
            "data": {name: total for r in self.reads for name, total in r.checksums},
            "parameters": sum(p.numel() for p in self.model.parameters()),
        }
        save_model(self.out, self.model, self.recipe, facts)

    def _progress(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch, "step": self.step, "best": self.best,
            "rng": self.rng.getstate(), "torch": torch.get_rng_state(),
            "recipe": json.dumps(self.recipe.json(), sort_keys=True),
        }  # fmt: skip

    def _resume(self) -> None:
        state = load_state(self.out, self.model, self.optimizer, self.average, self.device)
        if state is None:
            return
        if state["recipe"] != json.dumps(self.recipe.json(), sort_keys=True):
            raise ValueError(f"{self.out}: the checkpoint there is of another recipe")
        self.epoch, self.step, self.best = state["epoch"], state["step"], state["best"]
        self.rng.setstate(state["rng"])
        torch.set_rng_state(state["torch"])
        self.say(f"going on after epoch {self.epoch}")

    def _log(self, row: dict[str, Any]) -> None:
        with open(self.out / "log.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.say(json.dumps(row))

    def _finish(self) -> None:
        state = self.out / "state.pt"
        state.unlink(missing_ok=True)


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
