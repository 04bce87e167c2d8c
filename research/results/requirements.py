"""What was required, and what was reached: by the best system, and by each."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf

from coindex.report.table import Cell, Note, Table, text_notes
from research.results.formatting import NOT_RUN, decimals, format_number, format_summary
from research.results.leaderboard import Leaderboard
from research.results.plan import Plan, Requirement, column
from research.results.seeds import Summary

MET, MISSED = "met", "missed"


def requirements_table(plan: Plan, leaderboard: Leaderboard) -> Table:
    """Required against reached; the bars of one group are those of one system.

    Otherwise a system that ignores the pronoun would meet the bars on bias, and
    another those on accuracy.
    """
    rows: list[tuple[Cell, ...]] = []
    for bars in _groups(plan):
        system = best_system(bars, leaderboard)
        for bar in bars:
            result = None if system is None else leaderboard.figure(system, column(bar.figure))
            rows.append((
                bar.title, bar.papers, required(bar), bar.aim,
                format_summary(result, column(bar.figure).figure),
                "" if system is None else plan.title(system), verdict(bar, result),
            ))  # fmt: skip
    columns = ("", "papers' best", "required", "aim", "reached", "by", "")
    absent = [
        each.title or each.name for each in plan.system if each.name not in leaderboard.systems
    ]
    notes = [f"Systems that were not run yet: {'; '.join(absent)}."] if absent else []
    notes += [f"{bar.title}: {bar.note}" for bar in plan.bar if bar.note]
    return Table("Required and reached", columns, tuple(rows), text_notes(count_met(rows), *notes))


def requirements_by_system(plan: Plan, leaderboard: Leaderboard) -> Table:
    """Every system that was run on half of what is required: its figures, the bars it meets."""
    rows: list[tuple[Cell, ...]] = []
    marked = set()
    for system in _systems(plan, leaderboard):
        result = [leaderboard.figure(system, column(bar.figure)) for bar in plan.bar]
        if 2 * sum(each is not None for each in result) < len(result):
            continue
        cells: list[Cell] = [plan.title(system)]
        for at, (bar, each) in enumerate(zip(plan.bar, result, strict=True), 1):
            figure = column(bar.figure).figure
            value = None if each is None else each.value
            cells.append(None if value is None else format_number(value, decimals(figure)))
            if bar.met(value):
                marked.add((len(rows), at))
        met = sum(row == len(rows) for row, _ in marked)
        rows.append((*cells, f"{met} of {len(plan.bar)}"))
    columns = ("system", *(bar.title for bar in plan.bar), MET)
    title = "The same for each system: means over seeds"
    return Table(title, columns, tuple(rows), (Note("marked", "as required."),), frozenset(marked))


def best_system(bars: list[Requirement], leaderboard: Leaderboard) -> str | None:
    """Of the systems that meet the first bar the one that meets most, else the best in it.

    None if no system was run.
    """

    def merit(system: str) -> tuple[bool, int, float]:
        values = [value_of(system, bar, leaderboard) for bar in bars]
        met = [bar.met(value) for bar, value in zip(bars, values, strict=True)]
        return met[0], sum(met) if met[0] else 0, -inf if values[0] is None else values[0]

    run = [each for each in leaderboard.systems if value_of(each, bars[0], leaderboard) is not None]
    return max(run, key=merit, default=None)


def value_of(system: str, bar: Requirement, leaderboard: Leaderboard) -> float | None:
    """The figure of a bar; None where it was not run."""
    result = leaderboard.figure(system, column(bar.figure))
    return None if result is None else result.value


def required(bar: Requirement) -> str:
    """The bounds in words."""
    if isinf(bar.most):
        return f"at least {bar.least:g}"
    if isinf(bar.least):
        return f"at most {bar.most:g}"
    return f"{bar.least:g} to {bar.most:g}"


def verdict(bar: Requirement, found: Summary | None) -> str:
    """Met, missed by how much, or not run."""
    if found is None or found.value is None:
        return NOT_RUN
    if bar.met(found.value):
        return MET
    apart = bar.least - found.value if found.value < bar.least else found.value - bar.most
    places = 2 if apart < 0.1 else decimals(column(bar.figure).figure)
    return f"{MISSED} by {max(apart, 10**-places):.{places}f}"


def count_met(rows: Sequence[tuple[Cell, ...]]) -> str:
    """How many bars are met."""
    verdicts = [row[-1] for row in rows]
    missing = verdicts.count(NOT_RUN)
    return f"{verdicts.count(MET)} of {len(verdicts)} met; {missing} {NOT_RUN}."


def _groups(plan: Plan) -> list[list[Requirement]]:
    result: dict[str, list[Requirement]] = {}
    for bar in plan.bar:
        result.setdefault(bar.group or bar.title, []).append(bar)
    return list(result.values())


def _systems(plan: Plan, leaderboard: Leaderboard) -> list[str]:
    """Those of the plan in its order, then others."""
    known = [each.name for each in plan.system if each.name in leaderboard.systems]
    return known + [name for name in leaderboard.systems if name not in known]
