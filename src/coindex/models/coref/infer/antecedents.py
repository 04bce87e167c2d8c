"""Antecedent scores: each mention against near mentions and against earlier equal names.

A mention is compared with a fixed number of mentions before it and, beyond those, with the
latest mention of the same words and the latest of the same head. So the work grows linearly
with the text, and a name is linked at any distance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from coindex.models.common.inference import gelu
from coindex.models.coref.artifact import CorefMetadata, HeadWeights
from coindex.models.coref.features import (
    PAIR_FEATURE_SIZES,
    SENTENCE_TABLE,
    WORD_TABLE,
    SpanFeatures,
    pair_features,
)
from coindex.models.coref.infer.mention_detection import DetectedMentions

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
ScoreBlock = tuple[Floats, Ints]
"""For some mentions: scores (mentions, antecedents), and the indices of the antecedents."""

MAX_DISTANCE = 500
"""With how many mentions before it each mention is compared."""
MENTIONS_AT_ONCE = 64
"""How many mentions are scored at a time; memory grows with this times `MAX_DISTANCE`."""

_WORDS = np.array(WORD_TABLE)
_SENTENCES = np.array(SENTENCE_TABLE)


def antecedent_scores(
    mentions: DetectedMentions, metadata: CorefMetadata, head: HeadWeights
) -> Iterator[ScoreBlock]:
    """The best antecedents by the coarse score, with their full scores, block by block."""
    count = len(mentions.spans)
    far = _equal_mentions(mentions.spans)
    coarse = head.linear("coarse", mentions.vectors) / np.float32(np.sqrt(metadata.span))
    later, earlier = (
        head.linear("later", mentions.vectors),
        head.linear("earlier", mentions.vectors),
    )
    for start in range(0, count, MENTIONS_AT_ONCE):
        rows = np.arange(start, min(start + MENTIONS_AT_ONCE, count))
        columns, allowed = _candidates(rows, far)
        index = _pair_features(mentions.spans, rows, columns)
        scores = _coarse_scores(mentions.vectors, coarse, rows, columns, index, head)
        scores[~allowed] = -np.inf
        which = _best_columns(scores, metadata.fine)
        scores = np.take_along_axis(scores, which, 1)
        chosen = np.take_along_axis(columns, which, 1)
        index = tuple(np.take_along_axis(part, which, 1) for part in index)
        fine = _fine_scores(mentions.vectors, later, earlier, rows, chosen, index, head)
        yield scores + fine, chosen


def _equal_mentions(spans: SpanFeatures) -> Ints:
    """For each mention the latest earlier one with the same words and with the same head, or -1."""
    latest = np.full((len(spans), 2), -1, dtype=np.int64)
    for column, values in enumerate((spans.strings, spans.heads)):
        order = np.argsort(values, kind="stable")
        same = values[order][1:] == values[order][:-1]
        latest[order[1:][same], column] = order[:-1][same]
    return latest


def _candidates(rows: Ints, far: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """The antecedents that each row is compared with, and which of them are valid."""
    low = max(int(rows[0]) - MAX_DISTANCE, 0)
    before = np.arange(low, int(rows[-1]))
    near = np.broadcast_to(before, (len(rows), len(before)))
    allowed = (near < rows[:, None]) & (near >= rows[:, None] - MAX_DISTANCE)
    beyond = far[rows]
    usable = (beyond >= 0) & (beyond < rows[:, None] - MAX_DISTANCE)
    usable[:, 1] &= beyond[:, 1] != beyond[:, 0]
    columns = np.concatenate([near, np.maximum(beyond, 0)], 1)
    return columns, np.concatenate([allowed, usable], 1)


def _pair_features(spans: SpanFeatures, rows: Ints, columns: Ints) -> tuple[Ints, ...]:
    own = spans.take(rows)
    later = SpanFeatures(*(getattr(own, name)[:, None] for name in SpanFeatures.__slots__))
    return pair_features(later, spans.take(columns), _WORDS, _SENTENCES)


def _coarse_scores(
    vectors: Floats,
    coarse: Floats,
    rows: Ints,
    columns: Ints,
    index: tuple[Ints, ...],
    head: HeadWeights,
) -> Floats:
    near = columns.shape[1] - 2
    first = int(columns[0, 0]) if near else 0
    scores = np.empty(columns.shape, dtype=np.float32)
    scores[:, :near] = coarse[rows] @ vectors[first : first + near].T
    scores[:, near:] = np.einsum("rd,rcd->rc", coarse[rows], vectors[columns[:, near:]])
    for name, part in zip(PAIR_FEATURE_SIZES, index, strict=True):
        scores += head[f"coarse_bias.{name}.weight"][:, 0][part]
    return scores


def _best_columns(scores: Floats, most: int) -> Ints:
    """The columns of the best scores of each row, in ascending order."""
    if scores.shape[1] <= most:
        return np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    best: Ints = np.argpartition(-scores, most - 1, axis=1)[:, :most]
    return np.sort(best, axis=1)


def _fine_scores(
    vectors: Floats, later: Floats, earlier: Floats, rows: Ints, chosen: Ints,
    index: tuple[Ints, ...], head: HeadWeights,
) -> Floats:  # fmt: skip
    mixed = head.linear("both", vectors[rows][:, None] * vectors[chosen])
    mixed += later[rows][:, None]
    mixed += earlier[chosen]
    for name, part in zip(PAIR_FEATURE_SIZES, index, strict=True):
        mixed += head[f"relation.{name}.weight"][part]
    scores: Floats = head.linear("fine", gelu(mixed))[..., 0]
    return scores
