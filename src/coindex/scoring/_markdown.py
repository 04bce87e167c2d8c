"""Tables as GitHub shows them: numbers to the right, marked cells bold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coindex.scoring._cells import MARKED, clean, notes_below, numeric, shown, signature_note
from coindex.scoring.grid import Grid

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$&]")


def markdown(grids: Sequence[Grid]) -> str:
    """All tables, each under its title and above its notes."""
    return "\n".join(map(_one, grids))


def escape(text: str) -> str:
    """Text that means only itself."""
    return _SPECIAL.sub(r"\\\g<0>", clean(text))


def _one(grid: Grid) -> str:
    right = numeric(grid)
    rows = [[escape(name) for name in grid.columns]]
    for at, row in enumerate(grid.rows):
        cells = [escape(shown(cell)) for cell in row]
        rows.append(
            [f"**{c}**" if c and (at, n) in grid.marked else c for n, c in enumerate(cells)]
        )
    widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True)]
    lines = [
        "| " + " | ".join(_pad(*each) for each in zip(row, widths, right, strict=True)) + " |"
        for row in [rows[0], rule, *rows[1:]]
    ]
    notes = [f"- {_note(note)}" for note in notes_below(grid)]
    parts = [[f"### {escape(grid.title)}"], lines, notes]
    return "\n".join("".join(f"{line}\n" for line in part) for part in parts if part)


def _pad(cell: str, width: int, right: bool) -> str:
    return cell.rjust(width) if right else cell.ljust(width)


def _note(note: str) -> str:
    if signed := signature_note(note):
        return f"{escape(signed[0])}: `{signed[1]}`"
    if note.startswith(MARKED):
        return f"**Bold**: {escape(note.removeprefix(MARKED))}"
    return escape(note)
