"""What the rules that compare minimum spans share: both sides are reduced on the key's trees."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from coindex.errors import UsageError
from coindex.scoring.matching.protocol import Identify
from coindex.types.document import Document
from coindex.types.mention import Mention

Reduce = Callable[[Document, int, int], tuple[int, ...]]
"""The tokens of the minimum span of the tokens of a document from an index up to another."""


def by_minimum_span(key: Document, reduce: Reduce) -> tuple[Identify, Identify]:
    """How to identify mentions of both sides by their minimum spans on the key's trees.

    Discontinuous mentions keep all their words.
    """
    if key.parse is None:
        raise UsageError(
            f"{key.key}: minimum spans need parse trees: a key in CoNLL-2012 with a parse column,"
            " --trees FILE with Penn brackets, one tree per sentence, or --trees auto"
        )
    cache: dict[tuple[int, int], tuple[int, ...]] = {}

    def identity(mention: Mention) -> Hashable:
        if len(mention.spans) > 1:
            return mention.tokens
        bounds = mention.start, mention.end
        if bounds not in cache:
            cache[bounds] = reduce(key, *bounds)
        return cache[bounds]

    return identity, identity
