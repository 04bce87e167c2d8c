"""Tables of a run: each benchmark with the papers' rows beside ours, and an overview.

Papers' rows are those of the same split; their numbers have as many decimals as the
paper gives. The first figure ranks; its 95 % interval stands beside it, and with
`wide` (not for a terminal) each figure has its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex.bench.cell import SWITCHED, Run, Table, reasons
from coindex.bench.cell import Cell as System
from coindex.benchmarks._spec import CONSISTENCY, Published
from coindex.scoring._cells import BARS, FIGURE_SPACE, MARKED
from coindex.scoring._words import count
from coindex.scoring.grid import Bar, Cell, Grid
from coindex.scoring.significance import Interval

OURS = "this run"
CHANCE = "chance"


def grids(run: Run, *, wide: bool = False) -> list[Grid]:
    """One table for each benchmark, and an overview first if there are several."""
    found = [benchmark_grid(table, run, wide=wide) for table in run.tables]
    return [overview_grid(run), *found] if len(found) > 1 else found


def benchmark_grid(table: Table, run: Run, *, wide: bool = False) -> Grid:
    """All systems on a benchmark: ours, the papers', and chance."""
    rows_of_papers = published(table)
    names = figure_names(table, rows_of_papers)
    several = len({c.candidates for c in table.cells} | {r.candidates for r in rows_of_papers}) > 1
    rows = [_ours(cell, names, several, wide) for cell in table.cells]
    rows += [
        _papers(row, names, several, wide, _decimals(rows_of_papers, row.source))
        for row in rows_of_papers
    ]
    rows.append(_chance(table, names, several, wide))
    before = ("system", "from", *(("candidates",) if several else ()))
    marked = frozenset((row, len(before)) for row in _best(table))
    columns = (*before, *(name for each in names for name in _columns(each, names, table, wide)))
    return Grid(
        f"{table.name}: {table.split}, {count(len(table.problems), 'problem')}",
        columns,
        tuple(rows),
        _notes(table, run, rows_of_papers, bool(marked)),
        marked,
        _bars(table),
    )


def overview_grid(run: Run) -> Grid:
    """Systems by benchmarks, the first figure of each.

    A system that has the candidates given and found somewhere has two rows, and
    stands in one of them where it has but one of the two.
    """
    twice = {c.system for t in run.tables for c in t.cells if t.label(c) != c.system}

    def label(cell: System) -> str:
        return f"{cell.system} ({cell.candidates})" if cell.system in twice else cell.system

    columns_of = [{label(cell): cell.main.value for cell in table.cells} for table in run.tables]
    labels = dict.fromkeys(each for column in columns_of for each in column)
    rows: list[tuple[Cell, ...]] = [
        (each, *(column.get(each) for column in columns_of)) for each in labels
    ]
    rows.append((CHANCE, *(table.benchmark.CHANCE.value for table in run.tables)))
    main = ", ".join(f"{t.name} {t.benchmark.METRICS[0]} on {t.split}" for t in run.tables)
    columns = ("system", *(table.name for table in run.tables))
    return Grid("Systems by benchmarks", columns, tuple(rows), (f"Figures: {main}.",))


def published(table: Table) -> tuple[Published, ...]:
    """The papers' rows to stand beside a table: those of its split.

    Where all our systems had the candidates given, or found them, so did those rows.
    """
    ways = {cell.candidates for cell in table.cells}
    rows = [row for row in table.benchmark.PUBLISHED if row.split == table.split]
    if len(ways) == 1 and ways <= {"given", "found"}:
        rows = [row for row in rows if row.candidates in ways]
    return tuple(rows)


def figure_names(table: Table, rows: Sequence[Published]) -> tuple[str, ...]:
    """The benchmark's figures, and those of switched copies where anyone has them."""
    names = list(table.benchmark.METRICS)
    names += [figure.name for cell in table.cells for figure in cell.all_figures]
    names += [CONSISTENCY for row in rows if CONSISTENCY in dict(row.figures)]
    return tuple(dict.fromkeys(names))


def _columns(name: str, names: Sequence[str], table: Table, wide: bool) -> list[str]:
    return [name, "95 %" if wide else "95 % interval"] if wide or name == names[0] else [name]


