"""The cells of CoNLL tables, without documents: what a fast reader needs as well.

This module imports nothing else of coindex, since starting takes most of the time of scoring.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_BRACKET = re.compile(r"(\()?([^()|]+)(\))?\|?")


@lru_cache(maxsize=4096)
def brackets(cell: str) -> tuple[tuple[str, str, str], ...] | None:
    """The brackets of a cell as (open, entity, close), or None if they are malformed."""
    found = []
    at = 0
    for match in _BRACKET.finditer(cell):
        stripped = match[2] == match[2].strip()
        if match.start() != at or not (match[1] or match[3]) or not stripped:
            return None
        at = match.end()
        found.append((match[1], match[2], match[3]))
    return tuple(found) if at == len(cell) and cell[-1] != "|" else None


def is_semeval(head: Sequence[str]) -> bool:
    """Whether rows are those of SemEval-2010: numbered from 1, wide, by tabs."""
    rows = [line.split("\t") for line in head if line.strip() and not line.startswith("#")][:2]
    numbers = [row[0].strip() for row in rows]
    wide = bool(rows) and min(map(len, rows)) >= 14
    return wide and numbers in (["1", "2"], ["1", "1"], ["1"])
