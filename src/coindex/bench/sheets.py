"""A paper's table with our rows in front."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from coindex.bench._papers_rows import PaperRow, notes, paper_rows
from coindex.bench._shown import decimals, millions, number, places_of, shown
from coindex.bench.board import Board
from coindex.bench.plan import Column, Plan, Sheet
from coindex.bench.seeds import Summary
from coindex.scoring._cells import MARKED
from coindex.scoring.grid import Cell, Grid

FIRST = ("system", "from", "parameters", "CPU ms")
NO_SYSTEM = "Human"
"""A row of people, with whom systems are not ranked."""
_LOST = frozenset({"both", "none", "incorrect"})
"""Shares of what went wrong: to be the highest here is not to be the best."""


def sheet_grid(sheet: Sheet, plan: Plan, board: Board) -> Grid:
    """Our systems in the order of the plan, then the paper's."""
    columns = sheet.figures
    ours = [[_figure(name, c, plan, board) for c in columns] for name in sheet.systems]
    papers = paper_rows(sheet)
    rows: list[tuple[Cell, ...]] = [
        (plan.title(name), *_facts(name, columns, board), *_cells(found, columns))
        for name, found in zip(sheet.systems, ours, strict=True)
    ]
    rows += _paper_cells(papers, sheet)
    values = [[None if each is None else each.value for each in found] for found in ours]
    values += [
        [None] * len(columns) if row.system == NO_SYSTEM else list(row.values) for row in papers
    ]
    return Grid(
        sheet.title,
        (*FIRST, *(each.title for each in columns)),
        tuple(rows),
        (f"{MARKED}the best of a column.", *sheet.notes, *notes(sheet)),
        _best(values, columns),
    )


def _figure(system: str, column: Column, plan: Plan, board: Board) -> Summary | None:
    if not column.gain:
        return board.figure(system, column)
    plain = plan.plain(system)
    return (
        board.difference(system, plain, column) if plain else Summary(float("nan"), None, None, 0)
    )


def _cells(found: Sequence[Summary | None], columns: Sequence[Column]) -> list[Cell]:
    cells: list[Cell] = []
    for each, column in zip(found, columns, strict=True):
        nothing = each is not None and each.value is not None and isnan(each.value)
        cells.append(None if nothing else shown(each, column.figure, signed=column.gain))
    return cells


def _facts(system: str, columns: Sequence[Column], board: Board) -> tuple[Cell, ...]:
    """Where a row is from, how many parameters it has, how long it takes."""
    facts = board.facts(system)
    counts = sorted({len(board.counted(system, c.task)) for c in columns} - {0})
    origin = "here"
    if any(each.seed is not None for each in facts) and counts:
        several = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        origin += f", {several} seed{'' if counts[-1] == 1 else 's'}"
    return origin, parameters(system, board), milliseconds(system, board)


def parameters(system: str, board: Board) -> Cell:
    """How many the model has."""
    told = [each.parameters for each in board.facts(system) if each.parameters is not None]
    return millions(max(told)) if told else None


def milliseconds(system: str, board: Board) -> Cell:
    """For one item, the mean over seeds."""
    told = [each.ms_per_item for each in board.facts(system) if each.ms_per_item is not None]
    if not told:
        return None
    mean = sum(told) / len(told)
    return number(mean, 0 if mean >= 10 else 1 if mean >= 0.1 else 3)


def _paper_cells(rows: Sequence[PaperRow], sheet: Sheet) -> list[tuple[Cell, ...]]:
    """Numbers with as many decimals as the paper's column has."""
    found: list[tuple[Cell, ...]] = []
    places = [
        places_of(value for row in rows if (value := row.values[at]) is not None)
        for at in range(len(sheet.columns))
    ]
    for row in rows:
        cells = [
            None if value is None else number(value, places[at], signed=column.gain)
            for at, (value, column) in enumerate(zip(row.values, sheet.figures, strict=True))
        ]
        origin = "paper" if row.source == sheet.source else row.source
        found.append((row.system, origin, None, None, *cells))
    return found


def _best(
    values: Sequence[Sequence[float | None]], columns: Sequence[Column]
) -> frozenset[tuple[int, int]]:
    """The best cells of each column, as they are shown: rounded."""
    found = set()
    for at, column in enumerate(columns):
        if column.figure in _LOST or column.gain:
            continue
        merits = {
            row: _merit(value, column.figure)
            for row, each in enumerate(values)
            if (value := each[at]) is not None
        }
        best = max(merits.values(), default=0.0)
        found |= {(row, len(FIRST) + at) for row, merit in merits.items() if merit == best}
    return frozenset(found)


def _merit(value: float, figure: str) -> float:
    """The higher the better; a bias is the better, the nearer it is to 1."""
    rounded = round(value, decimals(figure))
    return round(-abs(rounded - 1), 2) if figure == "bias" else rounded
