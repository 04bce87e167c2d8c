"""Non-referring: mentions that refer to nothing, such as expletives (Universal Anaphora).

recall = mentions that both sides call non-referring / those of the key; precision = / those of
the response. They are not entities, so no other metric counts them.
"""

from __future__ import annotations

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.ratio import recall_precision_f1

TITLE = "non-referring"
ORDER = 110
ALIASES = ()
AVERAGE_OF = ()
IN_ALL = False
REPEATED = "whole"
IN_RANKINGS = False
COUNTS = ("correct", "key mentions", "correct", "response mentions")
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Non-referring mentions of both sides, of the key, and of the response."""
    from coindex.scoring.anaphora import documents_of, non_referring

    key, response = map(non_referring, documents_of(table, "non-referring"))
    correct = len(key & response)
    return np.array([correct, len(key), correct, len(response)], float)
