"""Bars with their values and intervals, as a picture inside a page.

Bars begin at zero, so that their lengths can be compared. Every number that is
drawn is also written, beside its bar and in the description that is read aloud.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from html import escape

from coindex.scoring._cells import clean, shown
from coindex.scoring.grid import Bar

WIDTH, ROW, TOP, BOTTOM = 860, 34, 8, 30
_LETTER = 9.0
_LONGEST = 30
_VALUE = 62


def svg(bars: Sequence[Bar], title: str, name: str) -> str:
    """The picture; `name` begins the ids of its title and description."""
    left = 16 + _LETTER * max(_columns(_short(bar)) for bar in bars)
    step, first, last = _axis(bars)

    def x(value: float) -> float:
        return left + (WIDTH - left - _VALUE) * (value - first) / (last - first)

    foot = TOP + ROW * len(bars)
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {foot + BOTTOM}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escape(clean(title))}</title>',
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
            f'<text class="value" x="{max(x(bar.value), x(_high(bar))) + 9:.1f}" '
            f'y="{middle + 5:.1f}">{shown(float(bar.value))}</text>',
        ]
    return "\n".join([*lines, "</svg>"])


def _low(bar: Bar) -> float:
    return bar.value if bar.low is None else bar.low


def _high(bar: Bar) -> float:
    return bar.value if bar.high is None else bar.high


def _axis(bars: Sequence[Bar]) -> tuple[float, float, float]:
    """The step between round numbers, and the first and last of them."""
    low = min(0.0, *(min(bar.value, _low(bar)) for bar in bars))
    high = max(0.0, *(max(bar.value, _high(bar)) for bar in bars))
    rough = (high - low) / 5 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough * 0.999)
    first = math.floor(low / step + 1e-9) * step
    return step, first, max(math.ceil(high / step - 1e-9) * step, first + step)


def _whisker(bar: Bar, x: Callable[[float], float], middle: float) -> list[str]:
    """The interval: a line with a cap at each end, on a halo that sets it off the bar."""
    if bar.low is None or bar.high is None:
        return []
    low, high = x(bar.low), x(bar.high)
    path = (
        f"M{low:.1f} {middle:.1f}H{high:.1f}"
        f"M{low:.1f} {middle - 5:.1f}v10M{high:.1f} {middle - 5:.1f}v10"
    )
    return [f'<path class="halo" d="{path}"/>', f'<path class="whisker" d="{path}"/>']


def _short(bar: Bar) -> str:
    """The label, cut where it is too long; the table and the description have all of it."""
    label = clean(bar.label)
    return label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _described(bars: Sequence[Bar]) -> str:
    """The numbers in words."""
    said = []
    for bar in bars:
        interval = ""
        if bar.low is not None and bar.high is not None:
            interval = f", interval {shown(float(bar.low))} to {shown(float(bar.high))}"
        said.append(f"{clean(bar.label)} {shown(float(bar.value))}{interval}")
    return escape("; ".join(said))
