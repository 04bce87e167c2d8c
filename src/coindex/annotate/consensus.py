"""Pronoun mode: what raters said of a problem, whether they agree, and how well.

GAP (Webster et al. 2018, section 3.2) asks three raters and takes what two say; of the
consensus it discards "both" and "not sure", and keeps "neither". KnowRef (Emami et al. 2019,
section 3.3) asks six and keeps what five say of a single name; "neither" and all else goes.
Judgements are in the corpus's order of names, whatever order a rater saw. Agreement is
Fleiss' kappa (1971) over items with the same number of raters, with a 95 % interval by the
bootstrap over items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coindex.annotate.records import DOCUMENT, Records
from coindex.core.problem import Problem

LABELS = ("A", "B", "neither", "both", "?")
ANSWERS: Mapping[str, tuple[int, ...]] = {"A": (0,), "B": (1,), "neither": (), "both": (0, 1)}
NAMES = {"A": "first", "B": "second", "neither": "neither", "both": "both", "?": "not sure"}
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a corpus asks: raters, how many must agree, and the labels that are kept as gold."""

    raters: int
    agree: int
    kept: tuple[str, ...]


PROTOCOLS: Mapping[str, Protocol] = {
    "gap": Protocol(3, 2, ("first", "second", "neither")),
    "knowref": Protocol(6, 5, ("first", "second")),
}


@dataclass(frozen=True, slots=True)
class Kappa:
    """Fleiss' kappa with its interval; None where it is not defined."""

    value: float
    low: float | None
    high: float | None
    items: int
    raters: int


def judgement(records: Records) -> str | None:
    """What a rater said, as the corpus's annotators write it: A, B, neither, both, ?"""
    answer = (records.get(DOCUMENT) or {}).get("answer")
    if not answer:
        return None
    if answer["choice"] in ("N", "T", "?"):
        return {"N": "neither", "T": "both", "?": "?"}[answer["choice"]]
    return "AB"[answer["meant"][0]] if answer["meant"][0] < 2 else None


def consensus(judged: Sequence[str], raters: int, agree: int) -> str:
    """What most said, or `no consensus`, or `not judged` while raters are missing."""
    if len(judged) < raters:
        return "not judged"
    counts = Counter(judged).most_common(2)
    tied = len(counts) > 1 and counts[0][1] == counts[1][1]
    return "no consensus" if tied or counts[0][1] < agree else NAMES[counts[0][0]]


def answered(problem: Problem, label: str, protocol: str = "gap") -> Problem | None:
    """A problem with its consensus as answer; None where the protocol discards it."""
    if label not in PROTOCOLS[protocol].kept:
        return None
    found = {NAMES[name]: answer for name, answer in ANSWERS.items()}.get(label)
    return None if found is None else replace(problem, answer=found)


def fleiss(judgements: Sequence[Sequence[str]], seed: int = 0) -> Kappa | None:
    """Fleiss' kappa over the items that have the most common number of raters, two or more."""
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
    there = [each for each in drawn if each is not None]
    low, high = np.percentile(there, [2.5, 97.5]) if len(table) > 1 and there else (None, None)
    borders = (None if low is None else float(low), None if high is None else float(high))
    return Kappa(value, *borders, len(table), raters)


def _kappa(table: Any) -> float | None:
    """Kappa of a table of items by labels; None if all say the same all the time."""
    raters = table[0].sum()
    shares = table.sum(axis=0) / table.sum()
    expected = float((shares**2).sum())
    agreed = ((table**2).sum(axis=1) - raters) / (raters * (raters - 1))
    return None if expected >= 1 else float((agreed.mean() - expected) / (1 - expected))
