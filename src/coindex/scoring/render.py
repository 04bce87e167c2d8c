"""Tables in the style that is asked for: terminal, Markdown, LaTeX, or a web page."""

from __future__ import annotations

from collections.abc import Sequence

from coindex.errors import UnknownName
from coindex.scoring._html import page
from coindex.scoring._latex import latex
from coindex.scoring._markdown import markdown
from coindex.scoring._text import text
from coindex.scoring.grid import Grid

STYLES = ("text", "markdown", "latex", "html")


def render(
    grids: Sequence[Grid], style: str = "text", *, width: int | None = None, color: bool = False
) -> str:
    """The tables as one string, without a newline at its end.

    width   columns of the terminal, for `text`; without it nothing is folded
    color   whether `text` may use the terminal's bold letters
    """
    if style not in STYLES:
        raise UnknownName("style", style, STYLES)
    if style == "text":
        return text(grids, width, color).rstrip("\n")
    draw = {"markdown": markdown, "latex": latex, "html": page}[style]
    return draw(grids).rstrip("\n")
