"""Split antecedents (Paun et al. 2022): plural entities whose antecedents are several entities.

An entity whose elements are annotated gets one mention more, its split antecedent: the set of its
elements, down to entities that have no elements themselves. Entities with the same split
antecedent are merged. The split antecedents of key and response are aligned one to one by the F1
that the metric itself gives to their elements, taken as entities. An aligned pair then counts as
a fraction of a mention: its recall where the metric computes recall, its precision for
precision, its F1 where whole entities are compared (CEAF).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from coindex.errors import UsageError
from coindex.formats.conllua_markables import ELEMENT_OF
from coindex.scoring.contingency import (
    ContingencyTable,
    Floats,
    ScoredPair,
    contingency_table,
    owners,
)
from coindex.scoring.matching.one_to_one import best_pairs
from coindex.scoring.matching.protocol import Identify
from coindex.scoring.metrics.protocol import CountingMetric
from coindex.types.document import Document

Elements = list[list[Hashable]]
"""The mentions of each element of a split antecedent."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The entities of one side, and the split antecedents of some of them."""

    entities: list[list[Hashable]]
    splits: dict[int, Elements]
    repeated: int


def split_table(pair: ScoredPair) -> ContingencyTable:
    """The table of two documents, with a mention more for each split antecedent."""
    if pair.repeats == "all":
        raise UsageError("split antecedents need --repeats largest or first, found all")
    key = _side(pair.key, pair.of_key, pair.repeats)
    response = _side(pair.response, pair.of_response, pair.repeats)
    table = contingency_table(key.entities, response.entities, pair=pair)
    sizes = [
        sizes + np.array([at in side.splits for at in range(len(sizes))], np.int64)
        for sizes, side in ((table.key, key), (table.response, response))
    ]
    return replace(
        table,
        key=sizes[0],
        response=sizes[1],
        repeated=(key.repeated, response.repeated),
        splits=(key.splits, response.splits),
    )


def _side(document: Document, identify: Identify, repeats: str) -> _Side:
    entities = [[identify(m) for m in entity.mentions] for entity in document.entities]
    owner = owners([dict.fromkeys(entity) for entity in entities], repeats)
    counted = [
        [mention for mention in dict.fromkeys(entity) if owner[mention] == at]
        for at, entity in enumerate(entities)
    ]
    merged: dict[Hashable, list[int]] = {}
    elements = _elements(document)
    for at in range(len(entities)):
        merged.setdefault(frozenset(elements[at]) if at in elements else at, []).append(at)
    groups = [group for group in merged.values() if any(counted[at] for at in group)]
    return _Side(
        [[mention for at in group for mention in counted[at]] for group in groups],
        {
            number: [entities[element] for element in sorted(elements[group[0]])]
            for number, group in enumerate(groups)
            if group[0] in elements
        },
        sum(map(len, map(set, entities))) - len(owner),
    )


def _elements(document: Document) -> dict[int, set[int]]:
    """The elements of each plural entity that have no elements themselves."""
    index = {entity.id: at for at, entity in enumerate(document.entities)}
    direct: dict[int, list[int]] = {}
    for at, entity in enumerate(document.entities):
        for id in dict(entity.attrs).get(ELEMENT_OF, "").split(","):
            if id in index and index[id] != at:
                direct.setdefault(index[id], []).append(at)
    found = {}
    for plural in direct:
        waiting, seen = [plural], {plural}
        while waiting:
            new = [each for each in direct.get(waiting.pop(), ()) if each not in seen]
            seen.update(new)
            waiting += new
        found[plural] = {each for each in seen if each not in direct}
    return {plural: elements for plural, elements in found.items() if elements}


def count_splits(metric: CountingMetric, table: ContingencyTable) -> Floats:
    """The counts of a metric whose table has split antecedents."""
    if metric.REPEATED == "recall":
        raise UsageError(f"{metric.TITLE} is not defined for split antecedents")
    if table.splits is None or metric.REPEATED == "once":
        return metric.count(_without_splits(table))
    aligned = _align(metric, *table.splits)
    recall, precision, f1 = (
        _with_credit(table, {cell: scores[at] for cell, scores in aligned.items()})
        for at in range(3)
    )
    if metric.REPEATED == "whole":
        return metric.count(f1)
    return np.concatenate([metric.count(recall)[:2], metric.count(precision)[2:]])


def _without_splits(table: ContingencyTable) -> ContingencyTable:
    if table.splits is None:
        return table
    key, response = (
        sizes - np.array([at in splits for at in range(len(sizes))], np.int64)
        for sizes, splits in zip((table.key, table.response), table.splits, strict=True)
    )
    return replace(table, key=key, response=response)


def _align(
    metric: CountingMetric, key: dict[int, Elements], response: dict[int, Elements]
) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Recall, precision and F1 of the split antecedents that are aligned, by their entities."""
    count = getattr(metric, "count_elements", metric.count)
    scores = {}
    for row, one in key.items():
        for column, two in response.items():
            recall, precision, f1 = metric.score(count(contingency_table(one, two))).tolist()
            if f1 > 0:
                scores[row, column] = (recall, precision, f1)
    pairs = best_pairs({cell: each[2] for cell, each in scores.items()})
    return {pair: scores[pair] for pair in pairs}


def _with_credit(table: ContingencyTable, credit: dict[tuple[int, int], float]) -> ContingencyTable:
    """The table with a fraction of a mention more in some cells."""
    rows, columns, overlaps = table.rows.tolist(), table.columns.tolist(), table.overlaps.tolist()
    cells = dict(zip(zip(rows, columns, strict=True), overlaps, strict=True))
    cells.update({cell: 0 for cell in credit if cell not in cells})
    places = np.array(list(cells), np.int64).reshape(-1, 2)
    return replace(
        table,
        rows=places[:, 0],
        columns=places[:, 1],
        overlaps=np.array(list(cells.values()), np.int64),
        credit=np.array([credit.get(cell, 0.0) for cell in cells], float),
    )
