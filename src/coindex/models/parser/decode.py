"""From the network's rows of words to trees: scores of spans, labels, the best tree.

score of a span   the best label's score minus that of "no phrase", or 0 if that is less
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coindex.models.parser.chart import best_tree
from coindex.models.parser.trees import LabelledSpan

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SpanScorer:
    """The last layer, which scores the labels of spans.

    weight, bias   (labels, hidden) and (labels); the first label is "no phrase"
    """

    weight: Floats
    bias: Floats
    labels: tuple[str, ...]

    def scores(self, starts: Floats, ends: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """What each span adds to a tree, and its best label; (n, n + 1) both.

        starts, ends   (n, hidden), the rows of a sentence's words
        """
        n = len(starts)
        cut = self.weight.shape[1]
        first, last = np.triu_indices(n)
        hidden = starts[first, :cut] + ends[last, :cut]
        np.maximum(hidden, 0, out=hidden)
        scores = hidden @ self.weight.T
        scores += self.bias
        product = starts[:, cut:] @ ends[:, cut:].T
        best = scores[:, 1:].argmax(1) + 1
        gain = scores[np.arange(len(best)), best] - scores[:, 0] + product[first, last] / 8
        gains = np.zeros((n, n + 1), dtype=np.float32)
        labels = np.zeros((n, n + 1), dtype=np.int64)
        gains[first, last + 1] = np.maximum(gain, 0)
        labels[first, last + 1] = np.where(gain > 0, best, 0)
        return gains, labels

    def tree(self, starts: Floats, ends: Floats) -> list[LabelledSpan]:
        """The phrases of a sentence's best tree."""
        gains, labels = self.scores(starts, ends)
        return [
            LabelledSpan(start, end, self.labels[labels[start, end]])
            for start, end in best_tree(gains)
            if labels[start, end]
        ]
