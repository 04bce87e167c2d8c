"""Mentions: which spans of a window's sentences are any, and a vector for each.

The same formulas as in training's `Head.mentions` and `Head.vectors`; a test
compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coindex.neural.encoder import Rows
from coindex.neural.numbers import gelu, layer_norm
from coindex.neural.package import Facts, Head
from coindex.neural.words import Phrases, Spans

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Found:
    """The mentions of a stretch of words: where, how sure, and their vectors."""

    spans: Spans
    logits: Floats
    vectors: Floats


def detect(
    rows: Rows, starts: Ints, width: int, head: Head, cut: float
) -> tuple[Ints, Ints, Floats]:
    """The spans of at most `width` words with a logit above the cut: starts, ends, logits.

    starts  the first word of each sentence in the window; a window's first word is one
    """
    widths = head["width_score.weight"][:, 0]
    found: list[tuple[Ints, Ints, Floats]] = []
    for first, last in zip(starts, np.append(starts[1:], len(rows.start)), strict=True):
        count = int(last - first)
        scores = rows.left[first:last] @ rows.ends[first:last].T
        scores += rows.start[first:last, None] + rows.end[first:last]
        offsets = np.arange(count) - np.arange(count)[:, None]
        inside = (offsets >= 0) & (offsets < width)
        scores += widths[np.where(inside, offsets, 0)]
        begin, end = np.nonzero(inside & (scores > cut))
        found.append((begin + first, end + first + 1, scores[begin, end]))
    if not found:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, np.zeros(0, dtype=np.float32)
    begins, ends, logits = (np.concatenate(part) for part in zip(*found, strict=True))
    return begins, ends, logits


def vectors(rows: Rows, spans: Spans, offset: int, head: Head) -> Floats:
    """The vectors of spans; `offset` is the window's first word in the text."""
    starts, ends = spans.starts - offset, spans.ends - offset
    if not len(starts):
        return np.zeros((0, head["span.weight"].shape[0]), dtype=np.float32)
    joined = np.concatenate([rows.x[starts], rows.x[ends - 1], _pooled(rows, starts, ends)], -1)
    mixed = head.linear("span", joined) + head["classes.weight"][spans.classes]
    mixed += head["widths.weight"][ends - starts - 1]
    return layer_norm(gelu(mixed), head["span_norm.weight"], head["span_norm.bias"])


def _pooled(rows: Rows, starts: Ints, ends: Ints) -> Floats:
    """Each span's words, weighted by how much the model attends to them."""
    lengths = ends - starts
    borders = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    words = np.arange(lengths.sum()) - np.repeat(borders - starts, lengths)
    weights = rows.attend[words]
    weights = np.exp(weights - np.repeat(np.maximum.reduceat(weights, borders), lengths))
    weights /= np.repeat(np.add.reduceat(weights, borders), lengths)
    found: Floats = np.add.reduceat(rows.x[words] * weights[:, None], borders, axis=0)
    return found


def find(
    rows: Rows, phrases: Phrases, first: int, starts: Ints, facts: Facts, head: Head,
    cut: float = 0.0,
) -> Found:  # fmt: skip
    """The mentions of one window, whose first new word is `first` in the text."""
    begins, ends, logits = detect(rows, starts, facts.width, head, cut)
    spans = phrases.spans(begins + first, ends + first)
    return Found(spans, logits, vectors(rows, spans, first, head))
