"""The network of the parser: upper layers of its own over the lower layers of an encoder.

The lower layers stay as they are, so that the parser shares their weights with the shipped
encoder. The upper ones begin as copies of the encoder's and are trained.

    h    subwords, after the shared layers, plus embeddings of the words' shapes and edges
    x    subwords, after the parser's own layers
    a    start of a span at word i:  A [x(first of i, and the subword before)]
    b    end of a span with word j:  B [x(last of j, and the subword after)]
    s    score of each label:        W relu(a' + b') + w, minus a'' b'' / 8 for the label 0
    t    score of each tag:          T [x(first); x(last)]

The label 0 is "no phrase"; a' and b' are the first `hidden` numbers of a and b, a'' and b'' the
others, whose product says whether the two ends belong together. A span is seen from its two words and their two neighbours, as in the difference of fenceposts
(Stern et al. 2017; Kitaev and Klein 2018), but with matrices for each of the four.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from coindex.models.parser.windows import EDGES, SHAPES


class ParserNetwork(nn.Module):
    """The parser's own layers and scorers."""

    def __init__(
        self, layers: Any, width: int, sizes: tuple[int, int], labels: int, tags: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        """Layers of transformers (`BertEncoder`), and sizes; labels count "no phrase" too.

        sizes    `hidden` and `product`, the numbers of a' and of a''
        dropout  of the vectors that are scored, in training
        """
        super().__init__()
        self.layers = layers
        self.shapes = nn.Embedding(len(SHAPES), width)
        self.edges = nn.Embedding(EDGES, width)
        nn.init.zeros_(self.shapes.weight)
        nn.init.zeros_(self.edges.weight)
        self.hidden, product = sizes
        self.start = nn.Linear(2 * width, self.hidden + product)
        self.end = nn.Linear(2 * width, self.hidden + product)
        self.label = nn.Linear(self.hidden, labels)
        self.tag = nn.Linear(2 * width, tags)
        self.dropout = nn.Dropout(dropout)

    def scorers(self) -> Iterator[nn.Parameter]:
        """The parameters that are not of the layers."""
        for name, parameter in self.named_parameters():
            if not name.startswith("layers."):
                yield parameter

    def forward(
        self, lower: Tensor, shapes: Tensor, edges: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """The vectors of subwords after the own layers: (windows, n, width).

        mask   (windows, 1, 1, n): 0 for subwords, a large negative number for padding
        """
        hidden = lower + self.shapes(shapes) + self.edges(edges)
        result: Tensor = self.layers(hidden, attention_mask=mask).last_hidden_state
        return result

    def words(self, x: Tensor, firsts: Tensor, lasts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Starts and ends of spans, and scores of tags, one row per word.

        x       (subwords, width), of one window or of several after another
        """
        first, last = x[firsts], x[lasts]
        starts = self.start(self.dropout(torch.cat([x[firsts - 1], first], -1)))
        ends = self.end(self.dropout(torch.cat([last, x[lasts + 1]], -1)))
        return starts, ends, self.tag(self.dropout(torch.cat([first, last], -1)))

    def spans(self, starts: Tensor, ends: Tensor) -> Tensor:
        """The scores of labels of spans, from the rows of their first and last words."""
        cut = self.hidden
        scores: Tensor = self.label(torch.relu(starts[:, :cut] + ends[:, :cut]))
        product = (starts[:, cut:] * ends[:, cut:]).sum(-1, keepdim=True) / 8
        return torch.cat([scores[:, :1] - product, scores[:, 1:]], -1)
