"""Head: the same head word, by Collins' rules on the key's trees or its dependencies."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from coindex.core.document import Document
from coindex.core.mention import Mention, reading_order
from coindex.matching._heads import head_finder


def pair(
    key: Document, response: Document
) -> tuple[Callable[[Mention], Hashable], Callable[[Mention], Hashable]]:
    """Both sides by their head words, found on the key's trees."""
    find = head_finder(key)
    cache: dict[tuple[int, ...], tuple[int]] = {}

    def identity(mention: Mention) -> Hashable:
        place = reading_order(mention)
        if place not in cache:
            cache[place] = (find(mention),)
        return cache[place]

    return identity, identity
