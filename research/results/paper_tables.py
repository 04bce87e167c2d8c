"""A paper's table with our rows in front."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from coindex.report.table import Cell, Note, Table, text_notes
from research.results.formatting import decimals, format_number, format_summary, millions, places_of
from research.results.leaderboard import Leaderboard
from research.results.paper_rows import PaperRow, notes, paper_rows
from research.results.plan import Column, PaperTable, Plan
from research.results.seeds import Summary

FIRST = ("system", "from", "parameters", "CPU ms")
NO_SYSTEM = "Human"
"""A row of people, with whom systems are not ranked."""
_LOST = frozenset({"both", "none", "incorrect"})
"""Shares of what went wrong: to be the highest here is not to be the best."""


def paper_table(table: PaperTable, plan: Plan, leaderboard: Leaderboard) -> Table:
    """Our systems in the order of the plan, then the paper's."""
    columns = table.figures
    ours = [[_figure(name, c, plan, leaderboard) for c in columns] for name in table.systems]
    papers = paper_rows(table)
    rows: list[tuple[Cell, ...]] = [
        (plan.title(name), *_metadata_cells(name, columns, leaderboard), *_cells(result, columns))
        for name, result in zip(table.systems, ours, strict=True)
    ]
    rows += _paper_cells(papers, table)
    values = [[None if each is None else each.value for each in result] for result in ours]
    values += [
        [None] * len(columns) if row.system == NO_SYSTEM else list(row.values) for row in papers
    ]
    return Table(
        table.title,
        (*FIRST, *(each.title for each in columns)),
        tuple(rows),
        (Note("marked", "the best of a column."), *text_notes(*table.notes, *notes(table))),
        _best(values, columns),
    )


def _figure(system: str, column: Column, plan: Plan, leaderboard: Leaderboard) -> Summary | None:
    if not column.gain:
        return leaderboard.figure(system, column)
    plain = plan.plain(system)
    return (
        leaderboard.difference(system, plain, column)
        if plain
        else Summary(float("nan"), None, None, 0)
    )


def _cells(result: Sequence[Summary | None], columns: Sequence[Column]) -> list[Cell]:
    cells: list[Cell] = []
    for each, column in zip(result, columns, strict=True):
        nothing = each is not None and each.value is not None and isnan(each.value)
        cells.append(None if nothing else format_summary(each, column.figure, signed=column.gain))
    return cells


def _metadata_cells(
    system: str, columns: Sequence[Column], leaderboard: Leaderboard
) -> tuple[Cell, ...]:
    """Where a row is from, how many parameters it has, how long it takes."""
    metadata = leaderboard.metadata(system)
    counts = sorted({len(leaderboard.counts(system, c.task)) for c in columns} - {0})
    origin = "here"
    if any(each.seed is not None for each in metadata) and counts:
        several = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        origin += f", {several} seed{'' if counts[-1] == 1 else 's'}"
    return origin, parameters(system, leaderboard), milliseconds(system, leaderboard)


def parameters(system: str, leaderboard: Leaderboard) -> Cell:
    """How many the model has."""
    values = [
        each.parameters for each in leaderboard.metadata(system) if each.parameters is not None
    ]
    return millions(max(values)) if values else None


def milliseconds(system: str, leaderboard: Leaderboard) -> Cell:
    """For one item, the mean over seeds."""
    values = [
        each.ms_per_item for each in leaderboard.metadata(system) if each.ms_per_item is not None
    ]
    if not values:
        return None
    mean = sum(values) / len(values)
    return format_number(mean, 0 if mean >= 10 else 1 if mean >= 0.1 else 3)


def _paper_cells(rows: Sequence[PaperRow], table: PaperTable) -> list[tuple[Cell, ...]]:
    """Numbers with as many decimals as the paper's column has."""
    result: list[tuple[Cell, ...]] = []
    places = [
        places_of(value for row in rows if (value := row.values[at]) is not None)
        for at in range(len(table.columns))
    ]
    for row in rows:
        cells = [
            None if value is None else format_number(value, places[at], signed=column.gain)
            for at, (value, column) in enumerate(zip(row.values, table.figures, strict=True))
        ]
        origin = "paper" if row.source == table.source else row.source
        result.append((row.system, origin, None, None, *cells))
    return result


def _best(
    values: Sequence[Sequence[float | None]], columns: Sequence[Column]
) -> frozenset[tuple[int, int]]:
    """The best cells of each column, as they are shown: rounded."""
    result = set()
    for at, column in enumerate(columns):
        if column.figure in _LOST or column.gain:
            continue
        merits = {
            row: _merit(value, column.figure)
            for row, each in enumerate(values)
            if (value := each[at]) is not None
        }
        best = max(merits.values(), default=0.0)
        result |= {(row, len(FIRST) + at) for row, merit in merits.items() if merit == best}
    return frozenset(result)


def _merit(value: float, figure: str) -> float:
    """The higher the better; a bias is the better, the nearer it is to 1."""
    rounded = round(value, decimals(figure))
    return round(-abs(rounded - 1), 2) if figure == "bias" else rounded
