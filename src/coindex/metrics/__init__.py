"""Metrics: one file each. `count(table)` is additive over documents, `score(totals)` is not.

`count` gives the numbers of one document as an array; sums of them are scored
by `score`, which takes any number of totals at once (`(..., n)` in, `(..., 3)`
out: recall, precision, F1 as fractions). So a corpus is a sum, a confidence
interval is a score of resampled sums, and a document is a row. Zero over zero
is zero.
"""

from __future__ import annotations

from typing import Any, Protocol

from coindex import plugins
from coindex.arrays import Floats, Table
from coindex.errors import UnknownName

ALIASES = {"bcub": "b3", "b-cubed": "b3", "ceaf-m": "ceafm", "ceaf-e": "ceafe"}


class Metric(Protocol):
    """What a metric's file defines; `AVERAGE_OF` names others instead of counting.

    TITLE   how tables call it
    COUNTS  the name of each number that `count` gives
    """

    TITLE: str
    COUNTS: tuple[str, ...]

    def count(self, table: Table) -> Floats:
        """The additive counts of one document."""
        ...

    def score(self, totals: Floats) -> Floats:
        """Recall, precision and F1 of summed counts."""
        ...


def names() -> tuple[str, ...]:
    """The metrics there are."""
    return plugins.names("metrics")


def load(name: str) -> Metric:
    """A metric by its name."""
    known = ALIASES.get(name, name)
    if known not in names():
        raise UnknownName("metric", name, names())
    module: Any = plugins.load("metrics", known)
    return module  # type: ignore[no-any-return]
