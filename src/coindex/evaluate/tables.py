"""Tables of a run: each benchmark with the papers' rows beside ours, and an overview.

The papers' rows are those of the same split, with as many decimals as the paper gives. The first
figure ranks the systems and has its 95 % interval beside it; with `wide` (not for a terminal)
every figure has its interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex.benchmarks.protocol import CONSISTENCY, Published
from coindex.evaluate.document_results import DocumentBenchmarkResult, document_tables
from coindex.evaluate.results import SWITCHED, BenchmarkResult, BenchRun, SystemResult, refusal_text
from coindex.report.table import FIGURE_SPACE, Bar, Cell, Note, Table, pluralize, text_notes
from coindex.scoring.significance import Interval

OURS = "this run"
CHANCE = "chance"


def run_tables(run: BenchRun, *, wide: bool = False) -> list[Table]:
    """One table for each benchmark, and an overview first if there are several."""
    result = [benchmark_table(table, run, wide=wide) for table in run.tables]
    overview = [overview_table(run)] if len(run.tables) + len(run.documents) > 1 else []
    documents = [each for table in run.documents for each in document_tables(table)]
    return [*overview, *result, *documents]


def benchmark_table(table: BenchmarkResult, run: BenchRun, *, wide: bool = False) -> Table:
    """All systems on a benchmark: ours, the papers', and chance."""
    rows_of_papers = published_rows(table)
    names = figure_names(table, rows_of_papers)
    several = (
        len({c.candidates for c in table.results} | {r.candidates for r in rows_of_papers}) > 1
    )
    rows = [_ours(result, names, several, wide) for result in table.results]
    rows += [
        _papers(row, names, several, wide, _decimals(rows_of_papers, row.source))
        for row in rows_of_papers
    ]
    rows.append(_chance(table, names, several, wide))
    before = ("system", "from", *(("candidates",) if several else ()))
    marked = frozenset((row, len(before)) for row in _best(table))
    columns = (*before, *(name for each in names for name in _columns(each, names, table, wide)))
    return Table(
        f"{table.name}: {table.split}, {pluralize(len(table.problems), 'problem')}",
        columns,
        tuple(rows),
        _notes(table, run, rows_of_papers, bool(marked)),
        marked,
        _bars(table),
    )


def overview_table(run: BenchRun) -> Table:
    """Systems by benchmarks, the first figure of each.

    A system that was run with candidates given and with candidates found has two rows; on a
    benchmark with only one of the two modes, one of the rows is empty.
    """
    twice = {c.system for t in run.tables for c in t.results if t.label(c) != c.system}

    def label(result: SystemResult) -> str:
        return f"{result.system} ({result.candidates})" if result.system in twice else result.system

    columns_of = [
        {label(result): result.main.value for result in table.results} for table in run.tables
    ]
    columns_of += [
        {result.system: table.figures(result.outcomes)[0].value for result in table.results}
        for table in run.documents
    ]
    labels = dict.fromkeys(each for column in columns_of for each in column)
    rows: list[tuple[Cell, ...]] = [
        (each, *(column.get(each) for column in columns_of)) for each in labels
    ]
    chance = (table.benchmark.CHANCE.value for table in run.tables)
    rows.append((CHANCE, *chance, *(None for _ in run.documents)))
    every: list[BenchmarkResult | DocumentBenchmarkResult] = [*run.tables, *run.documents]
    main = ", ".join(f"{t.name} {t.benchmark.METRICS[0]} on {t.split}" for t in every)
    columns = ("system", *(table.name for table in every))
    return Table("Systems by benchmarks", columns, tuple(rows), text_notes(f"Figures: {main}."))


def published_rows(table: BenchmarkResult) -> tuple[Published, ...]:
    """The papers' rows that are comparable with a table: those of its split.

    If all our systems were run in one candidate mode, only rows of that mode.
    """
    modes = {result.candidates for result in table.results}
    rows = [row for row in table.benchmark.PUBLISHED if row.split == table.split]
    if len(modes) == 1 and modes <= {"given", "found"}:
        rows = [row for row in rows if row.candidates in modes]
    return tuple(rows)


def figure_names(table: BenchmarkResult, rows: Sequence[Published]) -> tuple[str, ...]:
    """The benchmark's figures, and those of switched copies where anyone has them."""
    names = list(table.benchmark.METRICS)
    names += [figure.name for result in table.results for figure in result.all_figures]
    names += [CONSISTENCY for row in rows if CONSISTENCY in dict(row.figures)]
    return tuple(dict.fromkeys(names))


def _columns(name: str, names: Sequence[str], table: BenchmarkResult, wide: bool) -> list[str]:
    return [name, "95 %" if wide else "95 % interval"] if wide or name == names[0] else [name]


