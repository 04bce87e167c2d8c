"""Cells as text: what all styles of a table agree on.

Numbers get two decimals, whole numbers a separator at each thousand, nothing is
empty. A column of numbers stands to the right; the first column names the rows
and stands to the left. A note that begins with `Marked:` says what marked cells
are, one that begins with `Signature` ends in a signature, and one that begins
with `Bars:` is the caption of the picture, shown only where there is a picture.
"""

from __future__ import annotations

import re

from coindex.scoring.grid import Cell, Grid

FIGURE_SPACE = "\u2007"
"""A space as wide as a digit: it keeps ranks of one and of two digits in line."""

BARS = "Bars: "
MARKED = "Marked: "
SIGNATURE = "Signature"
"""How the notes begin that are more than plain words."""

_SPACE = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NUMBER = re.compile(r"[-+<]?\d(?:[-+ \u2007().,\d]|to)*%?")


def shown(cell: Cell) -> str:
    """A cell as text of one line, with no character that commands a terminal."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{round(cell, 2) + 0.0:,.2f}"  # plus zero: there is no "-0.00"
    if isinstance(cell, int):
        return f"{cell:,}"
    return clean(cell)


def clean(text: str) -> str:
    """Text on one line; characters that cannot be shown are replaced."""
    return _CONTROL.sub("\ufffd", _SPACE.sub(" ", text))


def numeric(grid: Grid) -> tuple[bool, ...]:
    """Which columns hold numbers only; the first one never does."""
    columns = [grid_column(grid, at) for at in range(len(grid.columns))]
    return tuple(
        at > 0 and any(cells) and all(map(_is_number, cells)) for at, cells in enumerate(columns)
    )


def grid_column(grid: Grid, column: int) -> list[str]:
    """The cells of a column as text."""
    return [shown(row[column]) for row in grid.rows]


def _is_number(text: str) -> bool:
    return not text or _NUMBER.fullmatch(text) is not None


def dashed(number: str, dash: str, minus: str) -> str:
    """A number with a proper dash between two, and a proper minus before one."""
    return re.sub(r"(?<![-\d])-(?=\d)", minus, re.sub(r"(?<=\d)-(?=\d)", dash, number))


def notes_below(grid: Grid) -> list[str]:
    """The notes that belong below the table."""
    return [clean(note) for note in grid.notes if not note.startswith(BARS)]


def signature_note(note: str) -> tuple[str, str] | None:
    """The words and the signature of a note that ends in one."""
    if not note.startswith(SIGNATURE):
        return None
    lead, _, signature = note.rpartition(": ")
    return lead, signature
