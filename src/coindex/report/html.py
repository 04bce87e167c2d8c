"""Tables as one web page that needs no other file and no network.

The page runs no script, and its content security policy allows one style, by its hash. It
follows the reader's light or dark theme, and can be printed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache

from coindex import io
from coindex.report.explanation_html import style as explanation_style
from coindex.report.html_text import escape
from coindex.report.plots import bar_chart
from coindex.report.table import Table, format_cell, typeset_number

SIGN = "◆"
_LONG = 28
"""Cells with longer texts than this may be broken into lines."""

_SHOWN_SIGN = f'<span class="sign" role="img" aria-label="marked">{SIGN}</span>'


def render(tables: Sequence[Table]) -> str:
    """The page with all tables, each under its title and above its notes."""
    explained = [number for number, table in enumerate(tables, 1) if table.page_body]
    style = _style() + (explanation_style() if explained else "")
    title = f"{tables[0].title} · coindex" if tables else "coindex"
    sections = "\n".join(_section(table, number) for number, table in enumerate(tables, 1))
    if explained:
        sections = f"{_contents(tables, explained)}\n{sections}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src {csp_hash(style)}; base-uri 'none'; form-action 'none'">
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


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _contents(tables: Sequence[Table], explained: Sequence[int]) -> str:
    """Links to the documents that are explained."""
    links = (
        f'<a href="#t{at}">{escape(tables[at - 1].title.removesuffix(": text"))}</a>'
        for at in explained
    )
    return f'<nav class="contents">What was counted: {", ".join(links)}</nav>'


def _section(table: Table, number: int) -> str:
    name = f"t{number}"
    parts = [
        f'<section aria-labelledby="{name}">',
        f'<h2 id="{name}" dir="auto">{escape(table.title)}</h2>',
    ]
    if table.bars:
        parts.append(_figure(table, f"b{number}"))
    if table.page_body:
        parts.append(table.page_body)
    else:
        parts += [
            f'<div class="wide" role="region" tabindex="0" aria-labelledby="{name}">',
            f'<table aria-labelledby="{name}">',
            *_rows(table),
            "</table>",
            "</div>",
        ]
    if below := table.notes_below:
        lines = (note.render(_SHOWN_SIGN, escape, _code) for note in below)
        notes = "\n".join(f"<li>{line}</li>" for line in lines)
        parts.append(f'<ul class="notes">\n{notes}\n</ul>')
    return "\n".join([*parts, "</section>"])


def _figure(table: Table, name: str) -> str:
    captions = "".join(f"<figcaption>{escape(each)}</figcaption>\n" for each in table.captions)
    chart = bar_chart(table.bars, ", ".join([table.title, *table.captions]), name)
    scroll = f'<div class="wide" role="region" tabindex="0" aria-labelledby="{name}-title">'
    return f"<figure>\n{captions}{scroll}{chart}</div>\n</figure>"


def _rows(table: Table) -> list[str]:
    right = table.numeric_columns()
    kinds = [' class="n"' if is_number else "" for is_number in right]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>'
        for name, kind in zip(table.columns, kinds, strict=True)
    )
    lines = [f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for at, row in enumerate(table.rows):
        cells = [
            _cell(format_cell(cell), column, right[column], (at, column) in table.marked)
            for column, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return [*lines, "</tbody>"]


def _cell(text: str, column: int, is_number: bool, marked: bool) -> str:
    kind = ' class="n"' if is_number else ' class="long"' if len(text) > _LONG else ""
    inner = escape(typeset_number(text, "–", "−") if is_number else text)
    if marked:
        inner = f"<b>{inner}</b>{_SHOWN_SIGN}"
    if column == 0:
        return f'<th scope="row" dir="auto"{kind}>{inner}</th>'
    return f"<td{kind}>{inner}</td>"


@cache
def _style() -> str:
    return io.package_text("coindex.report", "assets", "report.css")


def csp_hash(text: str) -> str:
    """The hash by which a content security policy allows an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
