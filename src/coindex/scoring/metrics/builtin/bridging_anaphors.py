"""Bridging anaphors that were recognised, whatever their antecedent (Universal Anaphora).

recall = anaphors of both sides / key anaphors; precision = / response anaphors.
"""

from __future__ import annotations

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import recall_precision_f1

TITLE = "bridging anaphors"
ORDER = 140
ALIASES = ()
AVERAGE_OF = ()
IN_ALL = False
REPEATED = "whole"
IN_RANKINGS = False
COUNTS = ("correct", "key anaphors", "correct", "response anaphors")
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Correct bridging anaphors, and those of each side."""
    from coindex.scoring.anaphora import count_bridging

    return count_bridging(table, "anaphor")
