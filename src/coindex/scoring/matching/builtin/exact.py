"""Exact: the same tokens, no more and no fewer (maximum spans)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # scoring tables needs none of them
    from coindex.scoring.matching.protocol import Identify
    from coindex.types.document import Document

TITLE = "maximum spans"
ORDER = 10
IN_RANKINGS = True
REVISION = 1


def pair(key: Document, response: Document) -> tuple[Identify, Identify]:
    """Both sides by their spans."""
    from coindex.types.mention import reading_order

    return reading_order, reading_order
