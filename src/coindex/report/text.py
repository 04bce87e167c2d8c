"""Tables for the terminal, with lines drawn around them.

Numbers are never broken. If there is too little room, headings are broken at spaces, then
texts are folded; a table may still be too wide. A marked cell has a star, and is bold if
colours are enabled.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

from coindex.report.table import Note, Table, format_cell, printable

if TYPE_CHECKING:
    from rich.table import Table as RichTable

SIGN = "*"
LEAST = 12
"""Texts are not folded to fewer columns than this."""


def render(tables: Sequence[Table], width: int | None = None, color: bool = False) -> str:
    """All tables, each under its title and above its notes."""
    return "\n".join(_table(table, width, color) for table in tables)


def _table(table: Table, width: int | None, color: bool) -> str:
    from rich.console import Console
    from rich.text import Text

    right = table.numeric_columns()
    widths = _widths(table, right, width)
    out = StringIO()
    console = Console(
        file=out,
        width=sum(widths) + 3 * len(widths) + 1,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
    )
    console.print(Text(printable(table.title), "bold"), soft_wrap=True)
    console.print(_rich_table(table, right, widths))
    for note in table.notes_below:
        console.print(Text(_note(note, width)), soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _rich_table(table: Table, right: Sequence[bool], widths: Sequence[int]) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    rich_table = RichTable(box=box.ROUNDED, header_style="bold")
    for at, name in enumerate(table.columns):
        rich_table.add_column(
            Text(printable(name)),
            justify="right" if right[at] else "left",
            width=widths[at],
            overflow="fold",
        )
    starred = {column for _, column in table.marked}
    for at, row in enumerate(table.rows):
        cells = []
        for column, cell in enumerate(row):
            marked = (at, column) in table.marked
            # every cell of a column with stars has room for one, so that digits are aligned
            room = (SIGN if marked else " ") if column in starred else ""
            shown_cell = format_cell(cell) + room
            if right[column]:  # by hand: rich would drop the room before it aligns
                shown_cell = " " * (widths[column] - len(shown_cell)) + shown_cell
            cells.append(Text(shown_cell, "bold" if marked else "", justify="left"))
        rich_table.add_row(*cells)
    return rich_table


def _widths(table: Table, right: Sequence[bool], width: int | None) -> list[int]:
    """The width of each column, without its margins."""
    from rich.cells import cell_len

    starred = {column for _, column in table.marked}
    widths, least = [], []
    for at, name in enumerate(table.columns):
        cells = max(map(cell_len, table.column_text(at)), default=0) + (at in starred)
        widths.append(max(cells, cell_len(printable(name))))
        word = max(map(cell_len, printable(name).split()), default=0)
        least.append(max(cells, word) if right[at] else min(widths[at], max(LEAST, word)))
    if width is None:
        return widths
    spare = width - 3 * len(widths) - 1
    if sum(least) > spare:  # folding texts would not help
        return [least[at] if right[at] else widths[at] for at in range(len(widths))]
    for is_number in (True, False):  # headings above numbers first, then texts
        loose = [at for at, each in enumerate(right) if each is is_number]
        while sum(widths) > spare and any(widths[at] > least[at] for at in loose):
            widths[max(loose, key=lambda at: widths[at] - least[at])] -= 1
    return widths


def _note(note: Note, width: int | None) -> str:
    """A note in lines that fit the width; a signature is not broken, so that it can be copied."""
    line = note.render(SIGN, printable)
    if width is None or note.kind == "signature":
        return line
    return textwrap.fill(line, max(width, 20), break_long_words=False, break_on_hyphens=False)
