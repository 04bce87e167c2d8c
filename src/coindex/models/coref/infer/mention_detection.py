"""Mention detection: which spans of a window are mentions, and a vector for each.

The formulas are those of `network.Head.mentions` and `network.Head.vectors`; a test compares
the results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coindex.models.common.inference import gelu, layer_norm
from coindex.models.coref.artifact import CorefMetadata, HeadWeights
from coindex.models.coref.features import SpanFeatures, SpanFeaturizer
from coindex.models.coref.infer.encoder import WordRows

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DetectedMentions:
    """Detected mentions: their spans, the logits of being a mention, and their vectors."""

    spans: SpanFeatures
    logits: Floats
    vectors: Floats


def detect_spans(
    rows: WordRows, starts: Ints, width: int, head: HeadWeights, threshold: float
) -> tuple[Ints, Ints, Floats]:
    """The spans of at most `width` words with a logit above the threshold: starts, ends, logits.

    starts  the first word of each sentence in the window, among them the window's first word
    """
    widths = head["width_score.weight"][:, 0]
    parts: list[tuple[Ints, Ints, Floats]] = []
    for first, last in zip(starts, np.append(starts[1:], len(rows.start)), strict=True):
        count = int(last - first)
        scores = rows.left[first:last] @ rows.ends[first:last].T
        scores += rows.start[first:last, None] + rows.end[first:last]
        offsets = np.arange(count) - np.arange(count)[:, None]
        inside = (offsets >= 0) & (offsets < width)
        scores += widths[np.where(inside, offsets, 0)]
        begin, end = np.nonzero(inside & (scores > threshold))
        parts.append((begin + first, end + first + 1, scores[begin, end]))
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, np.zeros(0, dtype=np.float32)
    begins, ends, logits = (np.concatenate(part) for part in zip(*parts, strict=True))
    return begins, ends, logits


def mention_vectors(rows: WordRows, spans: SpanFeatures, offset: int, head: HeadWeights) -> Floats:
    """The vectors of spans; `offset` is the window's first word in the text."""
    starts, ends = spans.starts - offset, spans.ends - offset
    if not len(starts):
        return np.zeros((0, head["span.weight"].shape[0]), dtype=np.float32)
    joined = np.concatenate([rows.x[starts], rows.x[ends - 1], _pooled(rows, starts, ends)], -1)
    mixed = head.linear("span", joined) + head["classes.weight"][spans.classes]
    mixed += head["widths.weight"][ends - starts - 1]
    return layer_norm(gelu(mixed), head["span_norm.weight"], head["span_norm.bias"])


def _pooled(rows: WordRows, starts: Ints, ends: Ints) -> Floats:
    """The attention-weighted mean of the word vectors of each span."""
    lengths = ends - starts
    borders = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    words = np.arange(lengths.sum()) - np.repeat(borders - starts, lengths)
    weights = rows.attend[words]
    weights = np.exp(weights - np.repeat(np.maximum.reduceat(weights, borders), lengths))
    weights /= np.repeat(np.add.reduceat(weights, borders), lengths)
    pooled: Floats = np.add.reduceat(rows.x[words] * weights[:, None], borders, axis=0)
    return pooled


def _with_wanted(
    begins: Ints, ends: Ints, logits: Floats, wanted: Iterable[tuple[int, int]], least: float
) -> tuple[Ints, Ints, Floats]:
    """The spans in reading order, with those that are wanted and not among them."""
    known = set(zip(begins.tolist(), ends.tolist(), strict=True))
    more = sorted({place for place in wanted if place not in known})
    added = np.array(more, dtype=np.int64).reshape(-1, 2)
    begins, ends = np.append(begins, added[:, 0]), np.append(ends, added[:, 1])
    logits = np.append(logits, np.full(len(more), least, dtype=np.float32)).astype(np.float32)
    order = np.lexsort((ends, begins))
    return begins[order], ends[order], logits[order]


def detect_mentions(
    rows: WordRows, featurizer: SpanFeaturizer, first: int, starts: Ints, metadata: CorefMetadata, head: HeadWeights,
    threshold: float = 0.0, wanted: Iterable[tuple[int, int]] = (),
) -> DetectedMentions:  # fmt: skip
    """The mentions of one window, whose first new word is `first` in the text.

    wanted   spans of the text that are mentions whatever their logits are, unless they are longer
             than any that the model knows
    """
    begins, ends, logits = detect_spans(rows, starts, metadata.width, head, threshold)
    size = len(rows.start)
    inside = [
        (b - first, e - first)
        for b, e in wanted
        if first <= b and e <= first + size and e - b <= metadata.width
    ]
    if inside:
        begins, ends, logits = _with_wanted(begins, ends, logits, inside, threshold)
    spans = featurizer.spans(begins + first, ends + first)
    return DetectedMentions(spans, logits, mention_vectors(rows, spans, first, head))
