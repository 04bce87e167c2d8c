"""Numbers of a page of results as text."""

from __future__ import annotations

from collections.abc import Iterable

from coindex.scoring.significance import Interval
from research.results.seeds import Summary

NOT_RUN = "not run"
NO_VALUE = "no value"


def decimals(figure: str) -> int:
    """How many a figure of ours has: a ratio two, a share one."""
    return 2 if figure == "bias" else 1


def format_summary(summary: Summary | None, figure: str, *, signed: bool = False) -> str:
    """`81.6 ± 0.4 (79.8 to 83.3)`: the mean, the spread over seeds, the interval."""
    if summary is None:
        return NOT_RUN
    if summary.value is None:
        return NO_VALUE
    places = decimals(figure)
    text = format_number(summary.value, places, signed=signed)
    if summary.spread is not None:
        text += f" ± {summary.spread:.{places}f}"
    if summary.interval is None:
        return text
    ends = summary.interval.low, summary.interval.high
    if signed and any(round(end, places) == 0 for end in ends):
        places += 1  # on which side of 0 it ends is what a difference is looked at for
    return f"{text} ({format_interval(summary.interval, places)})"


def format_number(value: float, places: int, *, signed: bool = False) -> str:
    """A number without a minus before zero; with a plus where a difference is shown."""
    rounded = round(value, places) + 0.0
    return f"{rounded:+.{places}f}" if signed else f"{rounded:.{places}f}"


def format_interval(interval: Interval, places: int) -> str:
    """Both ends of an interval."""
    return f"{format_number(interval.low, places)} to {format_number(interval.high, places)}"


def places_of(values: Iterable[float]) -> int:
    """How many decimals a paper's column has: those of its longest number."""
    return max((len(f"{v:.2f}".rstrip("0").partition(".")[2]) for v in values), default=0)


def millions(parameters: int | None) -> str:
    """`109.5 M`; nothing for what is no model."""
    if parameters is None:
        return ""
    return f"{parameters / 1e6:.1f} M" if parameters >= 100_000 else f"{parameters:,}"


def some(names: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
