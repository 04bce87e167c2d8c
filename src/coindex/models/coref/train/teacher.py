"""Distillation: a trained model as the teacher of a new one, also on unlabelled text.

The student learns the probabilities of the teacher's mentions and antecedents, not its decisions
(which Otmazgin et al. 2022, F-coref, used). The loss is the cross-entropy against the teacher.
Several teachers answer as one: the means of their probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.coref.network import Head, SpanTensors
from coindex.models.coref.recipe import Recipe
from coindex.models.coref.train.batch import merge_examples, offsets
from coindex.models.coref.train.examples import Example, ExampleBuilder
from coindex.models.coref.train.step import (
    Losses,
    encode,
    score_example,
    score_words,
    select_spans,
)
from coindex.models.coref.weights import load_trained, read_training_metadata


@dataclass(frozen=True, slots=True)
class TeacherScores:
    """A teacher's scores of an example.

    probabilities  of each span to be a mention
    mentions       the expected number of mentions
    spans          those that the teacher scored as mentions; longest: the length of the longest
    pairs          the scores of their antecedents, (spans, antecedents)
    antecedents    the indices of those antecedents
    """

    probabilities: Tensor
    mentions: float
    spans: SpanTensors
    pairs: Tensor
    antecedents: Tensor
    longest: int

    @classmethod
    def merged(cls, scores: Sequence[TeacherScores]) -> TeacherScores:
        """The scores of several examples as those of the merged example."""
        spans = _merged_spans([s.spans for s in scores], [len(s.probabilities) for s in scores])
        widest = max(s.antecedents.shape[1] for s in scores)
        before = offsets([len(s.spans) for s in scores])
        antecedents = [functional.pad(s.antecedents + n, (0, widest - s.antecedents.shape[1]))
                       for s, n in zip(scores, before, strict=True)]  # fmt: skip
        pairs = [functional.pad(s.pairs, (0, widest - s.pairs.shape[1]), value=float("-inf"))
                 for s in scores]  # fmt: skip
        return cls(
            torch.cat([s.probabilities for s in scores]), sum(s.mentions for s in scores), spans,
            torch.cat(pairs), torch.cat(antecedents), max(s.longest for s in scores),
        )  # fmt: skip

    def split(self, sizes: Sequence[int]) -> list[TeacherScores]:
        """The inverse: the scores of each of the examples, which have `sizes` words."""
        words = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.searchsorted(self.spans.starts.cpu().numpy(), words).tolist()
        parts = torch.split(self.probabilities, list(sizes))
        sums = torch.stack([part.sum() for part in parts]).tolist()
        scores = []
        for number, (first, last) in enumerate(pairwise(rows)):
            at = int(words[number])
            spans = SpanTensors(*(
                getattr(self.spans, field.name)[first:last]
                - (at if field.name in ("starts", "ends") else 0)
                for field in fields(SpanTensors)
            ))  # fmt: skip
            antecedents = self.antecedents[first:last] - first
            scores.append(
                TeacherScores(
                    self.probabilities[at : at + sizes[number]],
                    sums[number],
                    spans,
                    self.pairs[first:last],
                    antecedents.clamp(0, max(last - first - 1, 0)),
                    self.longest,
                )
            )
        return scores


def _merged_spans(spans: Sequence[SpanTensors], sizes: Sequence[int]) -> SpanTensors:
    """The spans of several examples, by the indices of the merged words.

    Strings, heads and sentences are only compared within an example, so they do not change.
    """
    before = offsets(sizes)
    columns = []
    for field in fields(SpanTensors):
        moves = field.name in ("starts", "ends")
        columns.append(torch.cat([
            getattr(each, field.name) + (n if moves else 0)
            for each, n in zip(spans, before, strict=True)
        ]))  # fmt: skip
    return SpanTensors(*columns)


@torch.no_grad()
def teacher_scores(teacher: Head, example: Example, vectors: Tensor) -> TeacherScores:
    """A teacher's scores of an example, whose scheme has the teacher's number.

    vectors  the teacher's word vectors
    """
    scores = score_example(teacher, example, vectors)
    probabilities = scores.logits.sigmoid() * scores.inside
    expected = float(probabilities.sum())
    return TeacherScores(
        probabilities, expected, scores.spans.tensors, scores.pairs, scores.antecedents,
        scores.spans.longest,
    )  # fmt: skip


@torch.no_grad()
def ensemble_scores(
    teachers: Sequence[Head], examples: Sequence[Example], vectors: Sequence[Tensor]
) -> TeacherScores:
    """The mean of several teachers' probabilities for one text, as one teacher's scores.

    The spans are those that are likely by the mean; the first teacher chooses their antecedents.

    examples, vectors   the text as each teacher reads it
    """
    scored = [score_words(*each) for each in zip(teachers, examples, vectors, strict=True)]
    inside = scored[0][2]
    probabilities = torch.stack([logits.sigmoid() for _, logits, _ in scored]).mean(0) * inside
    keys = select_spans(probabilities.logit(eps=1e-6), inside, examples[0])
    first = score_example(teachers[0], examples[0], vectors[0], keys)
    spans, antecedents = first.spans.tensors, first.antecedents
    valid = first.pairs > float("-inf")
    links = _with_null(first.pairs).softmax(-1)
    for head, (x, _, _) in zip(teachers[1:], scored[1:], strict=True):
        m = head.vectors(x, spans, first.spans.longest)
        links = links + _with_null(head.pairs_at(m, spans, antecedents, valid)).softmax(-1)
    logs = (links / len(teachers)).clamp(min=1e-9).log()
    pairs = (logs[:, 1:] - logs[:, :1]).masked_fill(~valid, float("-inf"))
    expected = float(probabilities.sum())
    return TeacherScores(probabilities, expected, spans, pairs, antecedents, first.spans.longest)


def _with_null(pairs: Tensor) -> Tensor:
    """The scores of antecedents with that of none, which is 0, before them."""
    return torch.cat([torch.zeros_like(pairs[:, :1]), pairs], -1)


def distillation_losses(
    student: Head, example: Example, vectors: Tensor, teacher: TeacherScores
) -> Losses:
    """The student's losses on one example against a teacher's scores."""
    x, logits, inside = score_words(student, example, vectors)
    each = functional.binary_cross_entropy_with_logits(
        logits, teacher.probabilities, reduction="none"
    )
    losses = Losses.none(vectors.device)
    losses.mention = (each * inside).sum()
    losses.mentions = round(teacher.mentions)
    m = student.vectors(x, teacher.spans, teacher.longest)
    valid = teacher.pairs > float("-inf")
    scores = student.pairs_at(m, teacher.spans, teacher.antecedents, valid)
    target = _with_null(teacher.pairs).softmax(-1)
    log = _with_null(scores).log_softmax(-1).clamp(min=-50)
    losses.antecedent = -(target * log).sum()
    losses.anaphors = len(teacher.spans)
    return losses


def check_teacher(recipe: Recipe) -> None:
    """Raise if a teacher lacks a scheme of the recipe; widths of mentions must be equal."""
    for folder in _folders(recipe):
        metadata = read_training_metadata(folder)
        known = tuple(metadata["schemes"])
        missing = [name for name in recipe.all_schemes() if name not in known]
        if missing:
            raise InputError(
                f"{folder}: the teacher does not know the scheme {missing[0]!r},"
                f" only {', '.join(known)}"
            )
        width = metadata["head"]["width"]
        if width != recipe.width:
            raise InputError(
                f"{folder}: the teacher's mentions have at most {width} words,"
                f" found width = {recipe.width}"
            )


def _folders(recipe: Recipe) -> list[Path]:
    """The folders of the teachers; a folder may have a comma in its name."""
    whole = Path(recipe.teacher).expanduser()
    if whole.is_dir():
        return [whole]
    return [Path(name.strip()).expanduser() for name in recipe.teacher.split(",")]


class TeacherModel:
    """A trained model that reads the examples of a recipe as its own."""

    def __init__(self, folder: Path, recipe: Recipe, device: torch.device) -> None:
        """Load the model; its schemes may have another order than the recipe's."""
        known = tuple(read_training_metadata(folder)["schemes"])
        model, tokenizer, settings = load_trained(folder)
        self.device = device
        self.model = model.to(device).eval()
        self.builder = ExampleBuilder(
            tokenizer, settings["window"], settings["overlap"], recipe.width
        )
        self.numbers = tuple(known.index(name) for name in recipe.all_schemes())
        self.checksum = sha256(folder / "weights.pt")

    def own_example(self, example: Example) -> Example:
        """An example in the model's subwords, with the model's number of its scheme."""
        return self.builder.retokenized(replace(example, scheme=self.numbers[example.scheme]))

    def read(self, batch: Sequence[Example]) -> tuple[Example, Tensor]:
        """The merged batch and its word vectors."""
        return merge_examples(batch), torch.cat(encode(self.model, batch, self.device))


