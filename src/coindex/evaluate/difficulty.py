"""How hard the items of a benchmark are: by how many systems get them right.

GAP (Webster et al. 2018, section 5, Tables 11 and 12). The unit is a pair of a pronoun and a
name: the right name if there is one, and each name if none is right, since a system's decisions on
two names are not independent (footnote 21). A system agrees with the answer if it accepts the
right name or rejects a wrong one. All systems agree: green; none: red; the others: yellow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coindex.errors import InvalidValue
from coindex.report.table import Cell, Table, pluralize, text_notes
from coindex.types.decision import MatchedDecisions, answer_of
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pronoun and a name, and what each system chose; `agree` is who is right."""

    problem: Problem
    index: int
    chosen: tuple[tuple[int, ...], ...]
    agree: tuple[bool, ...]

    @property
    def count(self) -> int:
        """How many systems are right."""
        return sum(self.agree)


@dataclass(frozen=True, slots=True)
class DifficultyLevel:
    """The pairs that a number of systems got right."""

    colour: str
    agreeing: int
    pairs: tuple[JudgedPair, ...]


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The pairs of a benchmark by how many systems are right, the easiest first."""

    systems: tuple[str, ...]
    levels: tuple[DifficultyLevel, ...]

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return sum(len(level.pairs) for level in self.levels)

    @property
    def average(self) -> float | None:
        """How many systems are right, on average."""
        right = sum(level.agreeing * len(level.pairs) for level in self.levels)
        return right / self.total if self.total else None

    @property
    def red(self) -> tuple[JudgedPair, ...]:
        """The pairs that no system got right."""
        return self.levels[-1].pairs

    @property
    def red_items(self) -> tuple[JudgedPair, ...]:
        """The same, each problem once."""
        return tuple({pair.problem.id: pair for pair in reversed(self.red)}.values())[::-1]


def difficulty(systems: Mapping[str, MatchedDecisions]) -> Difficulty:
    """The pairs by how many of the systems are right; all must have the same problems."""
    if not systems:
        raise InvalidValue("expected a system to judge difficulty by, found none")
    first, *others = systems.values()
    if any(each.problems != first.problems for each in others):
        raise InvalidValue("expected systems on the same problems, found others")
    pairs = [
        _pair(problem, index, systems, row)
        for row, problem in enumerate(first.problems)
        for index in answer_of(problem) or range(len(problem.candidates))
    ]
    levels = tuple(
        DifficultyLevel(
            _colour(count, len(systems)), count, tuple(p for p in pairs if p.count == count)
        )
        for count in range(len(systems), -1, -1)
    )
    return Difficulty(tuple(systems), levels)


def _pair(
    problem: Problem, index: int, systems: Mapping[str, MatchedDecisions], row: int
) -> JudgedPair:
    decisions = [matched.decisions[row] for matched in systems.values()]
    has_answer = bool(problem.answer)
    return JudgedPair(
        problem,
        index,
        tuple(decision.chosen for decision in decisions),
        tuple((index in d.chosen) == has_answer and index not in d.undecided for d in decisions),
    )


def _colour(count: int, systems: int) -> str:
    return "green" if count == systems else "yellow" if count else "red"


def difficulty_table(result: Difficulty, title: str) -> Table:
    """As GAP's Table 11."""
    rows: list[tuple[Cell, ...]] = [
        (
            level.colour,
            level.agreeing,
            len(level.pairs),
            100 * len(level.pairs) / result.total if result.total else None,
        )
        for level in result.levels
    ]
    average = "" if result.average is None else f"; {result.average:.1f} on average"
    notes = text_notes(
        f"Right: how many of {pluralize(len(result.systems), 'system')} agree with the answer{average}.",
        "Pairs of pronoun and name: the right name, or each where none is right.",
        f"Systems: {', '.join(result.systems)}.",
    )
    return Table(
        f"Difficulty of {title}", ("difficulty", "right", "pairs", "%"), tuple(rows), notes
    )


def unsolved_table(result: Difficulty, title: str, most: int) -> Table:
    """The items that no system gets right, each with its passage and what was chosen."""
    rows = [
        (
            pair.problem.id,
            passage(pair.problem),
            candidate_names(pair.problem, pair.problem.answer or ()),
            ", ".join(
                dict.fromkeys(candidate_names(pair.problem, chosen) for chosen in pair.chosen)
            ),
        )
        for pair in result.red_items[:most]
    ]
    left = len(result.red_items) - len(rows)
    notes = text_notes(f"{left:,} more; --json lists them all.") if left > 0 else ()
    columns = ("item", "passage", "answer", "systems say")
    return Table(f"No system is right: {title}", columns, tuple(rows), notes)


def candidate_names(problem: Problem, chosen: tuple[int, ...]) -> str:
    """The names of candidates; "none" for none of them."""
    return " + ".join(problem.candidates[index].text for index in chosen) or "none"


def passage(problem: Problem, around: int = 160) -> str:
    """The part of the passage with the pronoun and the names, those in brackets."""
    marks = {problem.target} | {each.chars for each in problem.candidates if each.chars}
    start = max(0, min(mark.start for mark in marks) - around // 4)
    end = min(len(problem.text), max(mark.end for mark in marks) + around // 4)
    pieces, done = ["…"] if start else [], start
    for mark in sorted(marks):
        if mark.start < done:
            continue
        sign = "**" if mark == problem.target else "[]"
        pieces += [problem.text[done : mark.start], sign[0], mark.of(problem.text), sign[1]]
        done = mark.end
    pieces += [problem.text[done:end], "…" if end < len(problem.text) else ""]
    return " ".join("".join(pieces).split())


def difficulty_json(result: Difficulty) -> dict[str, Any]:
    """Every level with the items in it."""
    return {
        "systems": list(result.systems),
        "pairs": result.total,
        "average": result.average,
        "levels": [
            {
                "difficulty": level.colour,
                "right": level.agreeing,
                "pairs": len(level.pairs),
                "items": [[pair.problem.id, pair.index] for pair in level.pairs],
            }
            for level in result.levels
        ],
    }
