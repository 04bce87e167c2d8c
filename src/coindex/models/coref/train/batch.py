"""Batches: examples merged into one, and their windows packed into rows for the encoder.

A step's cost on a GPU is mostly the number of its operations, not their size. So the head runs
once for all examples of a batch, and the encoder once for all of their windows: short windows share
a row, each attending to itself alone. On a CPU, where attention over long rows is expensive, windows
of similar length are encoded together instead. All of this is arrays, made on the CPU; `prepare`
can run in the background, while the step before is computed (`coindex.models.common.prefetch`).
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coindex.models.coref.features import SpanFeaturizer
from coindex.models.coref.train.clues import Clues
from coindex.models.coref.train.examples import Example, Ints, join_words
from coindex.models.coref.windows import Window

_LENGTHS = (64, 128, 256)
"""Windows up to each of these lengths are padded alike: short ones would be mostly padding."""
_MULTIPLE = 32
"""The length of a row is a multiple of this, so that fewer shapes occur."""


def batches(examples: Sequence[Example], most: int, rng: random.Random) -> list[list[Example]]:
    """All examples once, in random order, in batches of about `most` words."""
    order = list(examples)
    rng.shuffle(order)
    made: list[list[Example]] = [[]]
    size = 0
    for example in order:
        if made[-1] and size + len(example) > most:
            made.append([])
            size = 0
        made[-1].append(example)
        size += len(example)
    return [batch for batch in made if batch]


@dataclass(frozen=True, slots=True)
class EncoderRows:
    """Windows packed into rows, (rows, length).

    subwords   0 where a row has none
    segments   the number of each subword's window in its row, from 1; 0 where there is none
    positions  the index of each subword in its window
    words      the index of each word's first subword in the flattened rows
    """

    subwords: Ints
    segments: Ints
    positions: Ints
    words: Ints

    @property
    def shared(self) -> bool:
        """Whether a row has several windows."""
        return bool((self.segments > 1).any())


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """Windows as rows, in groups that are encoded one after the other.

    order   the index of each word among the words of all groups; None for a single group, whose
            words are in their order
    """

    groups: tuple[EncoderRows, ...]
    order: Ints | None = None


def pack_windows(windows: Sequence[Window], longest: int) -> EncoderInput:
    """All windows in one group; short ones share rows of at most `longest` subwords."""
    lengths = [len(window) for window in windows]
    size = max(longest, *lengths)
    used: list[int] = []
    counts: list[int] = []
    places = [(0, 0, 0)] * len(windows)
    for at in sorted(range(len(windows)), key=lambda number: -lengths[number]):
        row = next((row for row, n in enumerate(used) if n + lengths[at] <= size), len(used))
        if row == len(used):
            used.append(0)
            counts.append(0)
        counts[row] += 1
        places[at] = row, used[row], counts[row]
        used[row] += lengths[at]
    length = min(-(-max(used) // _MULTIPLE) * _MULTIPLE, size)
    return EncoderInput((_rows(windows, places, (len(used), length)),))


def pad_windows(windows: Sequence[Window]) -> EncoderInput:
    """A row for each window, in groups of similar length."""
    numbers: dict[int, list[int]] = {}
    for number, window in enumerate(windows):
        numbers.setdefault(bisect_left(_LENGTHS, len(window)), []).append(number)
    groups, order = [], []
    for _, own in sorted(numbers.items()):
        chosen = [windows[number] for number in own]
        places = [(row, 0, 1) for row in range(len(chosen))]
        groups.append(_rows(chosen, places, (len(chosen), max(map(len, chosen)))))
        order += own
    words = np.array([len(windows[number].positions) for number in order])
    firsts = np.zeros(len(windows), dtype=np.int64)
    firsts[order] = np.cumsum(words) - words
    indices = [
        first + np.arange(len(w.positions)) for first, w in zip(firsts, windows, strict=True)
    ]
    return EncoderInput(tuple(groups), np.concatenate(indices) if len(groups) > 1 else None)


def _rows(
    windows: Sequence[Window], places: Sequence[tuple[int, int, int]], shape: tuple[int, int]
) -> EncoderRows:
    """Rows of windows, whose places are row, first subword and number in the row."""
    subwords, segments, positions = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    words = []
    for window, (row, first, number) in zip(windows, places, strict=True):
        here = row, slice(first, first + len(window))
        subwords[here] = window.subwords
        segments[here] = number
        positions[here] = np.arange(len(window))
        words.append(window.positions + row * shape[1] + first)
    return EncoderRows(subwords, segments, positions, np.concatenate(words))


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """A batch, ready for a step.

    windows    those of all examples
    documents  unlabelled texts and annotated documents: what a teacher scores
    labelled   annotated documents and passages with partial annotation, merged; None if there
               are none
    unlabelled how many words of unlabelled texts are first; annotated: of documents after them
    """

    windows: EncoderInput
    documents: tuple[Example, ...]
    labelled: Example | None
    unlabelled: int
    annotated: int


def prepare(batch: Sequence[Example], row: int = 0) -> PreparedBatch:
    """A batch with its windows as rows and its labelled examples merged.

    row    the most subwords of a row that windows share; 0 for a row for each window
    """
    texts = [example for example in batch if not example.labelled]
    documents = [example for example in batch if example.labelled and not example.clues]
    partial = [example for example in batch if example.labelled and example.clues]
    ordered = [*texts, *documents, *partial]
    windows = [window for example in ordered for window in example.windows]
    return PreparedBatch(
        pack_windows(windows, row) if row else pad_windows(windows), (*texts, *documents),
        merge_examples([*documents, *partial]) if documents or partial else None,
        sum(map(len, texts)), sum(map(len, documents)),
    )  # fmt: skip


def merge_examples(examples: Sequence[Example]) -> Example:
    """Several examples as one; a single one as it is.

    Those with partial annotation must be last. No pair crosses from one example to another, so
    the losses are sums of the single ones; only the choice of unlikely spans
    (`step.select_spans`) is made over all examples of a kind.
    """
    if len(examples) == 1:
        return examples[0]
    sizes = [len(example) for example in examples]
    at = offsets(sizes)
    sentences = offsets([int(example.words.sentences[-1]) + 1 for example in examples])
    parts = offsets([int(example.parts[-1]) + 1 for example in examples])
    entities = offsets([int(example.entities.max(initial=-1)) + 1 for example in examples])
    words = join_words([(e.words, n) for e, n in zip(examples, sentences, strict=True)])
    return Example(
        f"{examples[0].id}+{len(examples) - 1}", examples[0].scheme,
        tuple(window for example in examples for window in example.windows),
        words, SpanFeaturizer(words),
        _shifted([e.last for e in examples], at),
        _shifted([e.parts for e in examples], parts),
        _shifted([e.spans for e in examples], at),
        _shifted([e.entities for e in examples], entities),
        sum(example.annotated for example in examples),
        Clues.joined([example.clues for example in examples], at),
        all(example.labelled for example in examples),
        tuple(text for example in examples for text in example.texts),
        np.repeat([example.scheme for example in examples], sizes),
    )  # fmt: skip


def offsets(counts: Sequence[int]) -> list[int]:
    """The sums of all counts before each one."""
    before: list[int] = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int).tolist()
    return before


def _shifted(arrays: Sequence[Ints], by: Sequence[int]) -> Ints:
    return np.concatenate([array + n for array, n in zip(arrays, by, strict=True)])
