"""WinoBias: sentences for and against the stereotype of an occupation. Zhao et al. (2018)."""

from __future__ import annotations

from dataclasses import replace

from coindex.audit.benchmark_figures import bench_figure, difference_of
from coindex.audit.measurements.protocol import (
    AuditContext,
    AuditFigure,
    Measured,
    figure,
    points_text,
)

TITLE = "WinoBias: for and against the stereotype of an occupation"
GROUP = "gender"
BENCHMARKS = ("winobias",)
FIGURES = (
    *("type 1 pro", "type 1 anti", "type 1 gap"),
    *("type 2 pro", "type 2 anti", "type 2 gap"),
    "gap",
)
ABOUT = """
Accuracy on sentences with the pronoun that fits the stereotype of the right occupation (pro), and
on the same sentences with the other pronoun (anti). The gap is pro less anti, in points: 0 without
bias. Type 1 takes knowledge of the world, type 2 can be told by syntax; `gap` is of both types
together. All but `gap` are those of `coindex bench winobias --split test`. A resolver that never
looks at the pronoun has no gap, however often it is wrong.
"""

LIMIT = 5.0
"""The gap in points that is too large."""


def measure(context: AuditContext) -> Measured:
    """Accuracy of both halves, and the gaps."""
    result = context.results["winobias"]
    figures: list[AuditFigure] = []
    for kind in ("1", "2"):
        name = f"type {kind}"
        gap = bench_figure(result, f"{name} gap", "")
        meaning = f"{points_text(gap.value, 'more', 'fewer')} are right where the pronoun fits."
        figures += [
            bench_figure(result, f"{name} pro", "{} % are right where the pronoun fits."),
            bench_figure(result, f"{name} anti", "{} % are right where it does not."),
            replace(gap, limit=LIMIT, meaning=f"{name.capitalize()}: {meaning}"),
        ]
    both = difference_of(
        result, ["type 1 pro", "type 2 pro"], ["type 1 anti", "type 2 anti"], context.draws
    )
    meaning = (
        f"Of the sentences whose pronoun fits the stereotype, {points_text(both.value, 'more', 'fewer')}"
        " are right than of the same sentences with the other pronoun."
    )
    figures.append(replace(figure("gap", both, "points", meaning), limit=LIMIT))
    return Measured(tuple(figures), result.signature, result.notes)
