"""Lists of words, stored as data files beside the code.

A file has one entry per line; `#` starts a comment. A line `word<TAB>label`
gives the word a label.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from coindex import io


@cache
def labels(name: str) -> dict[str, str]:
    """The words of a list with their labels (empty where they have none)."""
    text = io.package_text("coindex.text.data", f"{name}.txt")
    rows = (line.split("#")[0].strip() for line in text.splitlines())
    pairs = (row.partition("\t") for row in rows if row)
    return {word.strip(): label.strip() for word, _, label in pairs}


@cache
def numbers(name: str) -> dict[str, Any]:
    """The thresholds of a list, by name: integers, or floats where they have a decimal point."""
    return {key: float(v) if "." in v else int(v) for key, v in labels(name).items()}


@cache
def words(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(labels(name))
