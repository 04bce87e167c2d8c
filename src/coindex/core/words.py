"""Lists of words, kept as data files beside the code.

A file holds one entry a line; `#` starts a comment. A line `word<TAB>label`
gives the word a label.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def labels(name: str) -> dict[str, str]:
    """The words of a list with their labels (empty where they have none)."""
    text = files("coindex.words").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    rows = (line.split("#")[0].strip() for line in text.splitlines())
    pairs = (row.partition("\t") for row in rows if row)
    return {word.strip(): label.strip() for word, _, label in pairs}


@cache
def words(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(labels(name))
