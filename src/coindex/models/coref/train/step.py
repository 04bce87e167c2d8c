"""One training step: batches of examples through the model, and their losses.

    mentions     binary cross-entropy over all spans within sentences
    antecedents  -log of the probability of all right antecedents together; a mention
                 that has none must choose none (Lee et al. 2017)
    clues        -log of the probability that the pronoun's chain reaches the right
                 name, and that it does not reach the wrong one: with P the matrix of
                 antecedent probabilities, (I - P)^-1 says which mentions a chain visits

All are sums over a batch, divided by the number of mentions concerned. The loss against a
teacher is in `teacher`.

The CPU waits for the device once per step, for the spans to score (`select_spans`): what depends on
them and not on the weights is computed on the CPU and sent in a few arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from coindex.models.coref.network import BlockTensors, Head, Model, SpanTensors, take_rows
from coindex.models.coref.pair_blocks import pair_blocks
from coindex.models.coref.train.batch import EncoderInput, pack_windows, pad_windows
from coindex.models.coref.train.examples import Example, Ints

ROW = 512
"""The most subwords of a row that several windows share."""
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
class SelectedSpans:
    """The spans of an example that are scored as mentions, in the order of the text.

    keys       start * width + length - 1 of each
    longest    the length of the longest
    """

    keys: Ints
    longest: int
    tensors: SpanTensors
    blocks: BlockTensors

    def __len__(self) -> int:
        return len(self.keys)

    def indices(self, spans: Ints, width: int) -> tuple[Ints, Ints]:
        """The index of each of some spans, given as (start, end), and whether it is selected."""
        keys = span_keys(spans, width)
        at = np.searchsorted(self.keys, keys).clip(max=max(len(self.keys) - 1, 0))
        narrow = spans[:, 1] - spans[:, 0] <= width
        found = (self.keys[at] == keys) & narrow if len(self.keys) else np.zeros(len(keys), bool)
        return at, found


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
    spans: SelectedSpans
    pairs: Tensor
    antecedents: Tensor


def shared_row(model: Model, device: torch.device) -> int:
    """The most subwords of a row that windows share; 0 where each has a row of its own."""
    return ROW if model.shares_rows and device.type == "cuda" else 0


def encode(model: Model, batch: Sequence[Example], device: torch.device) -> list[Tensor]:
    """The word vectors of each example."""
    windows = [window for example in batch for window in example.windows]
    row = shared_row(model, device)
    packed = pack_windows(windows, row) if row else pad_windows(windows)
    vectors = encode_windows(model, packed, device)
    return list(torch.split(vectors, [len(example) for example in batch]))


def encode_windows(model: Model, windows: EncoderInput, device: torch.device) -> Tensor:
    """The vectors of the words of windows, in the order of the windows."""
    parts = []
    for rows in windows.groups:
        subwords, segments, places = to(
            np.stack([rows.subwords, rows.segments, rows.positions]), device
        )
        positions = places if rows.shared else None
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            parts.append(model.encode(subwords, segments, to(rows.words, device), positions))
    vectors = torch.cat(parts) if len(parts) > 1 else parts[0]
    return vectors if windows.order is None else take_rows(vectors, to(windows.order, device))


def score_words(head: Head, example: Example, vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The words' vectors with shapes and schemes, the logits of spans, and which are inside."""
    schemes = example.schemes
    if schemes is None:
        schemes = np.full(len(example), example.scheme)
    shapes, last, schemes_ = to(
        np.stack([example.words.shapes, example.last, schemes]), vectors.device
    )
    x = head.words(vectors, shapes, schemes_)
    return (x, *head.mentions(x, last))


def score_example(
    head: Head, example: Example, vectors: Tensor, keep: Ints | None = None
) -> ExampleScores:
    """Mentions and antecedents of one example.

    keep    the keys of the spans to score, in ascending order; the likely ones and the annotated
            ones by default
    """
    x, logits, inside = score_words(head, example, vectors)
    keys = select_spans(logits, inside, example) if keep is None else keep
    spans = selected_spans(example, keys, head.shape.width, vectors.device)
    m = head.vectors(x, spans.tensors, spans.longest)
    pairs, antecedents = head.pairs(m, spans.tensors, spans.blocks)
    return ExampleScores(logits, inside, spans, pairs, antecedents)


