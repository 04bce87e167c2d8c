"""Chart decoding: the best tree of a sentence, exactly, by dynamic programming.

The score of a tree is the sum of the scores of its spans. A span may have no label, for the
score 0: this is how phrases of more than two parts are built of pairs (implicit binarisation).

    best(i, j) = max(0, max over labels of score(i, j, label)) + max over k of best(i, k) + best(k, j)

All spans of one width are computed at once, so a sentence of n words takes n steps of arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def best_tree(scores: Floats) -> list[tuple[int, int]]:
    """The spans of the best binary tree, outer ones first.

    scores   (n, n + 1): what the span from i up to j adds, 0 or more; read where i < j
    """
    n = len(scores)
    splits = _splits(scores)
    spans: list[tuple[int, int]] = []
    stack = [(0, n)]
    while stack:
        start, end = stack.pop()
        spans.append((start, end))
        if end - start > 1:
            split = int(splits[start, end])
            stack += [(split, end), (start, split)]
    return spans


def _splits(scores: Floats) -> Ints:
    """Where the best tree of each span is split: (n, n + 1), read where the width is at least 2.

    `left[i, w]` is the best score of the w words from i on, `right[j, w]` of the w words before
    j; both are kept so that all splits of a width are one slice each.
    """
    n = len(scores)
    left = np.zeros((n + 1, n + 1), dtype=np.float32)
    right = np.zeros((n + 1, n + 1), dtype=np.float32)
    splits = np.zeros((n, n + 1), dtype=np.int64)
    rows = np.arange(n + 1)
    left[:n, 1] = right[1:, 1] = scores[rows[:n], rows[1:]]
    for width in range(2, n + 1):
        starts = rows[: n - width + 1]
        ends = starts + width
        sums = left[: n - width + 1, 1:width] + right[width:, width - 1 : 0 : -1]
        chosen = sums.argmax(1)
        best = sums[starts, chosen] + scores[starts, ends]
        left[starts, width] = right[ends, width] = best
        splits[starts, ends] = starts + chosen + 1
    return splits
