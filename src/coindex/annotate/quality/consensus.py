"""Pronoun problems: the raters' judgements, their consensus, and Fleiss' kappa.

GAP (Webster et al. 2018, section 3.2) has three raters, of whom two must agree; it discards
problems with the consensus "both" or "not sure", but not "neither". KnowRef (Emami et al.
2019, section 3.3) has six raters, of whom five must agree on one name; all other problems are
discarded. Judgements are in the corpus's order of names, not in the order that a rater saw.
Agreement is Fleiss' kappa (1971) over items with the same number of raters, with a 95 %
confidence interval by bootstrapping over items. `builders.consensus` has the consensus itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coindex.annotate.store.records import DOCUMENT, Records
from coindex.builders.consensus import ANSWERS
from coindex.types.problem import Problem

LABELS = ("A", "B", "neither", "both", "?")
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class RatingProtocol:
    """The rules of a corpus: raters, how many must agree, and the labels accepted as gold."""

    raters: int
    agree: int
    accepted: tuple[str, ...]


PROTOCOLS: Mapping[str, RatingProtocol] = {
    "gap": RatingProtocol(3, 2, ("first", "second", "neither")),
    "knowref": RatingProtocol(6, 5, ("first", "second")),
}


@dataclass(frozen=True, slots=True)
class FleissKappa:
    """Fleiss' kappa with its confidence interval; None where that is not defined."""

    value: float
    low: float | None
    high: float | None
    items: int
    raters: int


def judgement(records: Records) -> str | None:
    """Return a rater's judgement, in the corpus's order: A, B, neither, both, ?"""
    answer = (records.get(DOCUMENT) or {}).get("answer")
    if not answer:
        return None
    if answer["choice"] in ("N", "T", "?"):
        return {"N": "neither", "T": "both", "?": "?"}[answer["choice"]]
    return "AB"[answer["meant"][0]] if answer["meant"][0] < 2 else None


def with_consensus(problem: Problem, label: str, protocol: str = "gap") -> Problem | None:
    """Return a problem with its consensus as answer; None if the protocol discards it."""
    if label not in PROTOCOLS[protocol].accepted:
        return None
    return replace(problem, answer=ANSWERS[label])


def fleiss(judgements: Sequence[Sequence[str]], seed: int = 0) -> FleissKappa | None:
    """Return Fleiss' kappa over items with the most frequent number of raters above one."""
    sizes = Counter(len(each) for each in judgements if len(each) > 1)
    if not sizes:
        return None
    raters = max(sizes, key=lambda size: (sizes[size], size))
    rows = [[each.count(label) for label in LABELS] for each in judgements if len(each) == raters]
    table = np.array(rows, dtype=float)
    value = _kappa(table)
    if value is None:
        return None
    rng = np.random.default_rng(seed)
    drawn = [_kappa(table[rng.integers(0, len(table), len(table))]) for _ in range(RESAMPLES)]
    defined = [each for each in drawn if each is not None]
    low, high = np.percentile(defined, [2.5, 97.5]) if len(table) > 1 and defined else (None, None)
    bounds = (None if low is None else float(low), None if high is None else float(high))
    return FleissKappa(value, *bounds, len(table), raters)


def _kappa(table: Any) -> float | None:
    """Return kappa of a table of items by labels; None if only one label is used."""
    raters = table[0].sum()
    shares = table.sum(axis=0) / table.sum()
    expected = float((shares**2).sum())
    agreed = ((table**2).sum(axis=1) - raters) / (raters * (raters - 1))
    return None if expected >= 1 else float((agreed.mean() - expected) / (1 - expected))
