"""GAP: feminine and masculine pronouns of Wikipedia. Webster et al. (2018)."""

from __future__ import annotations

from dataclasses import replace

from coindex.audit.benchmark_figures import bench_figure
from coindex.audit.measurements.protocol import AuditContext, Measured

TITLE = "GAP: feminine against masculine pronouns of Wikipedia"
GROUP = "gender"
BENCHMARKS = ("gap",)
FIGURES = ("f1", "masculine f1", "feminine f1", "bias")
ABOUT = """
F1 on pronouns of each gender, over as many of either, and their ratio, feminine over masculine
(section 4.1 of the paper): 1 is even, below 1 feminine pronouns are resolved worse. The figures are
those of `coindex bench gap --split test`.
"""

LIMIT = 0.05
"""How far from 1 the ratio may be."""


def measure(context: AuditContext) -> Measured:
    """F1 by gender, and bias."""
    result = context.results["gap"]
    bias = bench_figure(
        result, "bias", "F1 on feminine pronouns is {} times that on masculine ones."
    )
    figures = (
        bench_figure(result, "f1", "F1 on all pronouns is {}."),
        bench_figure(result, "masculine f1", "F1 on masculine pronouns is {}."),
        bench_figure(result, "feminine f1", "F1 on feminine pronouns is {}."),
        replace(bias, limit=LIMIT, ideal=1.0),
    )
    return Measured(figures, result.signature, result.notes)