class Teacher:
    """One or several trained models with a cache of their scores."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        """Load the recipe's teachers."""
        check_teacher(recipe)
        self.models = [TeacherModel(folder, recipe, device) for folder in _folders(recipe)]
        self.checksum = ",".join(model.checksum for model in self.models)
        self._cache: dict[object, TeacherScores] = {}
        self._prepared: dict[object, list[Example]] = {}

    def prepare(self, example: Example) -> None:
        """Split an example into the teachers' subwords; this needs no weights."""
        key = _key(example)
        if key not in self._cache and key not in self._prepared:
            self._prepared[key] = [model.own_example(example) for model in self.models]

    def scores(self, batch: Sequence[Example]) -> list[TeacherScores]:
        """The scores of each example, computed once per example."""
        new = [example for example in batch if _key(example) not in self._cache]
        if new:
            self._score(new)
        return [self._cache[_key(example)] for example in batch]

    @torch.no_grad()
    def _score(self, batch: Sequence[Example]) -> None:
        for example in batch:
            self.prepare(example)
        prepared = [self._prepared[_key(example)] for example in batch]
        texts = zip(*prepared, strict=True)
        read = [model.read(own) for model, own in zip(self.models, texts, strict=True)]
        heads = [model.model.head for model in self.models]
        if len(heads) == 1:
            scores = teacher_scores(heads[0], *read[0])
        else:
            scores = ensemble_scores(heads, [own for own, _ in read], [v for _, v in read])
        for example, each in zip(batch, scores.split([len(e) for e in batch]), strict=True):
            self._cache[_key(example)] = each
            self._prepared.pop(_key(example), None)


def _key(example: Example) -> object:
    return example.texts, example.scheme
