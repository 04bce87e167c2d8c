"""Blocks of spans: pairs are computed within passages, not over a whole batch.

The passages of a batch are packed into blocks of at most `size` spans, `size` being that of the
largest passage or more. All pairs of a block are computed at once, and those that cross passages
are masked. So a batch of many passages costs about as much as its passages do, with as few
operations as one passage.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

SMALLEST = 256
"""The smallest size of a block; many small blocks are no cheaper than a few of this size."""


@dataclass(frozen=True, slots=True)
class PairBlocks:
    """Where the spans of a batch are in blocks.

    places   the index of each span in the flattened blocks
    spans    (blocks, size): the index of the span at each place; 0 at places without one
    parts    (blocks, size): the passage of the span at each place; -1 at places without one
    """

    places: Ints
    spans: Ints
    parts: Ints


def pair_blocks(parts: Ints, smallest: int = SMALLEST) -> PairBlocks:
    """The blocks of spans; `parts` has the passage of each, in ascending order."""
    passages, first, counts = np.unique(parts, return_index=True, return_counts=True)
    size = max(int(counts.max(initial=1)), min(smallest, len(parts)))
    filled: list[int] = []
    starts = np.zeros(len(passages), dtype=np.int64)
    for number, count in enumerate(counts.tolist()):
        block = next((b for b, used in enumerate(filled) if used + count <= size), len(filled))
        if block == len(filled):
            filled.append(0)
        starts[number] = block * size + filled[block]
        filled[block] += count
    places = np.repeat(starts - first, counts) + np.arange(len(parts))
    shape = max(len(filled), 1), size
    spans = np.zeros(shape, dtype=np.int64)
    own = np.full(shape, -1, dtype=np.int64)
    spans.reshape(-1)[places] = np.arange(len(parts))
    own.reshape(-1)[places] = parts
    return PairBlocks(places, spans, own)
