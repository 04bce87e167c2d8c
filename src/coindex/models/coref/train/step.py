"""One training step: batches of examples through the model, and their losses.

    mentions     binary cross-entropy over all spans within sentences
    antecedents  -log of the probability of all right antecedents together; a mention
                 that has none must choose none (Lee et al. 2017)
    clues        -log of the probability that the pronoun's chain reaches the right
                 name, and that it does not reach the wrong one: with P the matrix of
                 antecedent probabilities, (I - P)^-1 says which mentions a chain visits

All are sums over a batch, divided by the number of mentions concerned. The loss against a
teacher is in `teacher`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from coindex.models.coref.network import Head, Model, SpanTensors
from coindex.models.coref.train.examples import Example, Ints
from coindex.models.coref.windows import Window

_LENGTHS = (64, 128, 256)
"""Windows up to each of these lengths are padded alike: short ones would be mostly padding."""
KEEP = -1.5
"""Spans with a lower logit are not scored as mentions in training, unless they are gold."""


@dataclass(slots=True)
class Losses:
    """Sums of losses, and the counts to divide them by."""

    mention: Tensor
    antecedent: Tensor
    clue: Tensor
    mentions: int = 0
    anaphors: int = 0
    clues: int = 0

    @classmethod
    def none(cls, device: torch.device) -> Losses:
        """Losses of 0."""
        mention, antecedent, clue = (torch.zeros((), device=device) for _ in range(3))
        return cls(mention, antecedent, clue)

    def add(self, other: Losses) -> None:
        """Add the sums and counts of other losses."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def total(self, clue_weight: float) -> Tensor:
        """The loss to minimise."""
        full = self.mention / max(self.mentions, 1) + self.antecedent / max(self.anaphors, 1)
        return full + clue_weight * self.clue / max(self.clues, 1)

    def means(self) -> dict[str, Tensor]:
        """The mean of each loss, for the log."""
        return {
            "mention": self.mention.detach() / max(self.mentions, 1),
            "antecedent": self.antecedent.detach() / max(self.anaphors, 1),
            "clue": self.clue.detach() / max(self.clues, 1),
        }


@dataclass(frozen=True, slots=True)
class ExampleScores:
    """The scores of one example.

    logits       of all spans, (words, width); inside: which of them lie in a sentence
    spans        those that were scored as mentions
    pairs        the scores of their best antecedents, (spans, antecedents)
    antecedents  the indices of those antecedents
    """

    logits: Tensor
    inside: Tensor
    spans: SpanTensors
    pairs: Tensor
    antecedents: Tensor


def encode(model: Model, batch: Sequence[Example], device: torch.device) -> list[Tensor]:
    """The word vectors of each example; windows of similar length are encoded together."""
    rows = [window for example in batch for window in example.windows]
    groups: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(bisect_left(_LENGTHS, len(row)), []).append(number)
    parts: list[Tensor] = []
    order: list[int] = []
    for _, numbers in sorted(groups.items()):
        parts += _encode_rows(model, [rows[number] for number in numbers], device)
        order += numbers
    by_row = dict(zip(order, parts, strict=True))
    vectors = torch.cat([by_row[number] for number in range(len(rows))])
    return list(torch.split(vectors, [len(example) for example in batch]))


def _encode_rows(model: Model, rows: Sequence[Window], device: torch.device) -> list[Tensor]:
    """The word vectors of each window, padded to the longest of them."""
    longest = max(len(row) for row in rows)
    subwords = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    positions = []
    for number, row in enumerate(rows):
        subwords[number, : len(row)] = row.subwords
        mask[number, : len(row)] = 1
        positions.append(row.positions + number * longest)
    inputs = (to(subwords, device), to(mask, device), to(np.concatenate(positions), device))
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        vectors = model.encode(*inputs)
    return list(torch.split(vectors, [len(row.positions) for row in rows]))


