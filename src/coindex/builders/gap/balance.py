"""The choice of examples to annotate: the balance of section 3.1 that needs no labels.

    page      at most 3 examples per page and gender
    gender    1:1, in each pattern
    pattern   final : medial : initial as 6:1:1, in each gender
    entity    as many examples with a name of the page's entity as without

The corpus is as large as these constraints allow. With u the number of medial examples of one
gender, there are 6u, u and u of each gender; how many of them name the page's entity may differ
from cell to cell, as long as the sum is one half. If all examples are the same in this respect (a
source without titles), the constraint is left out. Which examples of a cell remain is determined
by a hash of the seed and the example's id, so the order of the input does not matter; on a page,
the rarer patterns take precedence. Only the ranks are stored, on disk (`disk_index`); the examples
are read again.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, islice

from coindex.builders.disk_index import DiskSet, Row, SortedRows, group_limits, within_limit
from coindex.builders.gap.rules import GENDERS, PATTERNS, GapRules
from coindex.builders.protocol import Dropped
from coindex.errors import InvalidValue
from coindex.text.seeded_hash import seeded_rank
from coindex.types.problem import Problem

Cell = tuple[str, str]
"""Gender and pattern."""

EntityCounts = tuple[int, int]
"""The number of examples that do not name their page's entity, and of those that do."""

REASONS = ("gender", "pattern", "entity")
"""Why an example that the limit per page allows is dropped."""

CELLS = tuple((kind, pattern) for pattern in PATTERNS for kind in GENDERS)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How many examples of each cell are taken, and how many are dropped for each reason."""

    take: dict[Cell, EntityCounts]
    left: dict[Cell, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class _Limits:
    """The last rank of each cell that is taken, and the last one dropped for each reason."""

    taken: dict[Row, Row]
    reasons: tuple[tuple[str, dict[Row, Row]], ...]


def balanced(
    problems: Iterable[Problem], seed: int, limits: GapRules
) -> Iterator[Problem | Dropped]:
    """The examples outside of the largest balanced subset, then those in it, by id.

    problems  are iterated over twice
    """
    with closing(DiskSet()) as allowed, closing(SortedRows()) as retained:
        rank_limits = _limits(problems, seed, allowed, limits)
        for problem in problems:
            reason = _reason(problem, seed, rank_limits) if allowed.has(problem.id) else "page"
            if reason:
                yield Dropped(problem.id, "balance", reason, problem.text[-160:])
            else:
                retained.add((problem.id, pickle.dumps(problem)))
        for _, packed in retained:
            assert isinstance(packed, bytes)
            yield pickle.loads(packed)


def _limits(problems: Iterable[Problem], seed: int, allowed: DiskSet, limits: GapRules) -> _Limits:
    """The limits of ranks; the ids that the limit per page allows are added to `allowed`."""
    with (
        closing(SortedRows(_on_pages(problems, seed))) as pages,
        closing(SortedRows(_per_page(pages, allowed, limits))) as staying,
    ):
        counts = Counter(row[:3] for row in staying)
        plan = _plan({(a, b): (counts[a, b, 0], counts[a, b, 1]) for a, b in CELLS}, limits)
        sides: dict[Row, int] = {
            (*cell, side): most for cell, own in plan.take.items() for side, most in enumerate(own)
        }
        taken = group_limits(staying, 3, sides)
        left = (row for row in staying if not within_limit(row[:3], row[3:], taken))
        with closing(SortedRows((*row[:2], *row[3:]) for row in left)) as rest:
            last = []
            for at, why in enumerate(REASONS, 1):
                most: dict[Row, int] = {cell: sum(own[:at]) for cell, own in plan.left.items()}
                last.append((why, group_limits(rest, 2, most)))
            return _Limits(taken, tuple(last))


def _on_pages(problems: Iterable[Problem], seed: int) -> Iterator[Row]:
    """Page, gender, whether of the frequent pattern, rank; pattern and side."""
    for problem in problems:
        page = problem.meta_value("page") or problem.source or problem.id
        kind, pattern = cell_of(problem)
        rank = (seeded_rank(seed, problem.id), problem.id)
        yield page, kind, pattern == PATTERNS[0], *rank, pattern, _side(problem)


def _per_page(pages: Iterable[Row], allowed: DiskSet, limits: GapRules) -> Iterator[Row]:
    """What the limit per page and gender allows: cell, side, rank."""
    for _, rows in groupby(pages, lambda row: row[:2]):
        for _, kind, _, rank, id, pattern, side in islice(rows, limits.per_page):
            allowed.add(str(id))
            yield kind, pattern, side, rank, id


def _reason(problem: Problem, seed: int, rank_limits: _Limits) -> str:
    """Why an example that the limit per page allows is not taken; empty if it is."""
    cell, rank = cell_of(problem), (seeded_rank(seed, problem.id), problem.id)
    if within_limit((*cell, _side(problem)), rank, rank_limits.taken):
        return ""
    return next(why for why, limits in rank_limits.reasons if within_limit(cell, rank, limits))


def _side(problem: Problem) -> int:
    """1 for an example that names its page's entity."""
    return int(problem.meta_value("entity") == "true")


