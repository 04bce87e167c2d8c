"""Partial: a response within the key mention that holds its head (MUC, ARRAU, CorefUD).

Mentions with the same tokens are matched first. Each other response mention, the
longest first, takes the shortest key mention not yet taken that covers it and
whose head it holds. The head is the one annotated, or else the one found on the
key's trees or dependencies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable

from coindex.core.document import Document
from coindex.core.mention import Mention, reading_order
from coindex.matching._heads import head_finder

Place = tuple[int, ...]


def pair(
    key: Document, response: Document
) -> tuple[Callable[[Mention], Hashable], Callable[[Mention], Hashable]]:
    """The key by its spans; the response by the key mention it matches, or its own spans."""
    keys = {reading_order(mention): mention for mention in key.mentions}
    responses = {reading_order(mention): mention for mention in response.mentions}
    find = None if all(m.head is not None for m in keys.values()) else head_finder(key)
    by_head: defaultdict[int, list[tuple[frozenset[int], Place]]] = defaultdict(list)
    for place, mention in keys.items():
        if place not in responses:
            head = mention.head if mention.head is not None or find is None else find(mention)
            if head is not None:
                by_head[head].append((frozenset(mention.tokens), place))
    names = _taken(responses, keys, by_head)

    def of_response(mention: Mention) -> Hashable:
        place = reading_order(mention)
        return names.get(place, place if place in keys else (-1, *place))

    return reading_order, of_response


def _taken(
    responses: dict[Place, Mention],
    keys: dict[Place, Mention],
    by_head: dict[int, list[tuple[frozenset[int], Place]]],
) -> dict[Place, Place]:
    """The key mention that each response mention of other tokens takes."""
    names: dict[Place, Place] = {}
    taken: set[Place] = set()
    others = [(place, mention.tokens) for place, mention in responses.items() if place not in keys]
    for place, tokens in sorted(others, key=lambda other: (-len(other[1]), other[0])):
        words = frozenset(tokens)
        fits = [
            (len(cover), name)
            for token in tokens
            for cover, name in by_head.get(token, ())
            if words <= cover and name not in taken
        ]
        if fits:
            names[place] = min(fits)[1]
            taken.add(names[place])
    return names
