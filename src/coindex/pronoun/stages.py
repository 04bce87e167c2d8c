"""The work of each stage of a recipe: its examples, its loss, and what was left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.pronoun.dev import Side
from coindex.pronoun.masked import MaskedLM
from coindex.pronoun.overlap import HeldOut, clean, held_out
from coindex.pronoun.read import Read, to_learn, with_switched
from coindex.pronoun.recipe import Recipe, Stage
from coindex.pronoun.rows import Item, batch, items
from coindex.pronoun.text import Text, read_text
from coindex.pronoun.weights import Model

_CALM = 64  # stretches of held-out text at once


@dataclass(frozen=True, slots=True)
class Problems:
    """Problems with their candidates."""

    name: str
    stage: Stage
    checksum: str
    remarks: tuple[str, ...]
    items: list[Item]

    @property
    def lengths(self) -> Sequence[int]:
        """The longest row of each problem."""
        return [len(each) for each in self.items]

    def loss(self, model: Model, chosen: Sequence[int], device: torch.device) -> Tensor:
        """The model's own loss."""
        made = batch([self.items[at] for at in chosen], model.tokens.pad, device)
        return model.loss(made, self.stage)

    def measure(self, model: Model, device: torch.device) -> dict[str, float]:
        """Nothing more than the loss in an epoch's row."""
        return {}


@dataclass(frozen=True, slots=True)
class Plain:
    """Stretches of plain text."""

    name: str
    stage: Stage
    checksum: str
    remarks: tuple[str, ...]
    text: Text
    generator: torch.Generator = field(default_factory=torch.Generator)

    @property
    def lengths(self) -> Sequence[int]:
        """All the same."""
        return [self.text.learn.shape[1]] * len(self.text.learn)

    def loss(self, model: Model, chosen: Sequence[int], device: torch.device) -> Tensor:
        """That of masked pieces; the masks are drawn from torch's own generator."""
        pieces = torch.from_numpy(self.text.learn[list(chosen)]).long().to(device)
        assert isinstance(model, MaskedLM)  # other kinds have no such stage
        self.generator.manual_seed(int(torch.randint(2**62, (1,))))
        return model.text_loss(pieces, self.stage, self.generator)

    @torch.no_grad()
    def measure(self, model: Model, device: torch.device) -> dict[str, float]:
        """Perplexity of masked pieces on the pages that were held out; the same masks always."""
        held = self.text.held
        if not len(held) or not isinstance(model, MaskedLM):
            return {}
        model.eval()
        generator = torch.Generator().manual_seed(1)
        total = parts = 0.0
        for at in range(0, len(held), _CALM):
            pieces = torch.from_numpy(held[at : at + _CALM]).long().to(device)
            loss = float(model.text_loss(pieces, self.stage, generator))
            total, parts = total + loss * len(pieces), parts + len(pieces)
        return {"perplexity": round(math.exp(min(total / parts, 50.0)), 2)}


Work = Problems | Plain
"""What a stage is made of."""


def work_of(recipe: Recipe, model: Model, dev: Sequence[Side], seed: int) -> list[Work]:
    """The work of every stage, in order."""
    tests: HeldOut | None = None
    found: list[Work] = []
    for number, stage in enumerate(recipe.stage, 1):
        name = f"{number} {stage.name or ', '.join(stage.files)}"
        if tests is None and recipe.test:
            tests = held_out((f"dev {side.name}", side.problems) for side in dev)
        if stage.loss == "text":
            found.append(_plain(name, stage, model, tests, seed))
            continue
        found.append(_problems(name, stage, recipe, model, tests, seed))
    return found


def _plain(name: str, stage: Stage, model: Model, tests: HeldOut | None, seed: int) -> Plain:
    text = read_text(stage, model.tokens, seed, tests)
    remarks = [
        f"{text.pages:,} pages, {len(text.learn):,} stretches to learn from,"
        f" {len(text.held):,} held out"
    ]
    remarks += [f"left out: {n:,} of the pages, with text of {which}" for which, n in text.removed]
    remarks += _absent(tests)
    return Plain(name, stage, text.checksum, tuple(remarks), text)


def _absent(tests: HeldOut | None) -> list[str]:
    """The test sets that could not be compared with."""
    return [f"not compared with {which}: it is not here" for which in tests.absent] if tests else []


def _problems(
    name: str, stage: Stage, recipe: Recipe, model: Model, tests: HeldOut | None, seed: int
) -> Problems:
    read = to_learn(stage.files, most=stage.most, seed=seed, neither=recipe.neither)
    remarks = [f"left out: {count:,} {reason}" for reason, count in read.dropped]
    kept: tuple[Problem, ...] = read.problems
    if tests is not None:
        cleaned = clean(kept, tests)
        kept = cleaned.problems
        remarks += [f"left out: {count:,} that are in {which}" for which, count in cleaned.removed]
        remarks += _absent(tests)
    if stage.switched:
        both = with_switched(Read(kept))
        remarks += [f"{count:,} {reason}" for reason, count in both.dropped]
        kept = both.problems
    made = items(kept, model.tokens, recipe.window)
    whole = [each for each in made if all(row.own for row in each.rows)]
    if len(whole) < len(made):
        remarks.append(f"left out: {len(made) - len(whole):,} with a candidate of no pieces")
    if not whole:
        why = f" ({'; '.join(remarks)})" if remarks else ""
        files = ", ".join(stage.files)
        raise InputError(f"{files}: expected problems to learn from, found none{why}")
    remarks.insert(0, f"{len(whole):,} problems")
    return Problems(name, stage, Read(kept).checksum, tuple(remarks), whole)
