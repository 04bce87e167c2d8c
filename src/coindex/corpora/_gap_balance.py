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
a page, the rarer patterns go first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coindex.core.problem import Problem
from coindex.corpora._gap_rules import GENDERS, PATTERNS, Rules, rules
from coindex.corpora._items import Dropped
from coindex.errors import InvalidValue

Cell = tuple[str, str]
"""Gender and pattern."""

Sides = tuple[int, int]
"""How many examples do not name their page's entity, and how many do."""

CELLS = tuple((kind, pattern) for pattern in PATTERNS for kind in GENDERS)


@dataclass(frozen=True, slots=True)
class Balanced:
    """What stays, by id, and what does not, with the dimension it is dropped for."""

    kept: tuple[Problem, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How many of each cell's sides are taken, and why the others are not."""

    take: dict[Cell, Sides]
    reasons: dict[Cell, list[str]]


def rank(seed: int, name: str) -> bytes:
    """Where an example stands in the draw."""
    return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "surrogatepass")).digest()


def balance(problems: Iterable[Problem], seed: int, limits: Rules | None = None) -> Balanced:
    """The largest balanced part of some examples."""
    limits = limits or rules()
    drawn = sorted(problems, key=lambda problem: (rank(seed, problem.id), problem.id))
    few, crowded = _per_page(drawn, limits)
    cells: dict[Cell, list[Problem]] = {cell: [] for cell in CELLS}
    for problem in few:
        cells[cell_of(problem)].append(problem)
    plan = _plan({cell: _sides(found) for cell, found in cells.items()}, limits)
    kept: list[Problem] = []
    dropped = [(problem, "page") for problem in crowded]
    for cell, found in cells.items():
        chosen = _chosen(found, *plan.take[cell])
        ids = {problem.id for problem in chosen}
        kept += chosen
        rest = [problem for problem in found if problem.id not in ids]
        dropped += zip(rest, plan.reasons[cell], strict=True)
    return Balanced(
        tuple(sorted(kept, key=lambda problem: problem.id)),
        tuple(_dropped(problem, why) for problem, why in sorted(dropped, key=lambda d: d[0].id)),
    )


def _dropped(problem: Problem, why: str) -> Dropped:
    return Dropped(problem.id, "balance", why, problem.text[-160:])


def _per_page(drawn: Sequence[Problem], limits: Rules) -> tuple[list[Problem], list[Problem]]:
    """What stays of each page and gender, in the order drawn, and the rest."""
    pages: dict[tuple[str, str], list[Problem]] = {}
    for problem in drawn:
        page = problem.fact("page") or problem.source or problem.id
        pages.setdefault((page, problem.group or ""), []).append(problem)
    staying: set[str] = set()
    for found in pages.values():
        found.sort(key=lambda problem: problem.fact("pattern") == PATTERNS[0])
        staying |= {problem.id for problem in found[: limits.per_page]}
    kept = [problem for problem in drawn if problem.id in staying]
    return kept, [problem for problem in drawn if problem.id not in staying]


def _on_page(problem: Problem) -> bool:
    return problem.fact("entity") == "true"


def _sides(found: Sequence[Problem]) -> Sides:
    named = sum(map(_on_page, found))
    return len(found) - named, named


def _chosen(found: Sequence[Problem], without: int, named: int) -> list[Problem]:
    """The first so many of each side, in the order drawn."""
    return [
        *[problem for problem in found if not _on_page(problem)][:without],
        *[problem for problem in found if _on_page(problem)][:named],
    ]


def _plan(sizes: Mapping[Cell, Sides], limits: Rules) -> _Plan:
    free = _units(sizes, limits, entity=False)
    entity = all(any(side) for side in zip(*sizes.values(), strict=True))
    units = _units(sizes, limits, entity=True) if entity else free
    named = _named(sizes, units, limits, entity)
    take = {cell: (units * _weight(cell, limits) - named[cell], named[cell]) for cell in sizes}
    reasons = {}
    for cell, sides in sizes.items():
        weight = _weight(cell, limits)
        fewest = min(sum(sizes[kind, cell[1]]) for kind in GENDERS)
        reasons[cell] = (
            ["gender"] * (sum(sides) - fewest)
            + ["pattern"] * (fewest - weight * free)
            + ["entity"] * (weight * (free - units))
        )
    return _Plan(take, reasons)


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
