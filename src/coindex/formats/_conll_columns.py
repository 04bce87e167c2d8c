"""The columns of CoNLL files, of any width, by tabs or by spaces."""

from __future__ import annotations

import re
from collections import Counter

from coindex.core.source import Source

Columns = list[tuple[str, ...]]
"""Document, part, index (left empty), word, and so on; coreference is the last."""

_SPACES = re.compile(" +")


def read_columns(id: str, lines: list[str], source: Source) -> Columns:
    """The columns of a document; rows of unequal length keep what they share."""
    columns = _even_columns(lines)
    if columns:
        return columns
    rows = [_fields(line) for line in lines]
    widths = Counter(map(len, rows))
    _check_widths(rows, widths, source)
    shared = list(zip(*(row[:-1] for row in rows), strict=False))
    coref = tuple(row[-1] for row in rows)
    if len(shared) < 5:  # two to five columns
        bare = len(shared) == 1 and set(shared[0]) == {id}
        return [(), (), (), ("_",) * len(rows) if bare else shared[-1] if shared else (), coref]
    if max(widths, default=0) > 12:
        shared[11:] = list(zip(*(_padded(row, max(widths)) for row in rows), strict=True))
    return [*shared, coref]


def _even_columns(lines: list[str]) -> Columns | None:
    """The columns of rows by tabs that are all of one width: one split for all is fastest.

    Rows are even if each line break ends a field of the last column.
    """
    width = lines[0].count("\t") + 1 if lines else 0
    if width < 6 or lines[0].endswith("\t\n"):
        return None
    flat = "\t".join(lines).split("\t")
    last = "".join(flat[width - 1 :: width]).replace("\r\n", "\n")
    if len(flat) != width * len(lines) or last.count("\n") != len(lines):
        return None
    columns = (tuple(flat[index::width]) for index in range(3, width - 1))
    return [(), (), (), *columns, tuple(last.split("\n")[:-1])]


def _check_widths(rows: list[list[str]], widths: Counter[int], source: Source) -> None:
    """Rows are as wide as each other, but for the arguments of verbs from the twelfth on."""
    least = min(widths, default=12)
    if least >= 2 and (len(widths) == 1 or least >= 12):
        return
    usual = max(widths.most_common(1)[0][0], 2)
    at = next(i for i, row in enumerate(rows) if len(row) != usual)
    wanted = "two columns or more" if usual == 2 else f"{usual} columns"
    message = f"expected {wanted}, found {len(rows[at])}: {' '.join(rows[at])[:40]!r}"
    raise source.error(source.line_of(at), message)


def _fields(line: str) -> list[str]:
    if "\t" not in line:
        return _SPACES.split(line.strip(" \r\n"))
    fields = line.rstrip("\r\n").split("\t")
    if not fields[-1]:
        fields.pop()
    return fields


def _padded(row: list[str], width: int) -> list[str]:
    """The arguments of a row: sentences have as many columns as they have verbs."""
    return row[11:-1] + [""] * (width - max(len(row), 12))
