"""The contingency table of two documents: how their entities overlap.

Every metric is a function of it. Only nonzero cells are stored, so a book with thousands of
entities takes a few thousand numbers. Mentions are given as identities: two mentions match if
their identities are equal.

The metrics are defined for entities that share no mention. What is done with a mention of
several entities of one side is a choice:

largest  it counts only in the largest of them (of equal ones, in the first in the text). A
         response equal to the key scores 100 whatever repeats both have, and neither the names
         nor the order of entities matter
first    it counts only in the first of them in the text, as in the reference scorer, in Perl, which
         does so with mentions of the response that the key has, and counts others in each
all      it counts in each of them, as in coval and the CorefUD scorer. A mention of the other
         side is looked up in the last of its entities; only CEAF compares whole entities

The occurrences that are left out, or that count more than once, are counted as repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:  # numpy.typing takes longer to import than this module
    from numpy.typing import NDArray

    from coindex.scoring.matching.protocol import Identify
    from coindex.types.document import Document

REPEATS = ("largest", "first", "all")
"""What is done with a mention of several entities; the first is the default."""

Ints: TypeAlias = "NDArray[np.int64]"
Floats: TypeAlias = "NDArray[np.float64]"
Splits = dict[int, list[list[Hashable]]]
"""The mentions of each element of a split antecedent, by the number of the plural entity."""

Identities = Sequence[Sequence[Hashable]]


class ScoredPair(NamedTuple):
    """Two documents with the entities that are scored, and how to identify their mentions.

    repeats    what is done with a mention of several entities
    documents  the same documents with all of their entities
    """

    key: Document
    response: Document
    of_key: Identify
    of_response: Identify
    repeats: str = REPEATS[0]
    documents: tuple[Document, Document] | None = None


@dataclass(frozen=True, slots=True)
class ContingencyTable:
    """The number of mentions that each key entity shares with each response entity.

    key, response   the sizes of the entities of each side
    rows, columns   the key and response entity of each nonzero cell
    overlaps        the number of mentions they share
    repeated        the mentions of each side that were left out as repeats
    collapsed       the mentions of each side with the identity of another one of their entity
    pair            the documents, for the few metrics that need words; plain sets have none
    views           if mentions count in several entities: the tables for recall, for precision,
                    and with each mention once
    splits          the elements of split antecedents of each side, by entity, if they count
    credit          for each cell, the fraction of a mention that its split antecedents count as
    """

    key: Ints
    response: Ints
    rows: Ints
    columns: Ints
    overlaps: Ints
    repeated: tuple[int, int] = (0, 0)
    collapsed: tuple[int, int] = (0, 0)
    pair: ScoredPair | None = None
    views: tuple[ContingencyTable, ContingencyTable, ContingencyTable] | None = None
    splits: tuple[Splits, Splits] | None = None
    credit: Floats | None = None

    @property
    def shared(self) -> Floats:
        """The overlap of each cell, with the fractions that split antecedents add."""
        overlaps = self.overlaps.astype(float)
        return overlaps if self.credit is None else overlaps + self.credit


@dataclass(frozen=True, slots=True)
class Partition:
    """The mentions of one side, each in one entity only.

    sizes      the size of each entity
    entity_of  the index of the entity of each mention
    """

    sizes: list[int]
    entity_of: dict[Hashable, int]
    repeated: int
    collapsed: int

    def entities(self) -> list[list[Hashable]]:
        """The mentions of each entity."""
        entities: list[list[Hashable]] = [[] for _ in self.sizes]
        for identity, index in self.entity_of.items():
            entities[index].append(identity)
        return entities


def contingency_table(
    key: Identities,
    response: Identities,
    *,
    repeats: str = "largest",
    pair: ScoredPair | None = None,
) -> ContingencyTable:
    """The table of two documents, given as entities of mention identities."""
    one, two = partition(key, repeats), partition(response, repeats)
    width = max(len(two.sizes), 1)
    codes = [
        one.entity_of[mention] * width + index
        for mention, index in two.entity_of.items()
        if mention in one.entity_of
    ]
    table = _table(one.sizes, two.sizes, codes)
    table = replace(
        table,
        repeated=(one.repeated, two.repeated),
        collapsed=(one.collapsed, two.collapsed),
        pair=pair,
    )
    if repeats == "all" and (one.repeated or two.repeated):
        return _with_views(table, one, two, key, response)
    return table


def _table(key: Sequence[int], response: Sequence[int], codes: Sequence[int]) -> ContingencyTable:
    """A table from the sizes of entities and the cell of each shared mention."""
    width = max(len(response), 1)
    cells, overlaps = np.unique(np.array(codes, np.int64), return_counts=True)
    return ContingencyTable(
        np.array(key, np.int64),
        np.array(response, np.int64),
        cells // width,
        cells % width,
        overlaps.astype(np.int64),
    )


def _with_views(
    once: ContingencyTable, one: Partition, two: Partition, key: Identities, response: Identities
) -> ContingencyTable:
    """The table of whole entities, with the tables of each side's occurrences."""
    keys, responses = ([list(dict.fromkeys(entity)) for entity in side] for side in (key, response))
    sizes = [len(entity) for entity in keys], [len(entity) for entity in responses]
    width = max(len(responses), 1)
    found: defaultdict[Hashable, list[int]] = defaultdict(list)
    for column, entity in enumerate(responses):
        for mention in entity:
            found[mention].append(column)
    owner = {mention: row for row, entity in enumerate(keys) for mention in entity}
    recall, whole = [], []
    for row, entity in enumerate(keys):
        for columns in (found[mention] for mention in entity if mention in found):
            recall.append(row * width + columns[-1])
            whole += [row * width + column for column in columns]
    precision = [
        owner[mention] * width + column
        for column, entity in enumerate(responses)
        for mention in entity
        if mention in owner
    ]
    views = (_table(*sizes, recall), _table(*sizes, precision), once)
    return replace(
        _table(*sizes, whole),
        repeated=(one.repeated, two.repeated),
        collapsed=(one.collapsed, two.collapsed),
        pair=once.pair,
        views=views,
    )


