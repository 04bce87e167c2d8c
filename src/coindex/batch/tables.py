"""Rows of CSV and TSV, each with the number of its line.

CSV is quoted as in RFC 4180, and its header shows whether commas, semicolons, tabs or vertical bars
separate its fields; TSV has no quotation marks, as its fields hold neither tabs nor line breaks. A
row that is broken has a reason instead, and the rows after it are read. A quotation mark that is
not closed takes the lines after it for the text of its field, up to the next quotation mark: the
reason says where it opens and how many lines are lost with it. A first line such as `sep=;`, which
spreadsheets write, is no header.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

Row = Mapping[str, Any]
"""The values of a row by the names of their fields."""

_LONGEST = 100_000_000  # characters of a field of CSV
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_SHOWN = 10  # columns in a message
_NAME = 30  # characters of a name in a message


@dataclass(frozen=True, slots=True)
class TableKind:
    """What a table is written in.

    name        `csv` or `tsv`
    delimiter   between two fields
    """

    name: str = "csv"
    delimiter: str = ","

    @property
    def separators(self) -> str:
        """What the delimiters are called."""
        return _SEPARATORS[self.delimiter]

    def parse(self, lines: Iterable[str], *, strict: bool = True) -> Iterator[list[str]]:
        """The fields of each row."""
        csv.field_size_limit(_LONGEST)
        if self.name == "tsv":
            return csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return csv.reader(lines, delimiter=self.delimiter, strict=strict)

    def header(self, lines: Iterable[str]) -> list[str]:
        """The names of the fields, by the first lines of a table."""
        try:
            return next(filter(_is_header, self.parse(lines, strict=False)), [])
        except csv.Error:
            return []  # it is told when the rows are read


TSV = TableKind("tsv", "\t")


def detect_csv(lines: Sequence[str], text: str) -> TableKind:
    """The kind of a CSV file by its first lines: what separates most names in its header.

    text   the field that it should have, which decides if only some separators show it
    """
    kinds = [TableKind("csv", delimiter) for delimiter in _SEPARATORS]
    names = {kind: kind.header(lines) for kind in kinds}
    return max(kinds, key=lambda kind: (text in names[kind], len(names[kind])))


def column_list(names: Sequence[str]) -> str:
    """The names of columns for a message; not all of them if there are many."""
    short = (f"{name[:_NAME]}…" if len(name) > _NAME else name for name in names[:_SHOWN])
    shown = ", ".join(map(repr, short)) or "none"
    more = len(names) - _SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown


def table_rows(
    lines: Iterable[str], kind: TableKind, wanted: Iterable[str] = ()
) -> Iterator[tuple[int, Row | str]]:
    """The number of each row's line with the row, or with the reason why it cannot be read.

    wanted   fields that the table must have; if it does not, there is one reason for all rows
    """
    rows = _parsed(lines, kind)
    number, _, names = next((row for row in rows if _is_header(row[2])), (0, 0, []))
    if isinstance(names, str):
        yield number, f"{names}; without a header, no row is read"
        return
    if repeated := [name for name in wanted if names.count(name) > 1]:
        yield number, _repeated_field(repeated[0], names, sum(1 for _ in rows))
        return
    if missing := [name for name in wanted if number and name not in names]:
        yield number, missing_field(missing[0], names, sum(1 for _ in rows))
        return
    names = _numbered(names)
    for number, length, row in rows:
        if isinstance(row, str):
            yield number, row
        elif len(row) != len(names):
            yield number, _wrong_count(len(names), len(row), length)
        else:
            yield number, dict(zip(names, row, strict=True))


def missing_field(name: str, names: Sequence[str], rows: int) -> str:
    """The reason why no row of a table is read: it has no field of that name."""
    return f"expected the field {name!r}, found {column_list(names)}: {_unread(rows)}"


def _repeated_field(name: str, names: Sequence[str], rows: int) -> str:
    return f"expected one field {name!r}, found {names.count(name)} of them: {_unread(rows)}"


def _unread(rows: int) -> str:
    return "its row is not read" if rows == 1 else f"none of its {rows:,} rows is read"


def _is_header(row: list[str] | str) -> bool:
    """Whether a row can have the names of the fields: it is neither blank nor `sep=;`."""
    return bool("".join(row).strip()) and row != ["sep=", ""]


def _numbered(names: Sequence[str]) -> list[str]:
    """Names of fields that differ, so that none is lost: the second `note` is `note_2`."""
    taken = set(names)
    found: list[str] = []
    for name in names:
        if name in found:
            name = next(new for n in count(2) if (new := f"{name}_{n}") not in taken)
            taken.add(name)
        found.append(name)
    return found


def _parsed(lines: Iterable[str], kind: TableKind) -> Iterator[tuple[int, int, list[str] | str]]:
    """The first line of each row, how many lines it has, and its fields, or why it has none."""
    source = _RowLines(iter(lines))
    rows = kind.parse(source)
    while True:
        source.begin_row()
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            number, reason = _broken(source, kind, error)
            yield number, len(source.lines), reason
            continue
        if row:  # and not a blank line
            yield source.first, len(source.lines), row


class _RowLines:
    """The lines of a table; keeps those of the row that is being read.

    first   the number of the row's first line
    lines   the lines of the row so far
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._source = lines
        self.first = 1
        self.lines: list[str] = []

    def __iter__(self) -> _RowLines:
        return self

    def __next__(self) -> str:
        line = next(self._source)
        self.lines.append(line)
        return line

    def begin_row(self) -> None:
        """Forget the row before."""
        self.first += len(self.lines)
        self.lines.clear()


def _broken(source: _RowLines, kind: TableKind, error: csv.Error) -> tuple[int, str]:
    """The line that a reason is about, and the reason."""
    opened = None if kind == TSV else _open_quotation(source.lines, kind.delimiter)
    lost = 0 if opened is None else len(source.lines) - opened - 1
    if "new-line" in str(error):  # a carriage return within a line
        return (
            source.first,
            "expected lines that end with \\n or \\r\\n, found \\r alone: convert them",
        )
    if opened is None or not lost:
        return source.first, f"expected a row of {kind.name.upper()}: {error}"
    last = source.first + len(source.lines) - 1
    lines = "the next line is" if lost == 1 else f"the next {lost:,} lines, up to line {last}, are"
    return source.first + opened, (
        f"expected the closing quotation mark of a field that begins in this line:"
        f" {lines} taken for its text, and not read"
    )


def _open_quotation(lines: Sequence[str], delimiter: str) -> int | None:
    """The index of the line where the quoted field begins that makes a row invalid, if one does."""
    opened = None
    for number, line in enumerate(lines):
        position = 0
        while position >= 0:
            if opened is None:
                if line.startswith('"', position):
                    opened, position = number, position + 1
                else:
                    position = line.find(delimiter, position) + 1 or -1
                continue
            position = line.find('"', position)
            if position < 0:
                break
            if line.startswith('""', position):
                position += 2
            elif line[position + 1 : position + 2] in (delimiter, "\r", "\n", ""):
                opened, position = None, position + 2
            else:
                return opened
    return opened


def _wrong_count(expected: int, found: int, lines: int) -> str:
    reason = f"expected {expected} fields as in the first line, found {found}"
    if lines > 1:
        reason += f" in a row of {lines:,} lines: is a quotation mark not closed?"
    return reason