def score_example(
    head: Head, example: Example, vectors: Tensor, keep: Tensor | None = None
) -> ExampleScores:
    """Mentions and antecedents of one example.

    keep    which spans to score, (spans, 2); the likely ones and the gold ones by default
    """
    device = vectors.device
    x = head.words(vectors, to(example.words.shapes, device), scheme_tensor(example, device))
    logits, inside = head.mentions(x, to(example.last, device))
    chosen = keep if keep is not None else _chosen(logits, inside, example)
    features = example.featurizer.spans(*chosen.cpu().numpy().T)
    names = [field.name for field in fields(SpanTensors)]
    spans = SpanTensors(*(to(getattr(features, name), device) for name in names))
    m = head.vectors(x, spans)
    pairs, antecedents = head.pairs(m, spans, allowed_antecedents(example, spans))
    return ExampleScores(logits, inside, spans, pairs, antecedents)


def scheme_tensor(example: Example, device: torch.device) -> Tensor:
    """The scheme of an example, or of each word of a merged one."""
    return torch.as_tensor(
        example.scheme if example.schemes is None else example.schemes, device=device
    )


def allowed_antecedents(example: Example, spans: SpanTensors) -> Tensor:
    """Whether the column may be the antecedent of the row: earlier, and in the same passage."""
    count = len(spans)
    before = torch.ones(count, count, dtype=torch.bool, device=spans.starts.device).tril(-1)
    if not example.parts.any():
        return before
    parts = to(example.parts, spans.starts.device)[spans.starts]
    return before & (parts[:, None] == parts[None, :])


def losses(head: Head, example: Example, vectors: Tensor) -> Losses:
    """The losses of one labelled example."""
    scores = score_example(head, example, vectors)
    total = Losses.none(vectors.device)
    if example.clues:
        total.mention, total.mentions = _known_mentions(scores, example)
        total.clue, total.clues = _clues(scores, example)
        return total
    gold = torch.zeros_like(scores.logits)
    spans = to(example.spans, vectors.device)
    gold[spans[:, 0], spans[:, 1] - spans[:, 0] - 1] = 1.0
    each = functional.binary_cross_entropy_with_logits(scores.logits, gold, reduction="none")
    total.mention, total.mentions = (each * scores.inside).sum(), len(spans)
    total.antecedent, total.anaphors = _antecedents(scores, example), len(spans)
    return total


def _antecedents(scores: ExampleScores, example: Example) -> Tensor:
    entity = _entities(scores.spans, example)
    pairs = entity[scores.antecedents]
    valid = scores.pairs > float("-inf")
    right = (pairs == entity[:, None]) & (entity[:, None] >= 0) & valid
    count = len(entity)
    earlier = torch.ones(count, count, dtype=torch.bool, device=entity.device).tril(-1)
    has = ((entity[:, None] == entity[None, :]) & earlier).any(-1) & (entity >= 0)
    null = torch.zeros_like(scores.pairs[:, :1])
    every = torch.cat([null, scores.pairs], -1).logsumexp(-1)
    hit = right.any(-1)
    good = torch.cat([null.masked_fill(hit[:, None], float("-inf")),
                      scores.pairs.masked_fill(~right, float("-inf"))], -1)  # fmt: skip
    lost = every - good.logsumexp(-1)
    return torch.where(~has | hit, lost, 0.0).sum()


def _entities(spans: SpanTensors, example: Example) -> Tensor:
    """The entity of each span; -1 for those that are no gold mentions."""
    device = spans.starts.device
    if not len(example.spans):
        return torch.full_like(spans.starts, -1)
    size = len(example) + 1
    keys = example.spans[:, 0] * size + example.spans[:, 1]
    order = np.argsort(keys, kind="stable")
    known, numbers = to(keys[order], device), to(example.entities[order], device)
    keys_of_spans = spans.starts * size + spans.ends
    at = torch.searchsorted(known, keys_of_spans).clamp(max=len(known) - 1)
    return torch.where(known[at] == keys_of_spans, numbers[at], -1)


