"""Exact: the same tokens, no more and no fewer (maximum spans)."""

from __future__ import annotations

from coindex.scoring.matching.protocol import Identify
from coindex.types.document import Document
from coindex.types.mention import reading_order

TITLE = "maximum spans"
ORDER = 10
IN_RANKINGS = True
REVISION = 1


def pair(key: Document, response: Document) -> tuple[Identify, Identify]:
    """Both sides by their spans."""
    return reading_order, reading_order
