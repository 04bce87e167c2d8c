"""A table to be shown, and the text of its cells, which is the same in all styles.

Numbers have two decimals, whole numbers a thousands separator. An empty cell is empty text.
Columns of numbers are aligned to the right. The first column names the rows and is aligned to
the left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Cell = str | int | float | None
"""Text, a whole number, a number shown with two decimals, or nothing."""

NoteKind = Literal["text", "marked", "caption", "signature"]

FIGURE_SPACE = "\u2007"
"""A space as wide as a digit: it aligns ranks of one digit with ranks of two."""

_SPACE = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NUMBER = re.compile(r"[-+<]?\d(?:[-+ \u2007().,\d]|to)*%?")


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a table.

    kind     "text" for plain text; "marked" explains marked cells; "caption" is the caption of
             the bar chart, shown only with a chart; "signature" is the signature of the numbers
    subject  the system, or the systems, whose signature it is
    """

    kind: NoteKind
    text: str
    subject: str = ""

    @property
    def label(self) -> str:
        """What precedes a signature: `Signature`, or `Signature of a, b`."""
        return printable(f"Signature of {self.subject}" if self.subject else "Signature")

    def render(
        self, mark: str, escape: Callable[[str], str], code: Callable[[str], str] | None = None
    ) -> str:
        """The note in one style; `mark` is the sign of marked cells, `code` formats signatures."""
        if self.kind == "signature":
            return f"{escape(self.label)}: {(code or escape)(printable(self.text))}"
        return f"{mark} {escape(self.text)}" if self.kind == "marked" else escape(self.text)

    def __str__(self) -> str:
        return ("Bars: " if self.kind == "caption" else "") + self.render("Marked:", printable)


def text_notes(*texts: str) -> tuple[Note, ...]:
    """Notes of plain text."""
    return tuple(Note("text", text) for text in texts)


@dataclass(frozen=True, slots=True)
class Bar:
    """A number with its interval, for the chart beside a table."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table. `marked` cells (row, column) are emphasised in every style.

    page_body  what a web page shows in place of the rows, as HTML
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Note, ...] = ()
    marked: frozenset[tuple[int, int]] = frozenset()
    bars: tuple[Bar, ...] = ()
    page_body: str = ""

    @property
    def captions(self) -> list[str]:
        """The captions of the bar chart."""
        return [note.text for note in self.notes if note.kind == "caption"]

    @property
    def notes_below(self) -> list[Note]:
        """The notes that are shown below the table: all but captions."""
        return [note for note in self.notes if note.kind != "caption"]

    def column_text(self, column: int) -> list[str]:
        """The cells of a column as text."""
        return [format_cell(row[column]) for row in self.rows]

    def numeric_columns(self) -> tuple[bool, ...]:
        """Whether each column holds only numbers; the first one never does."""
        columns = map(self.column_text, range(len(self.columns)))
        return tuple(
            at > 0 and any(cells) and all(map(_is_number, cells))
            for at, cells in enumerate(columns)
        )


def format_cell(cell: Cell) -> str:
    """A cell as one line of printable text."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{round(cell, 2) + 0.0:,.2f}"  # plus zero: there is no "-0.00"
    if isinstance(cell, int):
        return f"{cell:,}"
    return printable(cell)


def printable(text: str) -> str:
    """Text on one line; control characters, which a terminal could interpret, are replaced."""
    return _CONTROL.sub("\ufffd", _SPACE.sub(" ", text))


def _is_number(text: str) -> bool:
    return not text or _NUMBER.fullmatch(text) is not None


def typeset_number(number: str, dash: str, minus: str) -> str:
    """A number, or two, with a proper dash between them and a proper minus sign."""
    return re.sub(r"(?<![-\d])-(?=\d)", minus, re.sub(r"(?<=\d)-(?=\d)", dash, number))


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """A number of things: `1 mention`, `1,200 mentions`, `2 entities`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
