"""He and she exchanged for they and for neopronouns: how often clusters change."""

from __future__ import annotations

from coindex.audit.exchange import bundled_pairs, measure_exchange, own_pairs
from coindex.audit.fillings import NEOPRONOUNS, with_pronouns
from coindex.audit.measurements.protocol import AuditContext, Measured
from coindex.audit.templates import Filling, Template
from coindex.audit.variants import passages

TITLE = "He and she exchanged for they and neopronouns: how often clusters change"
GROUP = "pronouns"
BENCHMARKS: tuple[str, ...] = ()
FIGURES = ("they", "neopronouns")
ABOUT = """
Each text is resolved as it is, and with the pronouns of one person exchanged for singular they or
for a neopronoun (xe, ze, fae, ey), with the verbs that agree; in texts of your own the person with
most mentions by the resolver's own clusters, where the forms of verbs are sure. The value is the
share of links that are in one of the two only.
"""

_WHAT = {
    "they": "he or she exchanged for singular they",
    "neopronouns": "he or she exchanged for a neopronoun",
}


def measure(context: AuditContext) -> Measured:
    """The share of links that change."""
    if context.own:
        pairs, notes = own_pairs(context, {"they": "they", "neopronouns": "neo"})
        return measure_exchange(context, "pronoun-exchange", pairs, _WHAT, notes)
    pairs = {
        "they": bundled_pairs(passages("they", _they)),
        "neopronouns": bundled_pairs(passages("neopronouns", _neopronouns)),
    }
    return measure_exchange(context, "pronoun-exchange", pairs, _WHAT)


def _they(template: Template, number: int) -> Filling:
    return with_pronouns(template, number, "they", neutral=False)


def _neopronouns(template: Template, number: int) -> Filling:
    chosen = NEOPRONOUNS[number % len(NEOPRONOUNS)]
    return with_pronouns(template, number, chosen, neutral=False)
