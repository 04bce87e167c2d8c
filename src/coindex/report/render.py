"""Tables in any style: text for a terminal, Markdown, LaTeX, or a web page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from coindex.errors import UnknownName
from coindex.report.table import Table

STYLES = ("text", "markdown", "latex", "html")


def render(
    tables: Sequence[Table], style: str = "text", *, width: int | None = None, color: bool = False
) -> str:
    """The tables as one string, without a newline at its end.

    width   columns of the terminal, for `text`; without it no line is folded
    color   whether `text` may use the terminal's bold type
    """
    if style not in STYLES:
        raise UnknownName("style", style, STYLES)
    if style == "text":
        from coindex.report import text

        return text.render(tables, width, color).rstrip("\n")
    renderer = import_module(f"coindex.report.{style}")  # only the one that is needed
    return str(renderer.render(tables)).rstrip("\n")
