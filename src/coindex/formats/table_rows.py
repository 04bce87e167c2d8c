"""Rows of tab-separated tables with a header, as tools write them: no quotes, no escapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.types.source import Source


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values by column, and its line."""

    values: dict[str, str]
    line: int
    source: Source

    def text(self, name: str) -> str:
        """The value of a column."""
        return self.values[name]

    def number(self, name: str) -> int:
        """The value of a column that must be a whole number."""
        text = self.values[name]
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            message = f"expected a number in column {name}, found {text[:30]!r}"
            raise self.source.error(self.line, message)
        return int(text)


def read_rows(lines: Iterable[str], columns: Sequence[str], source: Source) -> Iterator[Row]:
    """The rows of a table whose header has these columns, and perhaps others."""
    header: list[str] | None = None
    for line, text in enumerate(lines, 1):
        bare = text.rstrip("\r\n")
        if not bare.strip():
            continue
        cells = bare.split("\t")
        if header is None:
            header = cells
            missing = [name for name in columns if name not in header]
            if missing:
                message = f"expected a header with {', '.join(missing)}, found {bare[:60]!r}"
                raise source.error(line, message)
        elif len(cells) != len(header):
            message = f"expected {len(header)} columns by tabs, found {len(cells)}"
            raise source.error(line, message)
        else:
            yield Row(dict(zip(header, cells, strict=True)), line, source)


def cell(text: str) -> str:
    """A text for a cell: tabs and line breaks become spaces."""
    return " ".join(text.replace("\t", " ").splitlines()) if text.strip() else "_"