def selected_spans(example: Example, keys: Ints, width: int, device: torch.device) -> SelectedSpans:
    """The features of spans and their blocks, on a device."""
    starts = keys // width
    ends = starts + keys % width + 1
    features = example.featurizer.spans(starts, ends)
    columns = [getattr(features, field.name) for field in fields(SpanTensors)]
    blocks = pair_blocks(example.parts[starts])
    *tensors, places = to(np.stack([*columns, blocks.places]), device)
    grids = to(np.stack([blocks.spans, blocks.parts]), device)
    longest = int((ends - starts).max(initial=1))
    return SelectedSpans(
        keys, longest, SpanTensors(*tensors), BlockTensors(places, grids[0], grids[1])
    )


def select_spans(logits: Tensor, inside: Tensor, example: Example) -> Ints:
    """The keys of the spans to score: likely ones, at most 0.4 per word, and annotated ones.

    Documents and partially annotated passages have their own thresholds, and their own share.
    """
    width = logits.shape[1]
    scores = logits.detach().masked_fill(~inside, float("-inf"))
    likely = []
    for first, last, threshold in (
        (0, example.annotated, KEEP),
        (example.annotated, len(example), 0.0),
    ):
        if first < last:
            flat = scores[first:last].flatten()
            best, which = flat.topk(min(int(0.4 * (last - first)) + 1, len(flat)))
            likely.append(torch.where(best > threshold, which + first * width, -1))
    found = torch.cat(likely).cpu().numpy()
    known = np.concatenate([example.spans, example.clues.arrays.spans])
    narrow = known[known[:, 1] - known[:, 0] <= width]
    return np.unique(np.concatenate([found[found >= 0], span_keys(narrow, width)]))


def span_keys(spans: Ints, width: int) -> Ints:
    """The keys of spans, given as (start, end): the indices of their logits."""
    keys: Ints = spans[:, 0] * width + spans[:, 1] - spans[:, 0] - 1
    return keys


def losses(head: Head, example: Example, vectors: Tensor) -> Losses:
    """The losses of one labelled example."""
    scores = score_example(head, example, vectors)
    total = Losses.none(vectors.device)
    if example.annotated:
        total.mention, total.mentions = _all_mentions(scores, example), len(example.spans)
        total.antecedent, total.anaphors = _antecedents(scores, example), len(example.spans)
    if example.clues:
        certain, count = _certain_mentions(scores, example)
        total.mention, total.mentions = total.mention + certain, total.mentions + count
        total.clue, total.clues = _clues(scores, example), len(example.clues)
    return total


def _all_mentions(scores: ExampleScores, example: Example) -> Tensor:
    """The loss of all spans of the words whose mentions are annotated."""
    logits = scores.logits[: example.annotated]
    keys = span_keys(example.spans, logits.shape[1])
    gold = torch.zeros_like(logits).flatten()
    gold = gold.index_fill(0, to(keys, logits.device), 1.0).view_as(logits)
    each = functional.binary_cross_entropy_with_logits(logits, gold, reduction="none")
    return (each * scores.inside[: example.annotated]).sum()


def _antecedents(scores: ExampleScores, example: Example) -> Tensor:
    """The loss of the antecedents of annotated documents, which are first in a batch."""
    width = scores.logits.shape[1]
    count = int(np.searchsorted(scores.spans.keys, example.annotated * width))
    entities = _entities(scores.spans, example, width)[:count]
    first = np.unique(entities, return_index=True)[1]
    has = entities >= 0
    has[first] = False
    entity, has_earlier = to(np.stack([entities, has]), scores.logits.device)
    scored = scores.pairs[:count]
    antecedents = scores.antecedents[:count].clamp(max=max(count - 1, 0))  # those of score -inf
    same = entity[antecedents] == entity[:, None]
    right = same & (entity[:, None] >= 0) & (scored > float("-inf"))
    null = torch.zeros_like(scored[:, :1])
    every = torch.cat([null, scored], -1).logsumexp(-1)
    hit = right.any(-1)
    good = torch.cat([null.masked_fill(hit[:, None], float("-inf")),
                      scored.masked_fill(~right, float("-inf"))], -1)  # fmt: skip
    lost = every - good.logsumexp(-1)
    return torch.where((has_earlier == 0) | hit, lost, 0.0).sum()


