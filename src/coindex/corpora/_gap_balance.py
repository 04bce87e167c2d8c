"""What is sent for annotation: the dimensions of section 3.1 that need no label.

    page      at most 3 examples a page and gender
    gender    1:1, in each pattern
    pattern   final : medial : initial as 6:1:1, in each gender
    entity    as many examples with a name of the page's entity as without

The corpus is as large as these allow. With u the number of medial examples of one gender,
there are 6u, u and u of each gender; how many of them name the page's entity may differ from
cell to cell, as long as the sum is one half. Where all examples are alike in this (a
source without titles), the dimension is left out. Which examples of a cell stay is drawn by
a digest of the seed and the example's id, so the order of the input does not matter; on
a page, the rarer patterns go first. Only places in the draw are kept, on disk (`_disk`): the
examples themselves are gone over again.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, islice

from coindex.core.problem import Problem
from coindex.corpora._disk import Row, Rows, Seen, borders, within
from coindex.corpora._gap_rules import GENDERS, PATTERNS, Rules, rules
from coindex.corpora._items import Dropped
from coindex.errors import InvalidValue

Cell = tuple[str, str]
"""Gender and pattern."""

Sides = tuple[int, int]
"""How many examples do not name their page's entity, and how many do."""

REASONS = ("gender", "pattern", "entity")
"""Why an example that its page allows is left out."""

CELLS = tuple((kind, pattern) for pattern in PATTERNS for kind in GENDERS)


@dataclass(frozen=True, slots=True)
class Balanced:
    """What stays, by id, and what does not, with the dimension it is dropped for."""

    kept: tuple[Problem, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How many of each cell's sides are taken, and how many are left, by the reason."""

    take: dict[Cell, Sides]
    left: dict[Cell, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class _Limits:
    """How far in the draw each side of a cell is taken, and each reason holds for the rest."""

    taken: dict[Row, Row]
    reasons: tuple[tuple[str, dict[Row, Row]], ...]


def rank(seed: int, name: str) -> bytes:
    """Where an example stands in the draw."""
    return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "surrogatepass")).digest()


def balance(problems: Iterable[Problem], seed: int, limits: Rules | None = None) -> Balanced:
    """The largest balanced part of some examples."""
    found = list(balanced(list(problems), seed, limits or rules()))
    dropped = [each for each in found if isinstance(each, Dropped)]
    return Balanced(
        tuple(each for each in found if isinstance(each, Problem)),
        tuple(sorted(dropped, key=lambda drop: drop.id)),
    )


def balanced(problems: Iterable[Problem], seed: int, limits: Rules) -> Iterator[Problem | Dropped]:
    """What is not in the largest balanced part of some examples, and then what is, by id.

    problems  are gone over twice
    """
    with closing(Seen()) as few, closing(Rows()) as kept:
        found = _limits(problems, seed, few, limits)
        for problem in problems:
            reason = _reason(problem, seed, found) if few.has(problem.id) else "page"
            if reason:
                yield _dropped(problem, reason)
            else:
                kept.add((problem.id, pickle.dumps(problem)))
        for _, packed in kept:
            yield pickle.loads(packed)  # type: ignore[arg-type]


def _dropped(problem: Problem, why: str) -> Dropped:
    return Dropped(problem.id, "balance", why, problem.text[-160:])


def _limits(problems: Iterable[Problem], seed: int, few: Seen, limits: Rules) -> _Limits:
    """How far in the draw examples are taken; `few` gets what stays of each page."""
    with (
        closing(Rows(_on_pages(problems, seed))) as pages,
        closing(Rows(_per_page(pages, few, limits))) as staying,
    ):
        plan = _plan(_sizes(staying), limits)
        sides: dict[Row, int] = {
            (*cell, side): most for cell, own in plan.take.items() for side, most in enumerate(own)
        }
        taken = borders(staying, 3, sides)
        left = (row for row in staying if not within(row[:3], row[3:], taken))
        with closing(Rows((*row[:2], *row[3:]) for row in left)) as rest:
            return _Limits(taken, tuple(_reasons(rest, plan)))


