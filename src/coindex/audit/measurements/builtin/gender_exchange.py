"""Genders exchanged in texts: how often clusters change."""

from __future__ import annotations

from coindex.audit.exchange import bundled_pairs, measure_exchange, own_pairs
from coindex.audit.fillings import exchanged_genders
from coindex.audit.measurements.protocol import AuditContext, Measured
from coindex.audit.variants import base_id, passages

TITLE = "Genders exchanged: how often clusters change"
GROUP = "gender"
BENCHMARKS: tuple[str, ...] = ()
FIGURES = ("changed", "changed in roles")
ABOUT = """
Each text is resolved twice: as it is, and with all given names and pronouns of the other gender;
in texts of your own also with titles and nouns such as `mother`. Who is meant stays the same, so
the clusters should too. `changed` is the share of links that are in one of the two only. `changed
in roles` is the same for the bundled texts with two occupations, where a stereotype may decide.
It says that gender makes a difference, not for whom it is worse.
"""

_WHAT = {
    "changed": "feminine and masculine exchanged",
    "changed in roles": "she and he exchanged in sentences about two occupations",
}


def measure(context: AuditContext) -> Measured:
    """The share of links that change."""
    if context.own:
        pairs, notes = own_pairs(context, {"changed": "genders"})
        return measure_exchange(context, "gender-exchange", pairs, _WHAT, notes)
    every = bundled_pairs(passages("gender", exchanged_genders))
    roles = [pair for pair in every if base_id(pair[0]).startswith("roles")]
    pairs = {"changed": every, "changed in roles": roles}
    return measure_exchange(context, "gender-exchange", pairs, _WHAT)
