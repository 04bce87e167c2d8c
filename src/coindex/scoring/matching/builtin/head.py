"""Head: the same head word, one to one (as in the shared tasks on CorefUD since 2023).

Mentions with the same tokens and the same head are matched first. Then mentions with the same
head are matched one to one, so that the overlap, as a fraction of the key mention, is greatest.
The head is the one that each side annotates. A mention without one gets the head that the key's
trees (by Collins' rules) or its dependencies give.
"""

from __future__ import annotations

from collections import defaultdict

from coindex.scoring.matching.one_to_one import Cells, pair_one_to_one
from coindex.scoring.matching.protocol import Identify
from coindex.text.heads import mention_heads
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order

TITLE = "head spans"
ORDER = 30
IN_RANKINGS = True
REVISION = 1


def pair(key: Document, response: Document) -> tuple[Identify, Identify]:
    """Both sides by their tokens and heads; the response by the key mention that it matches."""
    head_of = mention_heads(key, (*key.mentions, *response.mentions))

    def identity(mention: Mention) -> tuple[int, ...]:
        return *reading_order(mention), head_of(mention)

    def candidates(keys: list[Mention], responses: list[Mention]) -> Cells:
        by_head: defaultdict[int, list[int]] = defaultdict(list)
        for column, mention in enumerate(responses):
            by_head[head_of(mention)].append(column)
        return {
            (row, column): _overlap(mention, responses[column])
            for row, mention in enumerate(keys)
            for column in by_head.get(head_of(mention), ())
        }

    return pair_one_to_one(key, response, identity, identity, candidates)


def _overlap(key: Mention, response: Mention) -> float:
    """The fraction of the key mention's tokens that the response mention has."""
    return len(set(key.tokens).intersection(response.tokens)) / len(key.tokens)
