"""Names exchanged for those of other origins: how often clusters change."""

from __future__ import annotations

from coindex.audit.exchange import bundled_pairs, measure_exchange, own_pairs
from coindex.audit.fillings import BASE_ORIGIN, base_filling, origins
from coindex.audit.measurements.protocol import AuditContext, Measured
from coindex.audit.templates import Filling, Template
from coindex.audit.variants import passages

TITLE = "Names of other origins: how often clusters change"
GROUP = "names"
BENCHMARKS: tuple[str, ...] = ()
FIGURES = ("changed",)
ABOUT = """
Each text that names a person is resolved as it is, with names that are common in English, and with
names of the same gender that are common elsewhere: those of the list `name_origins`, one origin
after the other (in texts of your own, one for each passage). `changed` is the share of links that
are in one of the two only.
"""


def measure(context: AuditContext) -> Measured:
    """The share of links that change."""
    what = {"changed": "the names of people exchanged for those of another origin"}
    if context.own:
        pairs, notes = own_pairs(context, {"changed": "names"})
        return measure_exchange(context, "name-exchange", pairs, what, notes)
    every = []
    for origin in origins():
        if origin != BASE_ORIGIN:

            def filled(template: Template, number: int, origin: str = origin) -> Filling:
                return base_filling(template, number, origin)

            named = passages(f"names-{origin}", filled, lambda each: bool(each.named))
            every += bundled_pairs(named)
    return measure_exchange(context, "name-exchange", {"changed": every}, what)
