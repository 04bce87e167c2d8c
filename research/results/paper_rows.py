"""The rows of a paper's table under the columns of ours."""

from __future__ import annotations

from dataclasses import dataclass

from coindex import benchmarks
from coindex.benchmarks.protocol import Published
from coindex.errors import InputError
from research.results.plan import Column, PaperTable


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A system of a paper: a value for each column, None where the paper has none."""

    system: str
    source: str
    values: tuple[float | None, ...]


def paper_rows(table: PaperTable) -> list[PaperRow]:
    """The rows of the paper's table, then the single rows of other tables that the plan names."""
    named = [(table.source, name) for name in _systems(table, table.source)]
    for each in table.also:
        source, _, name = each.partition(": ")
        named.append((source, name))
    rows = [
        PaperRow(name, source, tuple(_value(table, c, source, name) for c in table.figures))
        for source, name in named
    ]
    for row in rows:
        if all(value is None for value in row.values):
            raise InputError(f"{table.title}: expected a published row {row.source}: {row.system}")
    return rows


def notes(table: PaperTable) -> list[str]:
    """Where the papers' protocol or split is not quite ours; said once for all it is true of."""
    result = []
    remarks: dict[str, list[tuple[str, str]]] = {}
    for name, split in dict.fromkeys((c.task.benchmark, c.task.split) for c in table.figures):
        rows = _published(name, table.source)
        same = [row for row in rows if row.split == split]
        if rows and not same:
            result.append(f"{name}: the paper's figures are on {rows[0].split}, ours on {split}.")
        for row in same:
            if row.note:
                remarks.setdefault(row.note, []).append((name, _label(row)))
    several = len({column.task.benchmark for column in table.figures}) > 1
    for note, whose in remarks.items():
        names, systems = (list(dict.fromkeys(each)) for each in zip(*whose, strict=True))
        of = systems if len(systems) == 1 else names if several else ["paper"]
        result.append(f"{', '.join(of)}: {note}.")
    return result


def _systems(table: PaperTable, source: str) -> list[str]:
    names = dict.fromkeys(column.task.benchmark for column in table.figures)
    return list(dict.fromkeys(_label(row) for name in names for row in _published(name, source)))


def _published(benchmark: str, source: str) -> list[Published]:
    return [row for row in benchmarks.load(benchmark).PUBLISHED if row.source == source]


def _label(row: Published) -> str:
    """The systems behind a row SOTA differ from column to column."""
    return "SOTA" if row.system.startswith("SOTA (") else row.system


def _value(table: PaperTable, column: Column, source: str, system: str) -> float | None:
    value = _published_value(column, source, system)
    if not column.gain:
        return value
    plain = _published_value(column, table.plain, system)
    return None if value is None or plain is None else value - plain


def _published_value(column: Column, source: str, system: str) -> float | None:
    for row in _published(column.task.benchmark, source):
        if _label(row) == system:
            return dict(row.figures).get(column.figure)
    return None
