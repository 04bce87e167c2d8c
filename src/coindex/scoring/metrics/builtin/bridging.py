"""Bridging: anaphors with an antecedent of the right entity (Universal Anaphora).

An anaphor is correct if both sides have it and its antecedent in the response is a mention of the
entity of its antecedent in the key. recall = correct / key anaphors; precision = correct /
response anaphors.
"""

from __future__ import annotations

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import recall_precision_f1

TITLE = "bridging"
ORDER = 120
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

    return count_bridging(table, "entity")
