"""Metrics: one module each. `count` is additive over documents, `score` is not.

`count` returns the numbers of one document as an array. `score` turns sums of them into recall,
precision and F1, for any number of sums at once (`(..., n)` in, `(..., 3)` out). The score of a
corpus is that of a sum, and a confidence interval is computed from scores of resampled sums.
Zero over zero is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from coindex import plugins
from coindex.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from coindex.scoring.metrics.protocol import CountingMetric, Metric

DEFAULT = "conll"
ALL = "all"
_DEFAULTS = (
    ("ORDER", 1000),
    ("ALIASES", ()),
    ("AVERAGE_OF", ()),
    ("IN_ALL", True),
    ("IN_RANKINGS", False),
    ("REPEATED", "whole"),
    ("count_stack", None),
    ("explain", None),
)


def names() -> tuple[str, ...]:
    """The names of all metrics, sorted."""
    return plugins.names("metrics")


def in_order() -> tuple[str, ...]:
    """The names of all metrics, in their order of display."""
    return tuple(sorted(names(), key=lambda name: (load(name).ORDER, name)))


def load(name: str) -> Metric:
    """A metric by its name or one of its aliases.

    A metric of another package may leave out what `_DEFAULTS` holds: it is then shown last, is
    one of `all`, and responses are not ranked by it.
    """
    module = plugins.load("metrics", canonical(name))
    for member, default in _DEFAULTS:
        vars(module).setdefault(member, default)
    return cast("Metric", module)


def load_counting(name: str) -> CountingMetric:
    """A metric that is not an average, by its name."""
    metric = load(name)
    if metric.AVERAGE_OF:
        raise UsageError(f"{name}: expected a metric with counts, found an average of others")
    return cast("CountingMetric", metric)


def components(name: str) -> tuple[str, ...]:
    """The metrics to count for a metric: those that it averages, or itself."""
    return load(name).AVERAGE_OF or (name,)


def canonical(name: str) -> str:
    """The name of the metric with a name or alias; `UnknownName` if there is none."""
    if name in names():
        return name
    for known in names():
        if name in load(known).ALIASES:
            return known
    raise UnknownName("metric", name, names())


def expand(given: str | Sequence[str]) -> tuple[str, ...]:
    """The metrics that `conll`, `all`, `muc,b3` or a list denote, each once, in order.

    An average denotes the metrics that it averages and itself.
    """
    metrics: list[str] = []
    for part in given.split(",") if isinstance(given, str) else given:
        name = part.strip().lower()
        if name == ALL:
            metrics += (each for each in in_order() if load(each).IN_ALL)
        else:
            metrics += (*load(name).AVERAGE_OF, canonical(name))
    if not metrics:
        raise UsageError("expected the name of a metric, found none")
    return tuple(dict.fromkeys(metrics))
