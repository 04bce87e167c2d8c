"""The coreference model: mentions by start and end, antecedents from coarse to fine.

    words      x_w = encoder's vector of the word's first subword + its shape + the scheme
    mentions   f(i, j) = u·s_i + v·e_j + s_i B e_j + width, s and e two projections of x
               (Kirstain et al. 2021, "Coreference resolution without span representations")
    a span     m = LayerNorm(GELU(W [x_start; x_end; x_pooled; width; class]))
    coarse     c(a, b) = m_a C m_b / sqrt(d) + biases of the pair's relations
    fine       r(a, b) = c(a, b) + w·GELU(P m_a + Q m_b + R (m_a * m_b) + relations)
               for the few antecedents that are best by c (Lee et al. 2018)

A span with f above the scheme's threshold is a mention. Its antecedents vote for entities by
r, see `infer.decode`; starting a new entity scores 0. Shapes are given as (words, d).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, cast

import torch
from torch import Tensor, nn

from coindex.models.coref import features

_FIRST_POSITION = {"bert": 0, "mpnet": 2}
"""The position of the first subword, for encoders that take positions and masks of any kind."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model.

    schemes   the names of its annotation schemes
    hidden    the size of the mention scorer; span: of a mention's vector
    width     the maximum number of words of a mention
    fine      how many antecedents the fine scorer compares
    """

    schemes: tuple[str, ...]
    hidden: int = 256
    span: int = 256
    width: int = 30
    fine: int = 32
    dropout: float = 0.3


@dataclass(frozen=True, slots=True)
class SpanTensors:
    """The fields of `features.SpanFeatures` as tensors."""

    starts: Tensor
    ends: Tensor
    classes: Tensor
    strings: Tensor
    heads: Tensor
    firsts: Tensor
    sentences: Tensor
    speakers: Tensor

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class BlockTensors:
    """The fields of `pair_blocks.PairBlocks` as tensors."""

    places: Tensor
    spans: Tensor
    parts: Tensor

    def allowed(self) -> Tensor:
        """(blocks, size, size): whether the column is earlier than the row, in its passage."""
        same = self.parts[:, :, None] == self.parts[:, None, :]
        return same.tril(-1) & (self.parts >= 0)[:, :, None]


class _Lookup(torch.autograd.Function):
    """Rows of a small table for many indices, with a fast gradient.

    The default gradient adds equal indices one after the other, which for millions of pairs
    and twenty rows takes most of a step's time; one matrix product computes the same.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.rows = len(table)
        return table[index]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (index,), (grad,) = ctx.saved_tensors, grads
        if grad.ndim == index.ndim:
            return _sums(grad.reshape(-1), index.reshape(-1), ctx.rows), None
        flat = grad.reshape(-1, grad.shape[-1])
        ones = flat.new_zeros(len(flat), ctx.rows).scatter_(1, index.reshape(-1, 1), 1.0)
        return ones.T @ flat, None


def _sums(values: Tensor, index: Tensor, rows: int) -> Tensor:
    """The sum of the values of each index, on parallel lanes, so that few additions collide."""
    lanes = 256
    lane = torch.arange(len(values), device=values.device) % lanes
    total = torch.zeros(rows * lanes, device=values.device, dtype=values.dtype)
    return total.index_add_(0, index * lanes + lane, values).view(rows, lanes).sum(-1)


def lookup(table: Tensor, index: Tensor) -> Tensor:
    """`table[index]`, with a gradient that is fast for many equal indices."""
    rows: Tensor = _Lookup.apply(table, index)  # type: ignore[no-untyped-call, unused-ignore]
    return rows


def take_rows(values: Tensor, index: Tensor) -> Tensor:
    """`values[index]`, with a gradient that adds rows in any order, which is faster."""
    return values.index_select(0, index.reshape(-1)).view(*index.shape, *values.shape[1:])


def _table(module: nn.Module) -> Tensor:
    return cast("nn.Embedding", module).weight


