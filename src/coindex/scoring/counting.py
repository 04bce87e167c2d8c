"""The counts of a metric for one document, whatever its table contains.

Metrics count plain tables. Where mentions count in several entities, and where split antecedents
count as fractions of a mention, recall and precision are counted from tables of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coindex.errors import UsageError
from coindex.scoring import metrics
from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.table_stack import TableStack


def count_all(name: str, tables: Sequence[ContingencyTable], stacked: TableStack | None) -> Floats:
    """The additive counts of a metric, one row per document; `stacked` holds all tables in one."""
    count_stack = metrics.load_counting(name).count_stack
    if stacked is not None and count_stack is not None:
        return count_stack(stacked)
    return np.array([count(name, table) for table in tables])


def count_stacked(name: str, stacked: TableStack) -> Floats:
    """The additive counts of a metric that defines `count_stack`, one row per document."""
    count_stack = metrics.load_counting(name).count_stack
    if count_stack is None:
        raise UsageError(f"{name}: expected a metric that counts stacked tables")
    return count_stack(stacked)


def count(name: str, table: ContingencyTable) -> Floats:
    """The additive counts of a metric that is not an average."""
    metric = metrics.load_counting(name)
    if table.splits is not None:
        from coindex.scoring.split_antecedents import count_splits

        return count_splits(metric, table)
    if table.views is None or metric.REPEATED == "whole":
        return metric.count(table)
    recall, precision, once = table.views
    if metric.REPEATED == "sides":
        half = len(metric.COUNTS) // 2
        return np.concatenate([metric.count(recall)[:half], metric.count(precision)[half:]])
    return metric.count(once if metric.REPEATED == "once" else recall)
