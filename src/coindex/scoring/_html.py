"""Tables as one web page that needs no other file and no network.

The page runs no script, and its own policy allows one style, by its hash. It is
light or dark as the reader's screen is, and can be printed.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from coindex.scoring._bars import svg
from coindex.scoring._cells import (
    BARS,
    MARKED,
    clean,
    dashed,
    notes_below,
    numeric,
    shown,
    signature_note,
)
from coindex.scoring.grid import Grid

SIGN = "◆"
_LONG = 28
"""Texts of more letters than this may break."""

_SHOWN_SIGN = f'<span class="sign" role="img" aria-label="marked">{SIGN}</span>'


def page(grids: Sequence[Grid]) -> str:
    """The page with all tables, each under its title and above its notes."""
    style = _style()
    title = f"{grids[0].title} · coindex" if grids else "coindex"
    sections = "\n".join(_section(grid, number) for number, grid in enumerate(grids, 1))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src {_hash(style)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="coindex">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<header><h1>co<i>index</i> <span class="quiet">report</span></h1></header>
<main>
{sections}
</main>
</body>
</html>
"""


def escape(text: str) -> str:
    """Text that means only itself."""
    return html.escape(clean(text))


def _section(grid: Grid, number: int) -> str:
    name = f"t{number}"
    parts = [
        f'<section aria-labelledby="{name}">',
        f'<h2 id="{name}" dir="auto">{escape(grid.title)}</h2>',
    ]
    if grid.bars:
        parts.append(_figure(grid, f"b{number}"))
    parts += [
        f'<div class="wide" role="region" tabindex="0" aria-labelledby="{name}">',
        f'<table aria-labelledby="{name}">',
        *_rows(grid),
        "</table>",
        "</div>",
    ]
    if below := notes_below(grid):
        notes = "\n".join(f"<li>{_note(note)}</li>" for note in below)
        parts.append(f'<ul class="notes">\n{notes}\n</ul>')
    return "\n".join([*parts, "</section>"])


def _figure(grid: Grid, name: str) -> str:
    captions = [note.removeprefix(BARS) for note in grid.notes if note.startswith(BARS)]
    shown_captions = "".join(f"<figcaption>{escape(each)}</figcaption>\n" for each in captions)
    picture = svg(grid.bars, ", ".join([grid.title, *captions]), name)
    return f"<figure>\n{shown_captions}{picture}\n</figure>"


def _rows(grid: Grid) -> list[str]:
    right = numeric(grid)
    kinds = [' class="n"' if is_number else "" for is_number in right]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>'
        for name, kind in zip(grid.columns, kinds, strict=True)
    )
    lines = [f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for at, row in enumerate(grid.rows):
        cells = [
            _cell(shown(cell), column, right[column], (at, column) in grid.marked)
            for column, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return [*lines, "</tbody>"]


def _cell(text: str, column: int, is_number: bool, marked: bool) -> str:
    kind = ' class="n"' if is_number else ' class="long"' if len(text) > _LONG else ""
    inner = escape(dashed(text, "–", "−") if is_number else text)
    if marked:
        inner = f"<b>{inner}</b>{_SHOWN_SIGN}"
    if column == 0:
        return f'<th scope="row" dir="auto"{kind}>{inner}</th>'
    return f"<td{kind}>{inner}</td>"


def _note(note: str) -> str:
    if signed := signature_note(note):
        return f"{escape(signed[0])}: <code>{escape(signed[1])}</code>"
    if note.startswith(MARKED):
        return f"{_SHOWN_SIGN} {escape(note.removeprefix(MARKED))}"
    return escape(note)


@cache
def _style() -> str:
    return (files("coindex.scoring") / "assets" / "report.css").read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
