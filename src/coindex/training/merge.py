"""Examples of a batch as one: a step's cost is the number of its operations, not their size.

On a GPU a document of two thousand words keeps the device busy for a fraction of the
time that it takes to launch the work. Joined, the head runs once a batch instead of
once a document. No pair crosses from one example to another, so the losses are the sums
they were; only which unlikely spans are looked at (`step.likely`) is now a choice over
the whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from coindex.neural.words import Phrases
from coindex.training.examples import Example, joined, moved
from coindex.training.model import SpanTensors


def merged(examples: Sequence[Example]) -> Example:
    """Several examples as one; a single one as it is."""
    if len(examples) == 1:
        return examples[0]
    sizes = [len(example) for example in examples]
    at = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    lines = _before([int(example.words.sentences[-1]) + 1 for example in examples])
    parts = _before([int(example.parts[-1]) + 1 for example in examples])
    groups = _before([int(example.entities.max(initial=-1)) + 1 for example in examples])
    words = joined([(e.words, n) for e, n in zip(examples, lines, strict=True)])
    return Example(
        f"{examples[0].id}+{len(examples) - 1}", examples[0].scheme,
        tuple(window for example in examples for window in example.windows),
        words, Phrases(words),
        _shifted([e.last for e in examples], at),
        _shifted([e.parts for e in examples], parts),
        _shifted([e.spans for e in examples], at),
        _shifted([e.entities for e in examples], groups),
        tuple(moved(c, n) for e, n in zip(examples, at, strict=False) for c in e.clues),
        all(example.labelled for example in examples),
        tuple(text for example in examples for text in example.texts),
        np.repeat([example.scheme for example in examples], sizes),
    )  # fmt: skip


def _before(counts: Sequence[int]) -> list[int]:
    found: list[int] = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int).tolist()
    return found


def _shifted(arrays: Sequence[np.ndarray], by: Sequence[int]) -> np.ndarray:
    return np.concatenate([array + n for array, n in zip(arrays, by, strict=False)])


def spans_of(found: Sequence[SpanTensors], sizes: Sequence[int]) -> SpanTensors:
    """The spans of several examples as those of their joined words.

    Strings, heads and sentences are only compared within an example, so they stay.
    """
    at = _before(sizes)
    columns = []
    for field in fields(SpanTensors):
        moves = field.name in ("starts", "ends")
        columns.append(torch.cat([
            getattr(spans, field.name) + (n if moves else 0)
            for spans, n in zip(found, at, strict=True)
        ]))  # fmt: skip
    return SpanTensors(*columns)


def ranks_of(
    which: Sequence[Tensor], scores: Sequence[Tensor], counts: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """The antecedents and their scores, of several examples, padded to the same number."""
    widest = max(row.shape[1] for row in which)
    at = _before(counts)
    columns = [functional.pad(row + n, (0, widest - row.shape[1]))
               for row, n in zip(which, at, strict=True)]  # fmt: skip
    values = [functional.pad(row, (0, widest - row.shape[1]), value=float("-inf"))
              for row in scores]  # fmt: skip
    return torch.cat(columns), torch.cat(values)