def _entities(spans: SelectedSpans, example: Example, width: int) -> Ints:
    """The entity of each span; -1 for those that are no gold mentions."""
    entities = np.full(len(spans), -1, dtype=np.int64)
    at, found = spans.indices(example.spans, width)
    entities[at[found]] = example.entities[found]
    return entities


def _certain_mentions(scores: ExampleScores, example: Example) -> tuple[Tensor, int]:
    """Pronouns and right names are mentions in every scheme, parts of names in none."""
    known, inner = example.clues.arrays.mentions, example.clues.arrays.inner
    if not len(known):
        return scores.logits.sum() * 0.0, 0
    keys = span_keys(np.concatenate([known, inner]), scores.logits.shape[1])
    logits = scores.logits.flatten().index_select(0, to(keys, scores.logits.device))
    signed = torch.cat([-logits[: len(known)], logits[len(known) :]])
    return functional.softplus(signed).sum(), len(known)


def chain_probabilities(pairs: Tensor, antecedents: Tensor) -> Tensor:
    """(..., spans, spans): the probability that the row's chain of antecedents visits the column.

    pairs, antecedents   (..., spans, antecedents): scores, and which spans they are of
    """
    null = torch.zeros_like(pairs[..., :1])
    chances = torch.cat([null, pairs], -1).softmax(-1)[..., 1:]
    shape = *pairs.shape[:-1], pairs.shape[-2]
    matrix = torch.zeros(shape, device=pairs.device).scatter_add(-1, antecedents, chances)
    eye = torch.eye(shape[-1], device=pairs.device)
    visits: Tensor = torch.linalg.solve_triangular(
        eye - matrix, eye.expand(shape), upper=False, unitriangular=True
    )
    return visits


def _clues(scores: ExampleScores, example: Example) -> Tensor:
    """The loss of all clues at once, since there are many and each is tiny."""
    arrays, spans = example.clues.arrays, scores.spans
    width, device = scores.logits.shape[1], scores.logits.device
    first = int(np.searchsorted(spans.keys, example.annotated * width))
    pronouns, _ = spans.indices(arrays.pronouns, width)
    others, found = spans.indices(arrays.others, width)
    blocks = pair_blocks(example.parts[spans.keys[first:] // width])
    size = blocks.spans.shape[1]
    later, earlier = (
        blocks.places[of(pronouns, others)[found] - first] for of in (np.maximum, np.minimum)
    )
    links = to(np.stack([later, earlier % size, arrays.groups[found]]), device)
    visits = _visits(scores, first, to(blocks.places, device), blocks.spans.shape)
    each = visits.flatten().index_select(0, links[0] * size + links[1])
    linked = visits.new_zeros(len(arrays.right)).index_add(0, links[2], each)
    good = to(arrays.right, device) > 0
    return torch.where(good, -(linked + 1e-6).log(), _against(linked)).sum()


def _visits(scores: ExampleScores, first: int, places: Tensor, shape: tuple[int, ...]) -> Tensor:
    """(blocks, size, size): the chains of the spans from `first` on, within their blocks."""
    blocks, size = shape
    pairs, antecedents = scores.pairs[first:], scores.antecedents[first:] - first
    valid = pairs > float("-inf")
    local = torch.where(valid, places[antecedents.clamp(min=0)] % size, 0)
    cells = blocks * size
    grid = pairs.new_full((cells, pairs.shape[1]), float("-inf")).index_copy(0, places, pairs)
    which = local.new_zeros(cells, local.shape[1]).index_copy(0, places, local)
    return chain_probabilities(grid.view(blocks, size, -1), which.view(blocks, size, -1))


def _against(chance: Tensor) -> Tensor:
    """-log(1 - chance); a straight line from 0.99 on, since visits can add up to more than 1."""
    low = chance.clamp(max=0.99)
    return -(1 - low).log() + 100 * (chance - low)


def to(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device; the CPU does not wait for the copy."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
