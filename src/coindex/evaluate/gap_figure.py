"""GAP's Figure 1: precision over recall, by the gender of the pronoun, for each system.

Curves join the points of equal F1. Each system has a number in a disc (overall), a
square (masculine) and a triangle (feminine), so that nothing hangs on colour alone.
Papers' rows are drawn where they give precision and recall.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from coindex.benchmarks.gap_scorer import gap_score
from coindex.errors import InputError, MissingExtra, UsageError
from coindex.evaluate.results import BenchmarkResult
from coindex.evaluate.tables import published_rows
from coindex.report.table import printable

WIDTH, HEIGHT = 860, 520
LEFT, RIGHT, TOP, BOTTOM = 64, 300, 16, 52
COLOURS = (
    "#2b7bd6", "#d9690b", "#1f9d6b", "#c64ba0", "#8f6ad6", "#a98200", "#d6423b", "#5a8f9c",
)  # fmt: skip
"""Seen on white and on black."""

Point = tuple[float, float]
"""Recall and precision, in percent."""

GROUPS = ("overall", "masculine", "feminine")


@dataclass(frozen=True, slots=True)
class Points:
    """A system: its points overall and, where they are known, by gender."""

    system: str
    overall: Point
    masculine: Point | None = None
    feminine: Point | None = None

    @property
    def all(self) -> list[tuple[str, Point]]:
        """The points that there are, by their groups."""
        result = [(name, getattr(self, name)) for name in GROUPS]
        return [(name, point) for name, point in result if point is not None]


def points_of(table: BenchmarkResult) -> tuple[Points, ...]:
    """The points of all systems on GAP, or on another benchmark that is scored so."""
    results = []
    for result in table.results:
        scores = gap_score(result.matched)
        parts = [(part.recall, part.precision) for part in (getattr(scores, n) for n in GROUPS)]
        results.append(Points(table.label(result), *parts))
    for row in published_rows(table):
        figures = dict(row.figures)
        if "precision" in figures and "recall" in figures:
            results.append(Points(row.system, (figures["recall"], figures["precision"])))
    return tuple(results)


def has_figure(table: BenchmarkResult) -> bool:
    """Whether precision and recall are among its figures."""
    return {"precision", "recall"} <= {*table.benchmark.METRICS}


def svg(systems: Sequence[Points], title: str, name: str = "pr", *, alone: bool = False) -> str:
    """The picture; `name` begins its ids, `alone` makes it a file of its own."""
    plot = _Plot(systems)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    if alone:
        size += (
            f' xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
            ' color="#1b1f24" font-family="sans-serif" font-size="14"'
        )
    lines = [
        f'<svg {size} role="img" aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escape(printable(title))}</title>',
        f'<desc id="{name}-desc">{escape(_described(systems))}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>' if alone else "",
        *plot.axes(),
        *plot.curves(),
    ]
    for number, system in enumerate(systems):
        lines += plot.system(system, number)
        lines += _entry(system, number)
    lines += _key(len(systems))
    return "\n".join([*filter(None, lines), "</svg>"])


class _Plot:
    """Where things are drawn."""

    def __init__(self, systems: Sequence[Points]) -> None:
        points = [point for system in systems for _, point in system.all]
        self.recall = _range([recall for recall, _ in points])
        self.precision = _range([precision for _, precision in points])

    def x(self, recall: float) -> float:
        low, high = self.recall
        return LEFT + (WIDTH - LEFT - RIGHT) * (recall - low) / (high - low)

    def y(self, precision: float) -> float:
        low, high = self.precision
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (precision - low) / (high - low)

    def axes(self) -> Iterator[str]:
        """A line for each ten percent, and what the two sides are."""
        right, foot = WIDTH - RIGHT, HEIGHT - BOTTOM
        for value in range(self.recall[0], self.recall[1] + 1, 10):
            at = f"{self.x(value):.1f}"
            yield _line(at, TOP, at, foot)
            yield _text(at, foot + 18, f"{value}", "middle")
        for value in range(self.precision[0], self.precision[1] + 1, 10):
            level = self.y(value)
            yield _line(LEFT, f"{level:.1f}", right, f"{level:.1f}")
            yield _text(LEFT - 8, f"{level + 5:.1f}", f"{value}", "end")
        yield _text((LEFT + right) / 2, HEIGHT - 12, "recall, %", "middle")
        middle = (TOP + foot) / 2
        yield (
            f'<text transform="translate(18 {middle:.0f}) rotate(-90)" text-anchor="middle"'
            ' fill="currentColor">precision, %</text>'
        )

    def curves(self) -> Iterator[str]:
        """Where F1 is a multiple of ten: precision = F recall / (2 recall - F)."""
        for f1 in range(10, 100, 10):
            at = [
                self.recall[0] + step / 4
                for step in range(4 * (self.recall[1] - self.recall[0]) + 1)
            ]
            places = [(r, f1 * r / (2 * r - f1)) for r in at if 2 * r > f1 + 1e-9]
            low, high = self.precision
            inside = [(r, p) for r, p in places if low <= p <= high]
            if len(inside) < 2:
                continue
            path = "L".join(f"{self.x(r):.1f} {self.y(p):.1f}" for r, p in inside)
            yield (
                f'<path d="M{path}" fill="none" stroke="currentColor" stroke-opacity=".35"'
                ' stroke-dasharray="3 4"/>'
            )
            r, p = inside[-1]
            yield _text(f"{self.x(r) + 6:.1f}", f"{self.y(p) + 4:.1f}", f"F1 {f1}", "start", 11)

    def system(self, system: Points, number: int) -> Iterator[str]:
        """Its marks, the genders joined to the number in the middle."""
        colour = COLOURS[number % len(COLOURS)]
        x, y = (axis(value) for axis, value in zip((self.x, self.y), system.overall, strict=True))
        for group, (recall, precision) in system.all[1:]:
            to = self.x(recall), self.y(precision)
            yield (
                f'<path d="M{x:.1f} {y:.1f}L{to[0]:.1f} {to[1]:.1f}" stroke="{colour}"'
                ' stroke-width="1.5"/>'
            )
            yield _MARKS[group](*to, colour)
        yield _disc(x, y, colour, number)


def _range(values: Sequence[float]) -> tuple[int, int]:
    low = math.floor((min(values, default=0) - 3) / 10) * 10
    high = math.ceil((max(values, default=100) + 3) / 10) * 10
    return max(0, low), min(100, max(high, low + 10))


def _line(x1: object, y1: object, x2: object, y2: object) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor" stroke-opacity=".18"/>'


def _text(x: object, y: object, text: str, anchor: str, size: int = 13) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}"'
        f' fill="currentColor">{escape(text)}</text>'
    )


def _square(x: float, y: float, colour: str) -> str:
    return (
        f'<rect x="{x - 5.5:.1f}" y="{y - 5.5:.1f}" width="11" height="11" fill="{colour}"'
        ' stroke="#fff" stroke-width="1.2"/>'
    )


def _triangle(x: float, y: float, colour: str) -> str:
    path = f"M{x:.1f} {y - 7:.1f}L{x + 6.5:.1f} {y + 5:.1f}H{x - 6.5:.1f}Z"
    return f'<path d="{path}" fill="{colour}" stroke="#fff" stroke-width="1.2"/>'


_MARKS: dict[str, Callable[[float, float, str], str]] = {
    "masculine": _square,
    "feminine": _triangle,
}


def _disc(x: float, y: float, colour: str, number: int) -> str:
    return (
        f'<g><circle cx="{x:.1f}" cy="{y:.1f}" r="9.5" fill="#fff" stroke="{colour}"'
        f' stroke-width="2.5"/><g color="#000"><text x="{x:.1f}" y="{y + 4:.1f}"'
        f' text-anchor="middle" font-size="11" class="on-white">{number + 1}</text></g></g>'
    )


def _entry(system: Points, number: int) -> Iterator[str]:
    """The system in the list beside the plot, with its F1."""
    x, y = WIDTH - RIGHT + 64, TOP + 16 + 26 * number
    yield _disc(x, y, COLOURS[number % len(COLOURS)], number)
    recall, precision = system.overall
    total = recall + precision
    f1 = 2 * recall * precision / total if total else 0.0
    name = printable(system.system)
    short = name if len(name) <= 24 else name[:23] + "…"
    yield _text(x + 18, y + 5, f"{short}  {f1:.1f}", "start")


def _key(systems: int) -> Iterator[str]:
    """What the marks mean."""
    x, y = WIDTH - RIGHT + 64, TOP + 16 + 26 * systems + 14
    yield _text(x - 10, y + 4, "number: overall, with F1", "start", 12)
    for row, (group, mark) in enumerate(_MARKS.items(), 1):
        yield mark(x, y + 24 * row, "#6b7280")
        yield _text(x + 18, y + 24 * row + 5, group, "start", 12)


def _described(systems: Sequence[Points]) -> str:
    """The numbers in words."""
    parts_of = []
    for system in systems:
        parts = [f"{name} precision {p:.1f}, recall {r:.1f}" for name, (r, p) in system.all]
        parts_of.append(f"{printable(system.system)}: {'; '.join(parts)}")
    return ". ".join(parts_of)


def write_picture(systems: Sequence[Points], title: str, path: str) -> None:
    """Draw the picture with matplotlib, in the format of the path's ending."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot") from error
    mpl.use("Agg")
    from matplotlib.figure import Figure

    if not systems:
        raise UsageError("expected a system to draw, found none")
    figure = Figure(figsize=(8, 5.5), layout="constrained")
    axes = figure.add_subplot()
    plot = _Plot(systems)
    for number, system in enumerate(systems):
        colour = COLOURS[number % len(COLOURS)]
        for group, point in system.all:
            axes.plot(*point, {"overall": "o", "masculine": "s", "feminine": "^"}[group],
                      color=colour, fillstyle="full" if group == "overall" else "none",
                      label=system.system if group == "overall" else None)  # fmt: skip
    for f1 in range(10, 100, 10):
        at = [f1 / 2 + step / 4 for step in range(1, 4 * 100) if f1 / 2 + step / 4 <= 100]
        axes.plot(at, [f1 * r / (2 * r - f1) for r in at], ":", color="0.7", linewidth=0.8)
    axes.set_xlim(*plot.recall)
    axes.set_ylim(*plot.precision)
    axes.set_xlabel("recall, %")
    axes.set_ylabel("precision, %")
    axes.set_title(f"{title}\n(● overall, □ masculine, △ feminine)")
    axes.legend(fontsize="small")
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error