def _ours(
    result: SystemResult, names: Sequence[str], several: bool, wide: bool
) -> tuple[Cell, ...]:
    figures = {figure.name: figure for figure in result.all_figures}
    results: list[Cell] = [result.system, OURS if result.kind == "resolver" else result.kind]
    results += [result.candidates] if several else []
    for name in names:
        figure = figures.get(name)
        results.append(figure.value if figure else None)
        if wide or name == names[0]:
            results.append(_between(figure.interval) if figure else None)
    return tuple(results)


def _papers(
    row: Published, names: Sequence[str], several: bool, wide: bool, decimals: Mapping[str, int]
) -> tuple[Cell, ...]:
    figures = dict(row.figures)
    result: list[Cell] = [row.system, row.source, *((row.candidates,) if several else ())]
    for name in names:
        result.append(_paper_number(figures[name], decimals[name]) if name in figures else None)
        if wide or name == names[0]:
            result.append(None)
    return tuple(result)


def _chance(
    table: BenchmarkResult, names: Sequence[str], several: bool, wide: bool
) -> tuple[Cell, ...]:
    value = table.benchmark.CHANCE.value
    row = Published(CHANCE, "", table.split, ((names[0], round(value, 2)),), candidates="")
    return _papers(row, names, several, wide, {names[0]: 2})


def _decimals(rows: Sequence[Published], source: str) -> dict[str, int]:
    """How many decimals a paper's table has in each column: those of its longest number."""
    result: dict[str, int] = {}
    for row in rows:
        for name, value in row.figures if row.source == source else ():
            shown = f"{value:.2f}".rstrip("0").partition(".")[2]
            result[name] = max(result.get(name, 0), len(shown))
    return result


def _paper_number(value: float, decimals: int) -> str:
    """A paper's number with the decimals of its table, padded to align with our two."""
    return f"{value:.{decimals}f}" + FIGURE_SPACE * (2 - decimals + (not decimals))


def _between(interval: Interval | None) -> str | None:
    return None if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _best(table: BenchmarkResult) -> list[int]:
    """The rows of our best systems, if there are several to choose from."""
    values = [result.main.value for result in table.results]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return []
    return [row for row, value in enumerate(values) if value == max(known)]


def _bars(table: BenchmarkResult) -> tuple[Bar, ...]:
    bars = []
    for result in table.results:
        value, interval = result.main.value, result.main.interval
        if value is not None:
            sides = (interval.low, interval.high) if interval else (None, None)
            bars.append(Bar(table.label(result), value, *sides))
    return tuple(bars)


def _notes(
    table: BenchmarkResult, run: BenchRun, rows: Sequence[Published], marked: bool
) -> tuple[Note, ...]:
    benchmark = table.benchmark
    first = benchmark.METRICS[0]
    notes = [Note("caption", f"{first} with 95 % intervals")]
    notes += [Note("marked", "our best.")] if marked else []
    where = "" if table.split == benchmark.DEFAULT else f" (on {benchmark.DEFAULT})"
    notes += text_notes(
        f"Chance{where}: {benchmark.CHANCE.why}.",
        f"Intervals: Wilson's of shares, else the bootstrap of {run.resamples:,}"
        f" resamples, seed {run.seed}.",
        *_papers_notes(rows),
        *_switched_notes(table),
        *(f"{table.label(result)}: {note}" for result in table.results for note in result.notes),
    )
    return (*notes, *(Note("signature", c.signature, table.label(c)) for c in table.results))


def _papers_notes(rows: Sequence[Published]) -> list[str]:
    """Where the papers' protocols differ from ours, once for all rows it applies to."""
    systems: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        systems.setdefault((row.source, row.note), []).append(row.system)
    every = [source for source, _ in systems]
    return [
        f"{source}{'' if every.count(source) == 1 else ', ' + ', '.join(names)}: {note}."
        for (source, note), names in systems.items()
        if note
    ]


def _switched_notes(table: BenchmarkResult) -> list[str]:
    results = next((result.switched for result in table.results if result.switched), None)
    if results is None:
        return []
    refused = sum(number for _, number in results.refused)
    why = refusal_text(results.refused)
    notes = [
        f"{SWITCHED.capitalize()}: {len(results.matched):,} copies with the candidates exchanged"
        + (f"; {refused:,} problems have none: {why}." if refused else ".")
    ]
    for result in table.results:
        if result.switched:
            counts = result.switched.consistency
            notes.append(
                f"Consistency of {table.label(result)}: {counts.changed:,} changed, {counts.same:,} the"
                f" same, {counts.half:,} decided once, {counts.undecided:,} undecided."
            )
    return notes
