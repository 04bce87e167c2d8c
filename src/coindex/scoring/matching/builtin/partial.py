"""Partial: a response within the key mention that holds its head (MUC, ARRAU, CorefUD).

Mentions with the same tokens are matched first. Then the others are matched one to one: a
response mention that has the head of a key mention and no token outside it, so that the sum of
the fractions of key mentions that are covered is greatest. The head is the one that the key
annotates, or else that of its trees or dependencies.
"""

from __future__ import annotations

from collections import defaultdict

from coindex.scoring.matching.one_to_one import Cells, pair_one_to_one
from coindex.scoring.matching.protocol import Identify
from coindex.text.heads import mention_heads
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order

TITLE = "partial"
ORDER = 40
IN_RANKINGS = False
REVISION = 1


def pair(key: Document, response: Document) -> tuple[Identify, Identify]:
    """The key by its spans; the response by the key mention it matches, or its own spans."""
    head_of = mention_heads(key, key.mentions)

    def candidates(keys: list[Mention], responses: list[Mention]) -> Cells:
        by_head: defaultdict[int, list[tuple[int, frozenset[int]]]] = defaultdict(list)
        for row, mention in enumerate(keys):
            by_head[head_of(mention)].append((row, frozenset(mention.tokens)))
        cells = {}
        for column, mention in enumerate(responses):
            words = frozenset(mention.tokens)
            for head in words & by_head.keys():
                for row, cover in by_head[head]:
                    if words <= cover:
                        cells[row, column] = len(words) / len(cover)
        return cells

    return pair_one_to_one(key, response, reading_order, reading_order, candidates)