def _plan(sizes: Mapping[Cell, EntityCounts], limits: GapRules) -> _Plan:
    free = _units(sizes, limits, entity=False)
    entity = all(any(side) for side in zip(*sizes.values(), strict=True))
    units = _units(sizes, limits, entity=True) if entity else free
    named = _named(sizes, units, limits, entity)
    take = {cell: (units * _weight(cell, limits) - named[cell], named[cell]) for cell in sizes}
    left = {}
    for cell, sides in sizes.items():
        weight = _weight(cell, limits)
        fewest = min(sum(sizes[kind, cell[1]]) for kind in GENDERS)
        left[cell] = sum(sides) - fewest, fewest - weight * free, weight * (free - units)
    return _Plan(take, left)


def _weight(cell: Cell, limits: GapRules) -> int:
    return limits.ratio[PATTERNS.index(cell[1])]


def _units(sizes: Mapping[Cell, EntityCounts], limits: GapRules, *, entity: bool) -> int:
    """The largest number of units for which there are enough examples."""
    units = min(sum(sides) // _weight(cell, limits) for cell, sides in sizes.items())
    while entity and units:
        low, high = map(sum, zip(*_bounds(sizes, units, limits).values(), strict=True))
        if low <= _half(units, limits) <= high:
            break
        units -= 1
    return units


def _half(units: int, limits: GapRules) -> int:
    return units * sum(limits.ratio)  # two genders, and one half of them


def _bounds(
    sizes: Mapping[Cell, EntityCounts], units: int, limits: GapRules
) -> dict[Cell, EntityCounts]:
    """For each cell, the least and greatest number of its examples that can name their page."""
    bounds = {}
    for cell, (without, named) in sizes.items():
        need = units * _weight(cell, limits)
        bounds[cell] = max(0, need - without), min(need, named)
    return bounds


def _named(
    sizes: Mapping[Cell, EntityCounts], units: int, limits: GapRules, entity: bool
) -> dict[Cell, int]:
    """How many of each cell name their page: half if possible, in total exactly half."""
    bounds = _bounds(sizes, units, limits)
    named = {
        cell: min(high, max(low, units * _weight(cell, limits) // 2))
        for cell, (low, high) in bounds.items()
    }
    for cell, (low, high) in bounds.items():
        missing = _half(units, limits) - sum(named.values())
        if entity and missing:
            named[cell] = min(high, max(low, named[cell] + missing))
    return named


def cell_of(problem: Problem) -> Cell:
    """An example's gender and pattern."""
    cell = problem.group or "", problem.meta_value("pattern") or ""
    if cell not in CELLS:
        raise InvalidValue(
            f"{problem.id}: expected a gender ({', '.join(GENDERS)}) and a pattern"
            f" ({', '.join(PATTERNS)}), found {cell[0]!r} and {cell[1]!r}"
        )
    return cell
