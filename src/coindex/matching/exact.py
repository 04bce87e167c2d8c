"""Exact: the same tokens, no more and no fewer (maximum spans)."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from coindex.core.document import Document
from coindex.core.mention import Mention, reading_order


def pair(
    key: Document, response: Document
) -> tuple[Callable[[Mention], Hashable], Callable[[Mention], Hashable]]:
    """Both sides by their spans."""
    return reading_order, reading_order
