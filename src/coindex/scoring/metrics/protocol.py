"""The contract of metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.terms import Term
from coindex.scoring.table_stack import TableStack


class Metric(Protocol):
    """What the module of every metric defines.

    TITLE        the name of the metric in tables
    ORDER        its position in tables; metrics of equal order are sorted by name
    ALIASES      other names under which users know it
    AVERAGE_OF   the metrics whose F1 it averages; empty for a metric that has counts
    IN_ALL       whether it is one of the metrics called `all`
    IN_RANKINGS  whether several responses are also ranked by it
    """

    TITLE: str
    ORDER: int
    ALIASES: tuple[str, ...]
    AVERAGE_OF: tuple[str, ...]
    IN_ALL: bool
    IN_RANKINGS: bool


class CountingMetric(Metric, Protocol):
    """What the module of a metric that is not an average also defines.

    COUNTS    the name of each number that `count` returns
    REPEATED  what is counted if mentions count in all of their entities: `sides` (recall from
              the occurrences of the key, precision from those of the response), `recall` (both
              from those of the key), `once` (each mention once), `whole` (whole entities)
    """

    COUNTS: tuple[str, ...]
    REPEATED: str

    count_stack: Callable[[TableStack], Floats] | None
    """Optional: the counts of many documents at once, one row each, equal to those of `count`."""

    explain: Callable[[ContingencyTable], tuple[Term, ...]] | None
    """Optional: what the counts of one document consist of; the terms add up to them."""

    def count(self, table: ContingencyTable) -> Floats:
        """The additive counts of one document."""
        ...

    def score(self, totals: Floats) -> Floats:
        """Recall, precision and F1 of summed counts, as fractions."""
        ...
