"""Text on web pages."""

from __future__ import annotations

import html

from coindex.report.table import printable


def escape(text: str) -> str:
    """Text without characters that HTML would interpret."""
    return html.escape(printable(text))
