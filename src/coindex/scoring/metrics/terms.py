"""Terms: what a metric counted in one document, entity by entity or pair by pair.

A metric that defines `explain` says what its counts consist of. The terms of a document add up to
the counts of `count`, so that an explanation is the score and not a story about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from coindex.scoring.contingency import ContingencyTable


class Term(NamedTuple):
    """One summand of a metric's counts.

    key, response  the entities that it is about, if any
    counts         what it adds to each count of the metric
    detail         how the numbers come about
    """

    key: int | None
    response: int | None
    counts: tuple[float, ...]
    detail: str = ""


class Part(NamedTuple):
    """A part of an entity: the entity of the other side, its size, and the shared mentions."""

    other: int
    size: int
    overlap: int


Parts = list[Part]
Numerator = Callable[[int, Parts], float]
"""What an entity of some size adds to the numerator."""

Describe = Callable[[int, Parts, str], str]
"""How it comes about; the last argument is the letter of the other side."""


def parts_of(table: ContingencyTable) -> tuple[list[Parts], list[Parts]]:
    """The parts of each key entity, and of each response entity."""
    keys: list[Parts] = [[] for _ in table.key]
    responses: list[Parts] = [[] for _ in table.response]
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.overlaps.tolist(), strict=True)
    for row, column, overlap in cells:
        keys[row].append(Part(column, int(table.response[column]), overlap))
        responses[column].append(Part(row, int(table.key[row]), overlap))
    return keys, responses


def entity_terms(
    table: ContingencyTable, numerator: Numerator, total: Callable[[int], int], describe: Describe
) -> tuple[Term, ...]:
    """A term for each entity: of the key for recall, of the response for precision."""
    keys, responses = parts_of(table)
    terms = []
    for at, (size, parts) in enumerate(zip(table.key.tolist(), keys, strict=True)):
        counts: tuple[float, ...] = (numerator(size, parts), total(size), 0, 0)
        terms.append(Term(at, None, counts, describe(size, parts, "R")))
    for at, (size, parts) in enumerate(zip(table.response.tolist(), responses, strict=True)):
        counts = (0, 0, numerator(size, parts), total(size))
        terms.append(Term(None, at, counts, describe(size, parts, "K")))
    return tuple(terms)


def aligned_terms(
    table: ContingencyTable,
    pairs: list[tuple[int, int]],
    similarity: Callable[[int, int, int], float],
    totals: tuple[list[int], list[int]],
    describe: Callable[[int, int, int], str],
) -> tuple[Term, ...]:
    """A term for each aligned pair of entities, and for each entity that is not aligned.

    similarity, describe  of an overlap and the sizes of two entities
    totals                what the entities of each side add to the totals
    """
    keys, _ = parts_of(table)
    terms = []
    for row, column in pairs:
        overlap = next(part.overlap for part in keys[row] if part.other == column)
        sizes = int(table.key[row]), int(table.response[column])
        value = similarity(overlap, *sizes)
        counts = (value, totals[0][row], value, totals[1][column])
        terms.append(Term(row, column, counts, describe(overlap, *sizes)))
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    for row, total in enumerate(totals[0]):
        if row not in rows:
            terms.append(Term(row, None, (0, total, 0, 0), "not aligned"))
    for column, total in enumerate(totals[1]):
        if column not in columns:
            terms.append(Term(None, column, (0, 0, 0, total), "not aligned"))
    return tuple(terms)