def partition(given: Identities, repeats: str = "largest") -> Partition:
    """Entities without their repeated mentions; entities left without a mention are dropped."""
    entities = [dict.fromkeys(entity) for entity in given]
    collapsed = sum(map(len, given)) - sum(map(len, entities))
    owner = owners(entities, repeats)
    total = sum(map(len, entities))
    sizes = [0] * len(entities)
    for index in owner.values():
        sizes[index] += 1
    if 0 in sizes:
        position = np.cumsum([size > 0 for size in sizes]) - 1
        owner = {mention: int(position[index]) for mention, index in owner.items()}
        sizes = [size for size in sizes if size]
    return Partition(sizes, owner, total - len(owner), collapsed)


def owners(entities: Sequence[Collection[Hashable]], repeats: str) -> dict[Hashable, int]:
    """The entity that each mention is counted in; the last of several if all count."""
    owner = {mention: index for index, entity in enumerate(entities) for mention in entity}
    if len(owner) < sum(map(len, entities)) and repeats != "all":
        order = _by_weight(entities) if repeats == "largest" else range(len(entities))[::-1]
        owner = {mention: index for index in order for mention in entities[index]}
    return owner


def _by_weight(entities: Sequence[Collection[Hashable]]) -> list[int]:
    """The entities in increasing order of their claim on a shared mention."""

    def position(index: int) -> list[Any]:
        mentions: list[Any] = list(entities[index])
        try:
            return sorted(mentions)
        except TypeError:
            return sorted(map(repr, mentions))

    first = sorted(range(len(entities)), key=position, reverse=True)
    return sorted(first, key=lambda index: len(entities[index]))
