"""Markdown tables as GitHub shows them: numbers to the right, marked cells bold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coindex.report.table import Table, format_cell, printable

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$&]")


def render(tables: Sequence[Table]) -> str:
    """All tables, each under its title and above its notes."""
    return "\n".join(map(_table, tables))


def escape(text: str) -> str:
    """Text without characters that Markdown would interpret."""
    return _SPECIAL.sub(r"\\\g<0>", printable(text))


def _table(table: Table) -> str:
    right = table.numeric_columns()
    rows = [[escape(name) for name in table.columns]]
    for at, row in enumerate(table.rows):
        cells = [escape(format_cell(cell)) for cell in row]
        rows.append(
            [f"**{c}**" if c and (at, n) in table.marked else c for n, c in enumerate(cells)]
        )
    widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True)]
    lines = [
        "| " + " | ".join(f"{c:>{w}}" if r else f"{c:{w}}" for c, w, r in cells) + " |"
        for cells in (zip(row, widths, right, strict=True) for row in [rows[0], rule, *rows[1:]])
    ]
    notes = [f"- {note.render('**Bold**:', escape, '`{}`'.format)}" for note in table.notes_below]
    parts = [[f"### {escape(table.title)}"], lines, notes]
    return "\n".join("".join(f"{line}\n" for line in part) for part in parts if part)