def _ours(cell: System, names: Sequence[str], several: bool, wide: bool) -> tuple[Cell, ...]:
    figures = {figure.name: figure for figure in cell.all_figures}
    found: list[Cell] = [cell.system, OURS if cell.kind == "resolver" else cell.kind]
    found += [cell.candidates] if several else []
    for name in names:
        figure = figures.get(name)
        found.append(figure.value if figure else None)
        if wide or name == names[0]:
            found.append(_between(figure.interval) if figure else None)
    return tuple(found)


def _papers(
    row: Published, names: Sequence[str], several: bool, wide: bool, decimals: Mapping[str, int]
) -> tuple[Cell, ...]:
    figures = dict(row.figures)
    found: list[Cell] = [row.system, row.source, *((row.candidates,) if several else ())]
    for name in names:
        found.append(_as_told(figures[name], decimals[name]) if name in figures else None)
        if wide or name == names[0]:
            found.append(None)
    return tuple(found)


def _chance(table: Table, names: Sequence[str], several: bool, wide: bool) -> tuple[Cell, ...]:
    value = table.benchmark.CHANCE.value
    row = Published(CHANCE, "", table.split, ((names[0], round(value, 2)),), candidates="")
    return _papers(row, names, several, wide, {names[0]: 2})


def _decimals(rows: Sequence[Published], source: str) -> dict[str, int]:
    """How many decimals a paper's table has in each column: those of its longest number."""
    found: dict[str, int] = {}
    for row in rows:
        for name, value in row.figures if row.source == source else ():
            shown = f"{value:.2f}".rstrip("0").partition(".")[2]
            found[name] = max(found.get(name, 0), len(shown))
    return found


def _as_told(value: float, decimals: int) -> str:
    """A paper's number with the decimals of its table, in line with ours of two."""
    return f"{value:.{decimals}f}" + FIGURE_SPACE * (2 - decimals + (not decimals))


def _between(interval: Interval | None) -> str | None:
    return None if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _best(table: Table) -> list[int]:
    """The rows of our best systems, if there are several to choose from."""
    values = [cell.main.value for cell in table.cells]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return []
    return [row for row, value in enumerate(values) if value == max(known)]


def _bars(table: Table) -> tuple[Bar, ...]:
    bars = []
    for cell in table.cells:
        value, interval = cell.main.value, cell.main.interval
        if value is not None:
            sides = (interval.low, interval.high) if interval else (None, None)
            bars.append(Bar(table.label(cell), value, *sides))
    return tuple(bars)


def _notes(table: Table, run: Run, rows: Sequence[Published], marked: bool) -> tuple[str, ...]:
    benchmark = table.benchmark
    first = benchmark.METRICS[0]
    notes = [f"{BARS}{first} with 95 % intervals"]
    notes += [f"{MARKED}our best."] if marked else []
    where = "" if table.split == benchmark.DEFAULT else f" (on {benchmark.DEFAULT})"
    notes.append(f"Chance{where}: {benchmark.CHANCE.why}.")
    notes.append(
        f"Intervals: Wilson's of shares, else the bootstrap of {run.resamples:,}"
        f" resamples, seed {run.seed}."
    )
    notes += _papers_notes(rows)
    notes += _switched_notes(table)
    notes += [f"{table.label(cell)}: {note}" for cell in table.cells for note in cell.notes]
    return (*notes, *(f"Signature of {table.label(c)}: {c.signature}" for c in table.cells))


def _papers_notes(rows: Sequence[Published]) -> list[str]:
    """What is not quite ours in the papers' rows, said once for all rows it is true of."""
    told: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        told.setdefault((row.source, row.note), []).append(row.system)
    every = [source for source, _ in told]
    return [
        f"{source}{'' if every.count(source) == 1 else ', ' + ', '.join(names)}: {note}."
        for (source, note), names in told.items()
        if note
    ]


def _switched_notes(table: Table) -> list[str]:
    found = next((cell.switched for cell in table.cells if cell.switched), None)
    if found is None:
        return []
    refused = sum(number for _, number in found.refused)
    why = reasons(found.refused)
    notes = [
        f"{SWITCHED.capitalize()}: {len(found.matched):,} copies with the candidates exchanged"
        + (f"; {refused:,} problems have none: {why}." if refused else ".")
    ]
    for cell in table.cells:
        if cell.switched:
            told = cell.switched.consistency
            notes.append(
                f"Consistency of {table.label(cell)}: {told.changed:,} changed, {told.same:,} the"
                f" same, {told.half:,} decided once, {told.undecided:,} undecided."
            )
    return notes
