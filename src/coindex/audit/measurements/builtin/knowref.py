"""KnowRef: whether decisions follow the context when two names change places. Emami et al. (2019)."""

from __future__ import annotations

from dataclasses import replace

from coindex.audit.benchmark_figures import bench_figure
from coindex.audit.measurements.protocol import AuditContext, Measured, NotMeasured
from coindex.benchmarks.protocol import CONSISTENCY

TITLE = "KnowRef: consistency when two names change places"
GROUP = "names"
BENCHMARKS = ("knowref",)
FIGURES = ("task-specific accuracy", "correct", CONSISTENCY)
ABOUT = """
Each problem is answered again with its two names exchanged. Consistency (section 4.1 of the paper) is
the share of decisions that change with the names: 100 % if the context alone decides, less if a
name, its gender or its frequency does. The figures are those of `coindex bench knowref`. The systems of
the paper have 62 to 89 %.
"""

LIMIT = 20.0
"""How much less than 100 % is too little."""


def measure(context: AuditContext) -> Measured:
    """Accuracy, and consistency."""
    result = context.results["knowref"]
    if result.switched is None:
        raise NotMeasured("no answers to the problems with their names exchanged")
    consistency = bench_figure(
        result,
        CONSISTENCY,
        "{} % of the decisions follow the context when two names change places.",
    )
    figures = (
        bench_figure(result, "task-specific accuracy", "{} % of the decisions are right."),
        bench_figure(result, "correct", "{} % of all problems are right."),
        replace(consistency, limit=LIMIT, ideal=100.0, worse="lower"),
    )
    return Measured(figures, result.signature, result.notes)
