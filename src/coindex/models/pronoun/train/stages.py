"""The data of each stage of a recipe: problems or plain text, their loss, and what was left out.

Plain text, for the head of a masked language model, comes from any source of
`coindex.builders.sources`. The subwords of a page are cut into stretches of `pieces` subwords,
special tokens included; a remainder is used if it is at least half as long. A share of the pages,
by their ids, is held out to measure perplexity: the same pages for every seed. Pages with a
sentence of a test set are left out and counted, see `overlap`.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from coindex import datasets
from coindex.builders import sources
from coindex.errors import InputError, MissingExtra
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.candidate_rows import ProblemRows, make_batch, problem_rows
from coindex.models.pronoun.masked_lm import MaskedLM
from coindex.models.pronoun.query import CandidateFinder, own_candidates
from coindex.models.pronoun.recipe import Recipe, Stage
from coindex.models.pronoun.train.dev_sets import DevSet
from coindex.models.pronoun.train.overlap import (
    HeldOutSentences,
    held_out_sentences,
    remove_test_items,
)
from coindex.models.pronoun.train.problems import (
    TrainingProblems,
    training_problems,
    with_switched,
)
from coindex.models.pronoun.train.teacher_scores import read_teacher_scores, target_of
from coindex.models.pronoun.weights import Model
from coindex.types.problem import Problem

Stretches = NDArray[np.int32]
_PAGES_AT_ONCE = 256
_STRETCHES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class ProblemStage:
    """A stage of problems with their candidates."""

    name: str
    stage: Stage
    checksum: str
    remarks: tuple[str, ...]
    items: list[ProblemRows]

    @property
    def lengths(self) -> Sequence[int]:
        """The longest row of each problem."""
        return [len(each) for each in self.items]

    def loss(self, model: Model, chosen: Sequence[int], device: torch.device) -> Tensor:
        """The model's loss of some problems."""
        batch = make_batch([self.items[at] for at in chosen], model.tokenizer.pad, device)
        return model.loss(batch, self.stage)

    def cost(self, at: int) -> int:
        """How many subwords the rows of a problem have, padded to the longest of them."""
        return len(self.items[at]) * len(self.items[at].rows)

    def measure(self, model: Model, device: torch.device) -> dict[str, float]:
        """No further figures for the log."""
        return {}


