"""Tables for the terminal, with lines drawn around them.

Numbers are never broken: when there is too little room, headings break at their
spaces, then texts are folded, and what is still too wide stays so. A marked cell
has a star, and is bold where there are colours.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

from coindex.scoring._cells import (
    MARKED,
    clean,
    grid_column,
    notes_below,
    numeric,
    shown,
    signature_note,
)
from coindex.scoring.grid import Grid

if TYPE_CHECKING:
    from rich.table import Table

SIGN = "*"
LEAST = 12
"""Texts are not folded to fewer columns than this."""


def text(grids: Sequence[Grid], width: int | None, color: bool) -> str:
    """All tables, each under its title and above its notes."""
    return "\n".join(_one(grid, width, color) for grid in grids)


def _one(grid: Grid, width: int | None, color: bool) -> str:
    from rich.console import Console
    from rich.text import Text

    right = numeric(grid)
    widths = _widths(grid, right, width)
    out = StringIO()
    console = Console(
        file=out,
        width=sum(widths) + 3 * len(widths) + 1,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
    )
    console.print(Text(clean(grid.title), "bold"), soft_wrap=True)
    console.print(_table(grid, right, widths))
    for note in notes_below(grid):
        console.print(Text(_note(note, width)), soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _table(grid: Grid, right: Sequence[bool], widths: Sequence[int]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ROUNDED, header_style="bold")
    for at, name in enumerate(grid.columns):
        table.add_column(
            Text(clean(name)),
            justify="right" if right[at] else "left",
            width=widths[at],
            overflow="fold",
        )
    starred = {column for _, column in grid.marked}
    for at, row in enumerate(grid.rows):
        cells = []
        for column, cell in enumerate(row):
            marked = (at, column) in grid.marked
            # every cell of a column with stars has room for one, so that digits stay in line
            room = (SIGN if marked else " ") if column in starred else ""
            shown_cell = shown(cell) + room
            if right[column]:  # by hand: rich would drop the room before it aligns
                shown_cell = " " * (widths[column] - len(shown_cell)) + shown_cell
            cells.append(Text(shown_cell, "bold" if marked else "", justify="left"))
        table.add_row(*cells)
    return table


def _widths(grid: Grid, right: Sequence[bool], width: int | None) -> list[int]:
    """How wide each column is, without its margins."""
    from rich.cells import cell_len

    starred = {column for _, column in grid.marked}
    widths, least = [], []
    for at, name in enumerate(grid.columns):
        cells = max(map(cell_len, grid_column(grid, at)), default=0) + (at in starred)
        widths.append(max(cells, cell_len(clean(name))))
        word = max(map(cell_len, clean(name).split()), default=0)
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


def _note(note: str, width: int | None) -> str:
    """A note, in lines that fit; a signature stays whole, to be copied."""
    if note.startswith(MARKED):
        note = f"{SIGN} {note.removeprefix(MARKED)}"
    if width is None or signature_note(note):
        return note
    return textwrap.fill(note, max(width, 20), break_long_words=False, break_on_hyphens=False)
