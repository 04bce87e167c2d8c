"""Mention overlap ratio (Žabokrtský et al. 2022): how much of the mentions' words was found.

Key and response mentions are paired one to one so that the number of common words is greatest,
whatever the matching rule. recall = common words / words of all key mentions; precision = common
words / words of all response mentions. A word counts in each mention that has it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from coindex.errors import UsageError
from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.scoring.metrics.assignment import best_total
from coindex.scoring.metrics.ratio import recall_precision_f1

if TYPE_CHECKING:
    from coindex.types.document import Document

TITLE = "MOR"
ORDER = 90
ALIASES = ("mention-overlap",)
AVERAGE_OF = ()
IN_ALL = False
REPEATED = "whole"
IN_RANKINGS = False
COUNTS = ("recall numerator", "key words", "precision numerator", "response words")
score = recall_precision_f1


def count(table: ContingencyTable) -> Floats:
    """Common words of paired mentions, and the words of the mentions of each side."""
    if table.pair is None:
        raise UsageError("mor: the words of mentions are needed, and plain entities have none")
    every = table.pair.repeats == "all"
    key, response = (_mentions(each, every) for each in (table.pair.key, table.pair.response))
    common = _best_overlap(key, response)
    return np.array([common, sum(map(len, key)), common, sum(map(len, response))], float)


def _mentions(document: Document, every: bool) -> list[tuple[int, ...]]:
    """The tokens of each mention; those of several entities several times, or else once."""
    mentions = [mention.tokens for mention in document.mentions]
    return mentions if every else list(dict.fromkeys(mentions))


def _best_overlap(key: list[tuple[int, ...]], response: list[tuple[int, ...]]) -> float:
    """The greatest number of common words over one-to-one pairs of mentions."""
    by_word: defaultdict[int, list[int]] = defaultdict(list)
    for column, tokens in enumerate(response):
        for token in tokens:
            by_word[token].append(column)
    overlaps: defaultdict[tuple[int, int], float] = defaultdict(float)
    for row, tokens in enumerate(key):
        for token in tokens:
            for column in by_word.get(token, ()):
                overlaps[row, column] += 1
    cells = np.array(list(overlaps), np.int64).reshape(-1, 2)
    return best_total(cells[:, 0], cells[:, 1], np.array(list(overlaps.values()), float))
