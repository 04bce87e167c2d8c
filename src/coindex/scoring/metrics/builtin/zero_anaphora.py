"""Zero anaphora: the zeros that were resolved, one by one (the anaphor-decomposable score).

A zero that is not the first mention of its key entity is resolved (tp) if the response has it
together with a mention that the key has before it. It has a wrong link (wl) if the response
links it to other mentions only, and it is missed (fn) if the response does not have it, or has
it as the first mention of an entity. A zero of the response that is not the first mention of
its entity, and not a zero with an antecedent in the key, is spurious (fp).
recall = tp / (tp + wl + fn); precision = tp / (tp + wl + fp).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from coindex.errors import UsageError
from coindex.scoring.contingency import ContingencyTable, Floats, owners
from coindex.scoring.matching.protocol import Identify
from coindex.scoring.metrics.ratio import recall_precision_f1

if TYPE_CHECKING:
    from coindex.types.document import Document

TITLE = "zero anaphora"
ORDER = 100
ALIASES = ("als-zeros",)
AVERAGE_OF = ()
IN_ALL = False
REPEATED = "whole"
IN_RANKINGS = False
COUNTS = ("resolved", "zeros of the key", "resolved", "zeros of the response")
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Resolved zeros, and the zeros of each side that have an antecedent."""
    if table.pair is None:
        raise UsageError("zero-anaphora: zeros are needed, and plain entities have none")
    pair = table.pair
    response = _entities(pair.response, pair.of_response, pair.repeats)
    owner = {identity: at for at, entity in enumerate(response) for identity, _ in entity}
    firsts = {entity[0][0] for entity in response}
    resolved, wrong, missed, seen = _count_key(
        _entities(pair.key, pair.of_key, pair.repeats), owner, firsts
    )
    spurious = sum(
        is_zero and identity not in firsts and identity not in seen
        for entity in response
        for identity, is_zero in entity
    )
    totals = resolved + wrong + missed, resolved + wrong + spurious
    return np.array([resolved, totals[0], resolved, totals[1]], float)


Mentions = list[tuple[Hashable, bool]]
"""The identity of each mention of an entity, in reading order, and whether it is a zero."""


def _entities(document: Document, identify: Identify, repeats: str) -> list[Mentions]:
    """The entities of a document, without the mentions that count in another one."""
    from coindex.scoring.zeros import zero_test

    is_zero = zero_test(document)
    entities = [[(identify(m), is_zero(m)) for m in e.mentions] for e in document.entities]
    owner = owners([dict(entity) for entity in entities], repeats)
    counted = (
        [each for each in dict(entity).items() if repeats == "all" or owner[each[0]] == at]
        for at, entity in enumerate(entities)
    )
    return [entity for entity in counted if entity]


def _count_key(
    key: list[Mentions], owner: dict[Hashable, int], firsts: set[Hashable]
) -> tuple[int, int, int, set[Hashable]]:
    """Resolved, wrongly linked and missed zeros of the key, and those the response has."""
    resolved = wrong = missed = 0
    seen: set[Hashable] = set()
    for entity in key:
        before: set[int] = set()
        for at, (identity, is_zero) in enumerate(entity):
            other = owner.get(identity)
            if at and is_zero:
                if other is None or identity in firsts:
                    missed += 1
                else:
                    resolved += other in before
                    wrong += other not in before
                if other is not None:
                    seen.add(identity)
            if other is not None:
                before.add(other)
    return resolved, wrong, missed, seen
