"""Links: for each mention an antecedent in its best entity, among near mentions and equal names.

A mention looks back at a fixed number of mentions, and past them at the latest
mention with the same words and the latest with the same head. So the work grows
with the text, not with its square, and a name is found again after any distance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coindex.neural.decode import Joiner
from coindex.neural.mentions import Found
from coindex.neural.numbers import gelu
from coindex.neural.package import Facts, Head
from coindex.neural.relations import SENTENCE_TABLE, SIZES, WORD_TABLE, relations
from coindex.neural.words import NAME, Spans

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Block = tuple[Floats, Ints]
"""For some mentions: (mentions, antecedents) scores, and which mentions those are."""

BACK = 500
"""How many mentions back every mention looks."""
ROWS = 64
"""How many mentions are compared at a time: memory is ROWS times BACK, whatever the text."""

_WORDS = np.array(WORD_TABLE)
_SENTENCES = np.array(SENTENCE_TABLE)


@dataclass(frozen=True, slots=True)
class Links:
    """For each mention its antecedent's index, -1 for none, and how sure that is."""

    parents: Ints
    chances: Floats


def link(found: Found, facts: Facts, head: Head, cut: float = 0.0) -> Links:
    """The antecedents of all mentions of a text, which are in reading order."""
    return joined(found.spans, compared(found, facts, head), cut)


def joined(spans: Spans, blocks: Iterable[Block], cut: float) -> Links:
    """The antecedents by the scores of the next mentions, block after block.

    The cut is for nouns and new names. A pronoun means somebody, nearly always, and a name must
    be found again at any distance: these join where that is more likely than not.
    """
    again = np.ones(len(spans), dtype=bool)
    again[np.unique(spans.strings, return_index=True)[1]] = False
    sure = (spans.classes < NAME) | (spans.classes == NAME) & again
    least = np.where(sure, 0.0, cut).astype(np.float32)
    joiner = Joiner()
    parts: list[tuple[Ints, Floats]] = []
    at = 0
    for scores, chosen in blocks:
        parts.append(joiner.take(scores, chosen, least[at : at + len(scores)]))
        at += len(scores)
    parents = [np.zeros(0, dtype=np.int64), *(parent for parent, _ in parts)]
    chances = [np.zeros(0, dtype=np.float32), *(chance for _, chance in parts)]
    return Links(np.concatenate(parents), np.concatenate(chances))


def compared(found: Found, facts: Facts, head: Head) -> Iterator[Block]:
    """The best antecedents of some mentions at a time, with their scores."""
    count = len(found.spans)
    far = _far(found.spans)
    coarse = head.linear("coarse", found.vectors) / np.float32(np.sqrt(facts.span))
    later, earlier = head.linear("later", found.vectors), head.linear("earlier", found.vectors)
    for start in range(0, count, ROWS):
        rows = np.arange(start, min(start + ROWS, count))
        columns, allowed = _columns(rows, far)
        index = _relations(found.spans, rows, columns)
        scores = _coarse(found.vectors, coarse, rows, columns, index, head)
        scores[~allowed] = -np.inf
        which = _best(scores, facts.fine)
        scores = np.take_along_axis(scores, which, 1)
        chosen = np.take_along_axis(columns, which, 1)
        index = tuple(np.take_along_axis(part, which, 1) for part in index)
        fine = _fine(found.vectors, later, earlier, rows, chosen, index, head)
        yield scores + fine, chosen


def _far(spans: Spans) -> Ints:
    """For each mention the latest one with the same words, and with the same head; -1 if none."""
    found = np.full((len(spans), 2), -1, dtype=np.int64)
    for column, values in enumerate((spans.strings, spans.heads)):
        order = np.argsort(values, kind="stable")
        same = values[order][1:] == values[order][:-1]
        found[order[1:][same], column] = order[:-1][same]
    return found


def _columns(rows: Ints, far: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """The antecedents that each row looks at, and which of them are real."""
    low = max(int(rows[0]) - BACK, 0)
    before = np.arange(low, int(rows[-1]))
    near = np.broadcast_to(before, (len(rows), len(before)))
    allowed = (near < rows[:, None]) & (near >= rows[:, None] - BACK)
    beyond = far[rows]
    usable = (beyond >= 0) & (beyond < rows[:, None] - BACK)
    usable[:, 1] &= beyond[:, 1] != beyond[:, 0]
    columns = np.concatenate([near, np.maximum(beyond, 0)], 1)
    return columns, np.concatenate([allowed, usable], 1)


def _relations(spans: Spans, rows: Ints, columns: Ints) -> tuple[Ints, ...]:
    own = spans.take(rows)
    later = Spans(*(getattr(own, name)[:, None] for name in Spans.__slots__))
    return relations(later, spans.take(columns), _WORDS, _SENTENCES)


def _coarse(
    vectors: Floats, coarse: Floats, rows: Ints, columns: Ints, index: tuple[Ints, ...], head: Head
) -> Floats:
    near = columns.shape[1] - 2
    first = int(columns[0, 0]) if near else 0
    scores = np.empty(columns.shape, dtype=np.float32)
    scores[:, :near] = coarse[rows] @ vectors[first : first + near].T
    scores[:, near:] = np.einsum("rd,rcd->rc", coarse[rows], vectors[columns[:, near:]])
    for name, part in zip(SIZES, index, strict=True):
        scores += head[f"coarse_bias.{name}.weight"][:, 0][part]
    return scores


def _best(scores: Floats, most: int) -> Ints:
    """The columns of the best scores, each row's in a fixed order."""
    if scores.shape[1] <= most:
        return np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    found: Ints = np.argpartition(-scores, most - 1, axis=1)[:, :most]
    return np.sort(found, axis=1)


def _fine(
    vectors: Floats, later: Floats, earlier: Floats, rows: Ints, chosen: Ints,
    index: tuple[Ints, ...], head: Head,
) -> Floats:  # fmt: skip
    mixed = head.linear("both", vectors[rows][:, None] * vectors[chosen])
    mixed += later[rows][:, None]
    mixed += earlier[chosen]
    for name, part in zip(SIZES, index, strict=True):
        mixed += head[f"relation.{name}.weight"][part]
    found: Floats = head.linear("fine", gelu(mixed))[..., 0]
    return found
