"""Krippendorff's alpha for chains, with Passonneau's distance between sets.

Krippendorff (1980), Passonneau (LREC 2004, "Computing reliability for coreference
annotation"). A unit is a span that any annotator marked; an annotator's value for it is the
set of spans in its chain (the union if it has several), or the empty set if the annotator did
not mark it. The distance between two sets is 0 if they are equal, 1/3 if one contains the
other, 2/3 if they overlap, 1 if they are disjoint; the empty set has distance 1 from all
others.

    alpha = 1 - D_observed / D_expected

Counts are additive: those of documents are summed, and spans of two documents never
overlap, so that their expected distance is 1 (0 between two empty sets).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from coindex.annotate.quality import majority
from coindex.annotate.quality.majority import Chain
from coindex.types.document import Document

EMPTY: Chain = frozenset()


@dataclass(frozen=True, slots=True)
class AlphaCounts:
    """The additive counts of alpha, for one document or several.

    observed   the sum over units of the mean distance of a value to the others
    values     the number of values
    within     the sum of distances of all pairs of values of the same document
    empty      the number of values that are the empty set
    squares    the sum over documents of values squared, and of empty ones squared
    """

    observed: float = 0.0
    values: int = 0
    within: float = 0.0
    empty: int = 0
    squares: tuple[int, int] = (0, 0)

    def __add__(self, other: AlphaCounts) -> AlphaCounts:
        return AlphaCounts(
            self.observed + other.observed,
            self.values + other.values,
            self.within + other.within,
            self.empty + other.empty,
            (self.squares[0] + other.squares[0], self.squares[1] + other.squares[1]),
        )


def distance(one: Chain, two: Chain) -> float:
    """Return Passonneau's distance of two sets."""
    if one == two:
        return 0.0
    if not one or not two or one.isdisjoint(two):
        return 1.0
    return 1 / 3 if one <= two or two <= one else 2 / 3


def count(documents: Sequence[Document]) -> AlphaCounts:
    """Return the counts of one document with the annotations of two or more annotators."""
    chains = [
        {mention: EMPTY.union(*own) for mention, own in majority.chains(document).items()}
        for document in documents
    ]
    units = majority.ordered({mention for own in chains for mention in own})
    if len(chains) < 2 or not units:
        return AlphaCounts()
    observed = 0.0
    every: Counter[Chain] = Counter()
    for unit in units:
        values = [own.get(unit, EMPTY) for own in chains]
        every.update(values)
        observed += 2 * sum(distance(a, b) for a, b in combinations(values, 2)) / (len(values) - 1)
    within = sum(2 * every[a] * every[b] * distance(a, b) for a, b in combinations(list(every), 2))
    total, empty = every.total(), every[EMPTY]
    return AlphaCounts(observed, total, within, empty, (total**2, empty**2))


def score(counts: AlphaCounts) -> float | None:
    """Return alpha; None without any mention."""
    total = counts.values
    if total < 2:
        return None
    across = total**2 - counts.squares[0] - (counts.empty**2 - counts.squares[1])
    expected = (counts.within + across) / (total * (total - 1))
    return 1.0 if not expected else 1 - counts.observed / total / expected
