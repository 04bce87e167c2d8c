"""The columns of CoNLL files, of any width, by tabs or by spaces."""

from __future__ import annotations

import re
from collections import Counter
from operator import methodcaller

from coindex.core.source import Source

Columns = list[tuple[str, ...]]
"""Document, part, index (left empty), word, and so on; coreference is the last."""

_TABS = methodcaller("count", "\t")
_SPACES = re.compile(" +")


def read_columns(id: str, lines: list[str], source: Source) -> Columns:
    """The columns of a document; rows of unequal length keep what they share."""
    width = lines[0].count("\t") + 1 if lines else 0
    if width > 5 and not lines[0].endswith("\t\n") and set(map(_TABS, lines)) == {width - 1}:
        body = "".join(lines).replace("\r\n", "\n")  # one split for all is fastest
        flat = body.replace("\n", "\t").split("\t")
        size = width * len(lines)
        return [(), (), (), *(tuple(flat[index:size:width]) for index in range(3, width))]
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
