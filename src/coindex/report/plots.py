"""Charts: bars as SVG inside a page, and pictures drawn by matplotlib.

Bars begin at zero, so that their lengths can be compared. Every number that is drawn is also
written, beside its bar and in the description for screen readers.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from coindex.errors import InputError, import_extra
from coindex.report.table import Bar, format_cell, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, ROW, TOP, BOTTOM = 860, 34, 8, 30
_CHARACTER_WIDTH = 9.0
_MAX_LABEL = 30
_VALUE_WIDTH = 62


def bar_chart(bars: Sequence[Bar], title: str, name: str) -> str:
    """Bars with their values and intervals, as SVG.

    `name` begins the ids of its title and description.
    """
    left = 16 + _CHARACTER_WIDTH * max(_columns(_short(bar)) for bar in bars)
    step, first, last = _axis(bars)

    def x(value: float) -> float:
        return left + (WIDTH - left - _VALUE_WIDTH) * (value - first) / (last - first)

    foot = TOP + ROW * len(bars)
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {foot + BOTTOM}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escape(printable(title))}</title>',
        f'<desc id="{name}-desc">{_described(bars)}</desc>',
    ]
    for number in range(round((last - first) / step) + 1):
        value = first + number * step
        kind = "zero" if abs(value) < step / 2 else "tick"
        lines.append(
            f'<line class="{kind}" x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{TOP}" y2="{foot}"/>'
            f'<text class="scale" x="{x(value):.1f}" y="{foot + 20}">{value:g}</text>'
        )
    for at, bar in enumerate(bars):
        middle = TOP + ROW * at + ROW / 2
        start, end = sorted((x(0), x(bar.value)))
        lines += [
            f'<text class="label" x="{left - 10:.1f}" y="{middle + 5:.1f}">{escape(_short(bar))}</text>',
            f'<rect class="bar" x="{start:.1f}" y="{middle - 10:.1f}" '
            f'width="{end - start:.1f}" height="20"/>',
            *_whisker(bar, x, middle),
            f'<text class="value" x="{max(map(x, _numbers(bar))) + 9:.1f}" '
            f'y="{middle + 5:.1f}">{format_cell(float(bar.value))}</text>',
        ]
    return "\n".join([*lines, "</svg>"])


def _numbers(bar: Bar) -> list[float]:
    return [each for each in (bar.value, bar.low, bar.high) if each is not None]


def _axis(bars: Sequence[Bar]) -> tuple[float, float, float]:
    """The step between ticks, and the first and last tick, all round numbers."""
    numbers = [0.0, *(number for bar in bars for number in _numbers(bar))]
    low, high = min(numbers), max(numbers)
    rough = (high - low) / 5 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough * 0.999)
    first = math.floor(low / step + 1e-9) * step
    return step, first, max(math.ceil(high / step - 1e-9) * step, first + step)


def _whisker(bar: Bar, x: Callable[[float], float], middle: float) -> list[str]:
    """The error bar of an interval, on a halo that separates it from the bar."""
    if bar.low is None or bar.high is None:
        return []
    low, high = x(bar.low), x(bar.high)
    path = (
        f"M{low:.1f} {middle:.1f}H{high:.1f}"
        f"M{low:.1f} {middle - 5:.1f}v10M{high:.1f} {middle - 5:.1f}v10"
    )
    return [f'<path class="halo" d="{path}"/>', f'<path class="whisker" d="{path}"/>']


def _short(bar: Bar) -> str:
    """The label, truncated if it is too long; the table and the description have all of it."""
    label = printable(bar.label)
    return label if len(label) <= _MAX_LABEL else label[: _MAX_LABEL - 1] + "…"


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _described(bars: Sequence[Bar]) -> str:
    """The description for screen readers: all labels, values and intervals."""
    parts = []
    for bar in bars:
        interval = ""
        if bar.low is not None and bar.high is not None:
            interval = f", interval {format_cell(float(bar.low))} to {format_cell(float(bar.high))}"
        parts.append(f"{printable(bar.label)} {format_cell(float(bar.value))}{interval}")
    return escape("; ".join(parts))


DensityPoints = Sequence[tuple[int, int, int]]
"""Running counts of tokens, mentions and nested mentions."""


@contextmanager
def figure(
    path: str | Path, width: float, height: float, *, dpi: int = 150, extra: str = "plot"
) -> Iterator[Figure]:
    """An empty figure, in inches; the picture is written to `path` afterwards.

    The same picture gives the same file. `extra` is what installs matplotlib.
    """
    mpl = import_extra("matplotlib", extra)
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "coindex"
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(width, height), layout="constrained")
    yield drawn
    metadata = {"Date": None} if str(path).endswith(".svg") else None
    try:
        drawn.savefig(path, dpi=dpi, metadata=metadata)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error


def plot_density(curves: Mapping[str, DensityPoints], path: str) -> None:
    """Mentions (solid) and nested mentions (dashed) over tokens, as in Quiz Bowl's Figure 2."""
    markers = "osD^v<>P*X"
    with figure(path, 7, 4.5) as drawn:
        axes = drawn.add_subplot()
        for number, (name, points) in enumerate(curves.items()):
            tokens, mentions, nested = zip(*points, strict=True)
            colour, marker = f"C{number % 10}", markers[number % len(markers)]
            every = max(1, len(points) // 8)
            axes.plot(tokens, mentions, "-", color=colour, marker=marker, markevery=every,
                      label=f"{name}: mentions")  # fmt: skip
            axes.plot(tokens, nested, "--", color=colour, marker=marker, markevery=every,
                      markerfacecolor="none", label=f"{name}: nested")  # fmt: skip
        axes.set_xlabel("tokens")
        axes.set_ylabel("running count")
        axes.set_title("Density of mentions")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")


def plot_span_lengths(lengths: Mapping[str, Mapping[str, int]], path: str) -> None:
    """The lengths of maximum and of MINA spans, as in the MINA paper's Figure 8."""
    series = (("maximum", "maximum spans", "C0", "//"), ("mina", "MINA spans", "C1", ".."))
    with figure(path, 6, 4) as drawn:
        axes = drawn.add_subplot()
        for number, (side, label, colour, pattern) in enumerate(series):
            positions = [at + 0.4 * number - 0.2 for at in range(len(lengths[side]))]
            counts = list(lengths[side].values())
            bars = axes.bar(positions, counts, 0.4, label=label, color=colour, hatch=pattern,
                            edgecolor="black", linewidth=0.6)  # fmt: skip
            axes.bar_label(bars, fmt="{:,.0f}", fontsize="small")
        labels = [name.replace(">=", "≥ ") for name in lengths["maximum"]]
        axes.set_xticks(range(len(labels)), labels)
        axes.set_xlabel("length in words")
        axes.set_ylabel("mentions")
        axes.set_title("Length of maximum and minimum spans")
        axes.margins(y=0.1)
        axes.legend()