class Head(nn.Module):
    """Everything above the encoder."""

    word_table: Tensor
    sentence_table: Tensor

    def __init__(self, size: int, shape: Shape) -> None:
        """`size` is the encoder's width."""
        super().__init__()
        self.shape = shape
        self.shapes = nn.Embedding(len(features.SHAPES), size)
        self.schemes = nn.Embedding(len(shape.schemes), size)
        self.norm = nn.LayerNorm(size)
        self.drop = nn.Dropout(shape.dropout)
        self.start = nn.Linear(size, shape.hidden)
        self.end = nn.Linear(size, shape.hidden)
        self.start_score = nn.Linear(shape.hidden, 1)
        self.end_score = nn.Linear(shape.hidden, 1)
        self.biaffine = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.width_score = nn.Embedding(shape.width, 1)
        self.attend = nn.Linear(size, 1)
        self.classes = nn.Embedding(len(features.CLASSES), shape.span)
        self.widths = nn.Embedding(shape.width, shape.span)
        self.span = nn.Linear(3 * size, shape.span)
        self.span_norm = nn.LayerNorm(shape.span)
        self.coarse = nn.Linear(shape.span, shape.span, bias=False)
        self.coarse_bias = nn.ModuleDict(
            {n: nn.Embedding(k, 1) for n, k in features.PAIR_FEATURE_SIZES.items()}
        )
        self.later = nn.Linear(shape.span, shape.span)
        self.earlier = nn.Linear(shape.span, shape.span, bias=False)
        self.both = nn.Linear(shape.span, shape.span, bias=False)
        self.relation = nn.ModuleDict(
            {n: nn.Embedding(k, shape.span) for n, k in features.PAIR_FEATURE_SIZES.items()}
        )
        self.fine = nn.Linear(shape.span, 1)
        self.register_buffer("word_table", torch.tensor(features.WORD_TABLE), persistent=False)
        self.register_buffer(
            "sentence_table", torch.tensor(features.SENTENCE_TABLE), persistent=False
        )
        self._initialise()

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
        for bias in (self.coarse_bias, self.relation):
            for table in bias.values():
                nn.init.zeros_(_table(table))
        nn.init.zeros_(self.width_score.weight)
        nn.init.constant_(self.end_score.bias, -2.0)

    def words(self, vectors: Tensor, shapes: Tensor, scheme: Tensor) -> Tensor:
        """The vectors of words, (words, size), with their shapes and the scheme."""
        mixed = vectors.float() + lookup(self.shapes.weight, shapes)
        mixed = mixed + lookup(self.schemes.weight, scheme)
        made: Tensor = self.drop(self.norm(mixed))
        return made

    def mentions(self, x: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
        """The logit of each span, (words, width), and which of them lie in a sentence.

        last    one past the last word of each word's sentence
        """
        count, width = len(x), self.shape.width
        starts = nn.functional.gelu(self.start(x))
        ends = nn.functional.gelu(self.end(x))
        first = torch.arange(count, device=x.device)[:, None]
        inside = first + torch.arange(width, device=x.device) < last[:, None]
        left = self.biaffine(self.drop(starts)) / math.sqrt(self.shape.hidden)
        padded = nn.functional.pad(ends, (0, 0, 0, width - 1))
        pairs = torch.einsum("nh,nhw->nw", left, padded.unfold(0, width, 1))
        tails = nn.functional.pad(self.end_score(ends)[:, 0], (0, width - 1)).unfold(0, width, 1)
        return pairs + self.start_score(starts) + tails + self.width_score.weight[:, 0], inside

    def vectors(self, x: Tensor, spans: SpanTensors, longest: int | None = None) -> Tensor:
        """The vectors of spans, (spans, span).

        longest     the length of the longest span; computed if it is not given
        """
        starts, ends = spans.starts, spans.ends
        lengths = ends - starts
        if longest is None:
            longest = int(lengths.max()) if len(lengths) else 1
        offsets = torch.arange(longest, device=x.device)
        words = (starts[:, None] + offsets).clamp(max=len(x) - 1)
        weights = take_rows(self.attend(x), words)[..., 0]
        weights = weights.masked_fill(offsets >= lengths[:, None], -1e4)
        pooled = torch.einsum("sw,swd->sd", weights.softmax(-1), take_rows(x, words))
        joined = self.span(torch.cat([take_rows(x, starts), take_rows(x, ends - 1), pooled], -1))
        joined = joined + lookup(self.classes.weight, spans.classes)
        joined = joined + lookup(self.widths.weight, lengths - 1)
        made: Tensor = self.drop(self.span_norm(nn.functional.gelu(joined)))
        return made

    def pairs(self, m: Tensor, spans: SpanTensors, blocks: BlockTensors) -> tuple[Tensor, Tensor]:
        """The scores of the best antecedents, (spans, fine), and which spans they are.

        The antecedents of a span are the earlier ones of its passage. Entries without an
        antecedent have the score -inf.
        """
        if not len(m):
            return m.new_zeros(0, 0), blocks.places.new_zeros(0, 0)
        count, size = blocks.spans.shape
        grid = m.new_zeros(count * size, m.shape[1]).index_copy(0, blocks.places, m)
        grid = grid.view(count, size, -1)
        each = [getattr(spans, field.name)[blocks.spans] for field in fields(spans)]
        rows, columns = (
            SpanTensors(*(c[:, :, None] for c in each)),
            SpanTensors(*(c[:, None, :] for c in each)),
        )
        index = features.pair_features(rows, columns, self.word_table, self.sentence_table)
        coarse = self.coarse(grid) @ grid.transpose(1, 2) / math.sqrt(self.shape.span)
        coarse = self._with_biases(coarse, index).masked_fill(~blocks.allowed(), float("-inf"))
        best, which = coarse.topk(min(self.shape.fine, size), dim=-1)
        best, antecedents, *near = (
            value.flatten(0, 1)[blocks.places]
            for value in (
                best,
                blocks.spans.gather(1, which.flatten(1)).view_as(which),
                *(value.gather(-1, which) for value in index),
            )
        )
        return self._fine(m, tuple(near), best, antecedents), antecedents

    def pairs_at(self, m: Tensor, spans: SpanTensors, which: Tensor, valid: Tensor) -> Tensor:
        """The scores of given antecedents, such as those that a teacher scored."""
        each = [getattr(spans, field.name) for field in fields(spans)]
        later = SpanTensors(*(c[:, None] for c in each))
        earlier = SpanTensors(*(c[which] for c in each))
        index = features.pair_features(later, earlier, self.word_table, self.sentence_table)
        coarse = torch.einsum("sd,swd->sw", self.coarse(m), take_rows(m, which))
        coarse = self._with_biases(coarse / math.sqrt(self.shape.span), index)
        return self._fine(m, index, coarse.masked_fill(~valid, float("-inf")), which)

    def _with_biases(self, scores: Tensor, index: tuple[Tensor, ...]) -> Tensor:
        """Scores with the biases of the relations of their pairs."""
        for name, value in zip(features.PAIR_FEATURE_SIZES, index, strict=True):
            scores = scores + lookup(_table(self.coarse_bias[name])[:, 0], value)
        return scores

    def _fine(self, m: Tensor, index: tuple[Tensor, ...], best: Tensor, which: Tensor) -> Tensor:
        earlier = take_rows(m, which)
        mixed = self.later(m)[:, None] + self.both(m[:, None] * earlier) + self.earlier(earlier)
        for name, value in zip(features.PAIR_FEATURE_SIZES, index, strict=True):
            mixed = mixed + lookup(_table(self.relation[name]), value)
        scores: Tensor = best + self.fine(self.drop(nn.functional.gelu(mixed)))[..., 0]
        return scores.masked_fill(best == float("-inf"), float("-inf"))


class Model(nn.Module):
    """An encoder with a head."""

    def __init__(self, encoder: nn.Module, shape: Shape) -> None:
        """`encoder` is a transformers model."""
        super().__init__()
        self.encoder: Any = encoder
        config: Any = encoder.config
        self.head = Head(int(config.hidden_size), shape)

    @property
    def shares_rows(self) -> bool:
        """Whether the encoder can read several windows in a row: see `encode`."""
        return self.encoder.config.model_type in _FIRST_POSITION

    def encode(
        self, subwords: Tensor, segments: Tensor, words: Tensor, positions: Tensor | None = None
    ) -> Tensor:
        """The vectors of words, (words, size), of padded rows of subwords, (rows, length).

        segments    the number of each subword's window in its row; 0 for padding
        words       the index of each word's first subword in the flattened rows
        positions   the index of each subword in its window; given if rows have several windows,
                    which then attend to themselves alone
        """
        options = {"attention_mask": (segments > 0).long()}
        if positions is not None:
            config = self.encoder.config
            own = (segments[:, :, None] == segments[:, None, :])[:, None]
            if config._attn_implementation != "sdpa":  # then masks are added to the scores
                own = torch.zeros(own.shape, device=own.device).masked_fill(~own, -1e4)
            first = _FIRST_POSITION[config.model_type]
            options = {"attention_mask": own, "position_ids": positions + first}
        hidden: Tensor = self.encoder(input_ids=subwords, **options).last_hidden_state
        return take_rows(hidden.flatten(0, 1), words)
