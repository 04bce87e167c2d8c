"""One table for each pair of documents: how key and response entities overlap.

Every metric is a function of it. Only cells that are not empty are stored, so
a book with thousands of entities is a few thousand numbers. Mentions are given
as identities: two mentions match if their identities are equal.

A mention that stands in several entities of one side is kept in the largest of
them only (of equals, in the one that comes first in the text), and counted as
repeated: the metrics are defined for entities that share nothing. The reference
program does the same. So a response equal to the key scores 100 whatever repeats
both have, and neither the names nor the order of entities matter.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Identities = Sequence[Sequence[Hashable]]


@dataclass(frozen=True, slots=True)
class Table:
    """How many mentions each key entity shares with each response entity.

    key, response   the sizes of the entities on each side
    rows, columns   which entities share mentions; `overlaps` says how many
    repeated        how many mentions of each side were left out as repeats
    collapsed       how many mentions of one entity became the same on each side
    """

    key: Ints
    response: Ints
    rows: Ints
    columns: Ints
    overlaps: Ints
    repeated: tuple[int, int] = (0, 0)
    collapsed: tuple[int, int] = (0, 0)


def table(key: Identities, response: Identities) -> Table:
    """The table of two documents, given as entities of mention identities."""
    (keys, owner, *key_odd), (responses, other, *response_odd) = map(one_side, (key, response))
    width = max(len(responses), 1)
    codes = [owner[m] * width + index for m, index in other.items() if m in owner]
    cells, overlaps = np.unique(np.array(codes, np.int64), return_counts=True)
    return Table(
        np.array(keys, np.int64),
        np.array(responses, np.int64),
        cells // width,
        cells % width,
        overlaps.astype(np.int64),
        (key_odd[0], response_odd[0]),
        (key_odd[1], response_odd[1]),
    )


def one_side(given: Identities) -> tuple[list[int], dict[Hashable, int], int, int]:
    """The sizes of the entities, the entity of each mention, what was repeated and collapsed."""
    entities = [dict.fromkeys(entity) for entity in given]
    collapsed = sum(map(len, given)) - sum(map(len, entities))
    owner = {mention: index for index, entity in enumerate(entities) for mention in entity}
    total = sum(map(len, entities))
    if len(owner) < total:
        owner = {mention: index for index in _by_weight(entities) for mention in entities[index]}
    sizes = [0] * len(entities)
    for index in owner.values():
        sizes[index] += 1
    if 0 in sizes:  # an entity all of whose mentions are kept elsewhere is gone
        place = np.cumsum([size > 0 for size in sizes]) - 1
        owner = {mention: int(place[index]) for mention, index in owner.items()}
        sizes = [size for size in sizes if size]
    return sizes, owner, total - len(owner), collapsed


def _by_weight(entities: list[dict[Hashable, None]]) -> list[int]:
    """The entities from the weakest to the strongest claim on a mention they share."""

    def place(index: int) -> list[Any]:
        mentions: list[Any] = list(entities[index])
        try:
            return sorted(mentions)
        except TypeError:
            return sorted(map(repr, mentions))

    first = sorted(range(len(entities)), key=place, reverse=True)
    return sorted(first, key=lambda index: len(entities[index]))