@dataclass(frozen=True, slots=True)
class TextStretches:
    """Stretches (count, subwords), padded: to train on, and held out.

    pages    how many pages there were; removed: how many of them overlap with which test set
    """

    learn: Stretches
    held: Stretches
    pages: int
    removed: tuple[tuple[str, int], ...] = ()

    @property
    def checksum(self) -> str:
        """The sha256 of all stretches."""
        return hashlib.sha256(self.learn.tobytes() + b"|" + self.held.tobytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class TextStage:
    """A stage of plain text."""

    name: str
    stage: Stage
    checksum: str
    remarks: tuple[str, ...]
    text: TextStretches
    generator: torch.Generator = field(default_factory=torch.Generator)

    @property
    def lengths(self) -> Sequence[int]:
        """All the same."""
        return [self.text.learn.shape[1]] * len(self.text.learn)

    def cost(self, at: int) -> int:
        """The subwords of a stretch."""
        return int(self.text.learn.shape[1])

    def loss(self, model: Model, chosen: Sequence[int], device: torch.device) -> Tensor:
        """The loss of masked subwords; masks are seeded from torch's global generator."""
        subwords = torch.from_numpy(self.text.learn[list(chosen)]).long().to(device)
        assert isinstance(model, MaskedLM)  # other kinds have no such stage
        self.generator.manual_seed(int(torch.randint(2**62, (1,))))
        return model.text_loss(subwords, self.stage, self.generator)

    @torch.no_grad()
    def measure(self, model: Model, device: torch.device) -> dict[str, float]:
        """The perplexity of masked subwords on the held-out pages, always with the same masks."""
        held = self.text.held
        if not len(held) or not isinstance(model, MaskedLM):
            return {}
        model.eval()
        generator = torch.Generator().manual_seed(1)
        total = parts = 0.0
        for at in range(0, len(held), _STRETCHES_AT_ONCE):
            subwords = torch.from_numpy(held[at : at + _STRETCHES_AT_ONCE]).long().to(device)
            loss = float(model.text_loss(subwords, self.stage, generator))
            total, parts = total + loss * len(subwords), parts + len(subwords)
        return {"perplexity": round(math.exp(min(total / parts, 50.0)), 2)}


StageData = ProblemStage | TextStage


def load_stages(
    recipe: Recipe,
    model: Model,
    dev: Sequence[DevSet],
    seed: int,
    finders: Mapping[str, CandidateFinder] | None = None,
) -> list[StageData]:
    """The data of every stage, in order."""
    tests: HeldOutSentences | None = None
    stages: list[StageData] = []
    for number, stage in enumerate(recipe.stage, 1):
        name = f"{number} {stage.name or ', '.join(stage.files)}"
        if tests is None and recipe.test:
            tests = held_out_sentences((f"dev {each.name}", each.problems) for each in dev)
        if stage.loss == "text":
            stages.append(_text_stage(name, stage, model, tests, seed))
        else:
            made = _problem_stage(name, stage, recipe, model, tests, seed)
            if stage.found:
                made = _with_found(made, recipe, model, tests, finders or {})
            stages.append(made)
    return stages


def _text_stage(
    name: str, stage: Stage, model: Model, tests: HeldOutSentences | None, seed: int
) -> TextStage:
    text = read_stretches(stage, model.tokenizer, seed, tests)
    remarks = [
        f"{text.pages:,} pages, {len(text.learn):,} stretches to learn from,"
        f" {len(text.held):,} held out"
    ]
    remarks += [f"left out: {n:,} of the pages, with text of {which}" for which, n in text.removed]
    return TextStage(name, stage, text.checksum, (*remarks, *_absent(tests)), text)


def _absent(tests: HeldOutSentences | None) -> list[str]:
    """The test sets that could not be compared with."""
    return [f"not compared with {which}: it is not here" for which in tests.absent] if tests else []


def _problem_stage(
    name: str,
    stage: Stage,
    recipe: Recipe,
    model: Model,
    tests: HeldOutSentences | None,
    seed: int,
) -> ProblemStage:
    scores = read_teacher_scores(stage.scores)
    data = training_problems(
        stage.files, most=stage.most, seed=seed, neither=recipe.neither, scored=scores
    )
    remarks = [f"left out: {count:,} {reason}" for reason, count in data.dropped]
    problems: tuple[Problem, ...] = data.problems
    if tests is not None:
        without = remove_test_items(problems, tests)
        problems = without.problems
        remarks += [f"left out: {count:,} that are in {which}" for which, count in without.removed]
        remarks += _absent(tests)
    if stage.switched:
        doubled = with_switched(TrainingProblems(problems), names=recipe.names)
        remarks += [f"{count:,} {reason}" for reason, count in doubled.dropped]
        problems = doubled.problems
    queries = own_candidates(problems)
    rows = [problem_rows(query, model.tokenizer, recipe.window) for query in queries]
    if stage.loss == "distill":
        pairs = zip(problems, rows, strict=True)
        rows = [replace(own, target=target_of(each, scores, stage)) for each, own in pairs]
        soft = sum(each.id in scores for each in problems)
        remarks.append(f"{soft:,} with the scores of a teacher")
    usable = [each for each in rows if all(row.own for row in each.rows)]
    if len(usable) < len(rows):
        remarks.append(f"left out: {len(rows) - len(usable):,} with a candidate of no subwords")
    if not usable:
        why = f" ({'; '.join(remarks)})" if remarks else ""
        files = ", ".join(stage.files)
        raise InputError(f"{files}: expected problems to learn from, found none{why}")
    remarks.insert(0, f"{len(usable):,} problems")
    return ProblemStage(name, stage, TrainingProblems(problems).checksum, tuple(remarks), usable)


def _with_found(
    made: ProblemStage,
    recipe: Recipe,
    model: Model,
    tests: HeldOutSentences | None,
    finders: Mapping[str, CandidateFinder],
) -> ProblemStage:
    """A stage with the problems of `found` too, whose candidates are detected names."""
    stage = made.stage
    if "found" not in finders:
        raise MissingExtra("spacy", "spacy")
    data = training_problems(stage.found)
    problems = data.problems
    if tests is not None:
        problems = remove_test_items(problems, tests).problems
    queries = finders["found"](problems)
    rows = [problem_rows(query, model.tokenizer, recipe.window) for query in queries]
    usable = [
        replace(each, target=_shared(each.right, stage.smoothing))
        for each in rows
        if any(each.right) and not all(each.right) and all(row.own for row in each.rows)
    ]
    lost = len(rows) - len(usable)
    remarks = (f"{len(usable):,} problems with found candidates", *made.remarks)
    if lost:
        remarks += (f"left out: {lost:,} whose found candidates do not decide them",)
    total = f"{made.checksum} {TrainingProblems(problems).checksum}"
    checksum = hashlib.sha256(total.encode()).hexdigest()
    return replace(made, checksum=checksum, remarks=remarks, items=[*made.items, *usable])


def _shared(right: Sequence[bool], smoothing: float) -> tuple[float, ...]:
    """The probability of each candidate: shared by the right ones, some of it by all."""
    share = (1 - smoothing) / sum(right)
    return tuple(share * each + smoothing / len(right) for each in right)


def read_stretches(
    stage: Stage, tokenizer: TextTokenizer, seed: int, tests: HeldOutSentences | None = None
) -> TextStretches:
    """The stretches of a stage's files, without pages that overlap with a test set."""
    sides: dict[bool, list[Stretches]] = {False: [], True: []}
    count, removed = 0, Counter[str]()
    rest = _pages(stage.files)
    while pages := list(islice(rest, _PAGES_AT_ONCE)):
        count += len(pages)
        if tests is not None:
            pages = _without_test_pages(pages, tests, removed)
        every = tokenizer.many([text for _, text in pages])
        for (id, _), subwords in zip(pages, every, strict=True):
            sides[_share(id) < stage.held] += _stretches(subwords, stage.pieces - 2)
    learn = sides[False]
    if stage.most and len(learn) > stage.most:
        chosen = sorted(random.Random(seed).sample(range(len(learn)), stage.most))
        learn = [learn[at] for at in chosen]
    if not learn:
        raise InputError(f"{', '.join(stage.files)}: expected text to learn from, found none")
    made = [_padded(rows, stage.pieces, tokenizer) for rows in (learn, sides[True])]
    return TextStretches(made[0], made[1], count, tuple(sorted(removed.items())))


def _without_test_pages(
    pages: list[tuple[str, str]], tests: HeldOutSentences, removed: Counter[str]
) -> list[tuple[str, str]]:
    """The pages without a sentence of a test set; the others are counted in `removed`."""
    kept = []
    for id, text in pages:
        name = tests.of_text(text)
        if name is None:
            kept.append((id, text))
        else:
            removed[name] += 1
    return kept


def _pages(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The id and the text of every page."""
    for name in names:
        for path in _paths(name):
            for page in sources.pages(path):
                if isinstance(page, sources.Page) and page.text.strip():
                    yield f"{page.source or path.name}:{page.id}", page.text


def _paths(name: str) -> list[Path]:
    if Path(name).expanduser().exists():
        return [Path(name).expanduser()]
    corpus, _, split = name.partition(":")
    if corpus not in datasets.names():
        raise InputError(f"{name}: expected a file, a folder or a corpus, found neither")
    return sorted(datasets.paths(corpus, split or None))


def _stretches(subwords: Sequence[int], room: int) -> list[Stretches]:
    whole = np.asarray(subwords, dtype=np.int32)
    parts = [whole[at : at + room] for at in range(0, len(whole), room)]
    return [part for part in parts if len(part) >= room // 2]


def _share(id: str) -> float:
    """A number from 0 to 1 that depends on the id alone."""
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _padded(rows: Sequence[Stretches], size: int, tokenizer: TextTokenizer) -> Stretches:
    made = np.full((len(rows), size), tokenizer.pad, dtype=np.int32)
    for at, row in enumerate(rows):
        made[at, 0], made[at, len(row) + 1] = tokenizer.begin[0], tokenizer.end
        made[at, 1 : len(row) + 1] = row
    return made