def _known_mentions(scores: ExampleScores, example: Example) -> tuple[Tensor, int]:
    """Pronouns and right names are mentions in every scheme, parts of names in none."""
    certain = [clue for clue in example.clues if not clue.link]
    known = [span for clue in certain for span in (clue.pronoun, *clue.names)]
    inner = [span for clue in certain for span in clue.inner]
    if not known:
        return scores.logits.sum() * 0.0, 0
    spans = torch.tensor(known + inner, device=scores.logits.device)
    logits = scores.logits[spans[:, 0], spans[:, 1] - spans[:, 0] - 1]
    signs = torch.ones_like(logits)
    signs[: len(known)] = -1
    return functional.softplus(signs * logits).sum(), len(known)


def chain_probabilities(scores: ExampleScores) -> Tensor:
    """(spans, spans): the probability that the row's chain of antecedents visits the column."""
    count = len(scores.spans)
    null = torch.zeros_like(scores.pairs[:, :1])
    chances = torch.cat([null, scores.pairs], -1).softmax(-1)[:, 1:]
    matrix = torch.zeros(count, count, device=scores.pairs.device)
    matrix = matrix.scatter_add(1, scores.antecedents, chances)
    eye = torch.eye(count, device=matrix.device)
    visits: Tensor = torch.linalg.solve_triangular(
        eye - matrix, eye, upper=False, unitriangular=True
    )
    return visits


def _clues(scores: ExampleScores, example: Example) -> tuple[Tensor, int]:
    """The loss of all clues at once, since there are many and each is tiny."""
    visits = chain_probabilities(scores)
    pairs = zip(scores.spans.starts.tolist(), scores.spans.ends.tolist(), strict=True)
    index = {span: number for number, span in enumerate(pairs)}
    later: list[int] = []
    earlier: list[int] = []
    group: list[int] = []
    signs: list[bool] = []
    for clue in example.clues:
        pronoun = index[clue.pronoun]
        for spans, right in ((clue.right, True), (clue.wrong, False)):
            if not spans:
                continue
            for other in (index[span] for span in spans if span in index):
                if other != pronoun:
                    later.append(max(pronoun, other))
                    earlier.append(min(pronoun, other))
                    group.append(len(signs))
            signs.append(right)
    linked = visits.new_zeros(len(signs))
    if group:
        each = visits.flatten()[torch.tensor(later, device=visits.device) * len(visits)
                                 + torch.tensor(earlier, device=visits.device)]  # fmt: skip
        linked = linked.index_add(0, torch.tensor(group, device=visits.device), each)
    good = torch.tensor(signs, device=visits.device)
    return torch.where(good, -(linked + 1e-6).log(), _against(linked)).sum(), len(example.clues)


def _against(chance: Tensor) -> Tensor:
    """-log(1 - chance); a straight line from 0.99 on, since visits can add up to more than 1."""
    low = chance.clamp(max=0.99)
    return -(1 - low).log() + 100 * (chance - low)


def _chosen(logits: Tensor, inside: Tensor, example: Example) -> Tensor:
    """The spans to score: likely ones, at most 0.4 per word, and all that are annotated."""
    flat = logits.detach().masked_fill(~inside, float("-inf")).flatten()
    best, which = flat.topk(min(int(0.4 * len(example)) + 1, len(flat)))
    which = which[best > (0.0 if example.clues else KEEP)]
    width = logits.shape[1]
    rows = [*map(tuple, example.spans.tolist())]
    for clue in example.clues:
        rows += [clue.pronoun, *clue.right, *clue.wrong]
    narrow = [row for row in rows if row[1] - row[0] <= width]
    known = np.array(narrow, dtype=np.int64).reshape(-1, 2)
    flat_known = known[:, 0] * width + known[:, 1] - known[:, 0] - 1
    every = torch.unique(torch.cat([which, to(flat_known, logits.device)]))
    starts = torch.div(every, width, rounding_mode="floor")
    return torch.stack([starts, starts + every % width + 1], -1)


def to(array: Ints, device: torch.device) -> Tensor:
    """An array as a tensor on a device."""
    return torch.from_numpy(np.ascontiguousarray(array)).to(device, non_blocking=True)
