"""Bridging by mentions: anaphors with the very antecedent of the key (Universal Anaphora).

recall = anaphors with the same antecedent / key anaphors; precision = / response anaphors.
"""

from __future__ import annotations

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import recall_precision_f1

TITLE = "bridging, mentions"
ORDER = 130
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

    return count_bridging(table, "mention")