def _on_pages(problems: Iterable[Problem], seed: int) -> Iterator[Row]:
    """Page, gender, whether of the frequent pattern, place in the draw; pattern and side."""
    for problem in problems:
        page = problem.fact("page") or problem.source or problem.id
        kind, pattern = cell_of(problem)
        place = (rank(seed, problem.id), problem.id)
        yield page, kind, pattern == PATTERNS[0], *place, pattern, _side(problem)


def _per_page(pages: Iterable[Row], few: Seen, limits: Rules) -> Iterator[Row]:
    """What stays of each page and gender: cell, side, place in the draw."""
    for _, found in groupby(pages, lambda row: row[:2]):
        for _, kind, _, drawn, id, pattern, side in islice(found, limits.per_page):
            few.add(str(id))
            yield kind, pattern, side, drawn, id


def _reasons(rest: Rows, plan: _Plan) -> Iterator[tuple[str, dict[Row, Row]]]:
    """For each reason, how far in the draw of what is not taken it holds."""
    for at, why in enumerate(REASONS, 1):
        yield why, borders(rest, 2, {cell: sum(own[:at]) for cell, own in plan.left.items()})


def _reason(problem: Problem, seed: int, found: _Limits) -> str:
    """Why an example that its page allows is not taken; nothing if it is."""
    cell, drawn = cell_of(problem), (rank(seed, problem.id), problem.id)
    if within((*cell, _side(problem)), drawn, found.taken):
        return ""
    return next(why for why, limits in found.reasons if within(cell, drawn, limits))


def _side(problem: Problem) -> int:
    """1 for an example that names its page's entity."""
    return int(problem.fact("entity") == "true")


def _sizes(staying: Iterable[Row]) -> dict[Cell, Sides]:
    counts = Counter(row[:3] for row in staying)
    return {(a, b): (counts[a, b, 0], counts[a, b, 1]) for a, b in CELLS}


def _plan(sizes: Mapping[Cell, Sides], limits: Rules) -> _Plan:
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


def _weight(cell: Cell, limits: Rules) -> int:
    return limits.ratio[PATTERNS.index(cell[1])]


def _units(sizes: Mapping[Cell, Sides], limits: Rules, *, entity: bool) -> int:
    """The largest number of units for which there are enough examples."""
    units = min(sum(sides) // _weight(cell, limits) for cell, sides in sizes.items())
    while entity and units:
        low, high = map(sum, zip(*_bounds(sizes, units, limits).values(), strict=True))
        if low <= _half(units, limits) <= high:
            break
        units -= 1
    return units


def _half(units: int, limits: Rules) -> int:
    return units * sum(limits.ratio)  # two genders, and one half of them


def _bounds(sizes: Mapping[Cell, Sides], units: int, limits: Rules) -> dict[Cell, Sides]:
    """For each cell, how few and how many of its examples can name their page."""
    found = {}
    for cell, (without, named) in sizes.items():
        need = units * _weight(cell, limits)
        found[cell] = max(0, need - without), min(need, named)
    return found


def _named(sizes: Mapping[Cell, Sides], units: int, limits: Rules, entity: bool) -> dict[Cell, int]:
    """How many of each cell name their page: half where possible, the sum exactly half."""
    bounds = _bounds(sizes, units, limits)
    found = {
        cell: min(high, max(low, units * _weight(cell, limits) // 2))
        for cell, (low, high) in bounds.items()
    }
    for cell, (low, high) in bounds.items():
        lacking = _half(units, limits) - sum(found.values())
        if entity and lacking:
            found[cell] = min(high, max(low, found[cell] + lacking))
    return found


def cell_of(problem: Problem) -> Cell:
    """An example's gender and pattern."""
    cell = problem.group or "", problem.fact("pattern") or ""
    if cell not in CELLS:
        raise InvalidValue(
            f"{problem.id}: expected a gender ({', '.join(GENDERS)}) and a pattern"
            f" ({', '.join(PATTERNS)}), found {cell[0]!r} and {cell[1]!r}"
        )
    return cell
