"""WinoBias: occupations and pronouns, for and against the stereotype. Zhao et al. (2018)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from coindex.benchmarks.accuracy import accuracy, is_correct, stereotype_accuracy
from coindex.benchmarks.figures import (
    accuracy_counts,
    accuracy_figure,
    counts_of,
    interval,
    ratio,
    resampled,
    subset,
)
from coindex.benchmarks.loading import check_answers, check_split, read_file
from coindex.benchmarks.protocol import Chance, Derived, Figure, PredictionTable
from coindex.benchmarks.published import row_template, wikicrem
from coindex.errors import InvalidValue
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED, Interval
from coindex.types.decision import MatchedDecisions
from coindex.types.problem import Problem

TITLE = "WinoBias: occupations and pronouns, for and against the stereotype"
CORPUS = ("winobias",)
SPLITS = {"dev": 1584, "test": 1584}
DEFAULT = "dev"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Which of two occupations does the pronoun mean? Right is the right one alone. Each sentence
comes twice: with the pronoun that fits the stereotype of the right occupation (pro) and with
the other one (anti). Type 1 takes knowledge of the world, type 2 can be told by syntax. Look
at the two apart: in type 2 the second occupation of the sentence is right in all of dev and in
all but four sentences of test, so taking the nearest is enough. The gap is pro less anti, in
points: 0 without bias. Its interval is by the bootstrap over pairs of sentences, since the two
of a pair go together. A resolver that does not look at the pronoun has no gap. Only the right
occupation is marked in the corpus; the other is found by a word list. Each part has 396
sentences: 3,168 in all, where the WikiCREM paper says 3,160.
"""
METRICS = (
    "accuracy",
    *("type 1 pro", "type 1 anti", "type 1 gap"),
    *("type 2 pro", "type 2 anti", "type 2 gap"),
)
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "a coin between two occupations")
PUBLISHED = wikicrem(
    row_template("test", note="the pronoun is masked"),
    {name: name for name in METRICS if name.endswith(("pro", "anti"))},
    "Lee et al. 2017, Durrett and Klein 2013",
)

PART = "part"
"""The fact that tells the part of a problem: one of PARTS."""
PARTS = ("type1-pro", "type1-anti", "type2-pro", "type2-anti")


def problems(split: str) -> tuple[Problem, ...]:
    """The four parts of a split, one after the other; ids begin with the part."""
    check_split("winobias", SPLITS, split)
    result = [
        replace(problem, id=f"{part}-{problem.id}", meta=(*problem.meta, (PART, part)))
        for part in PARTS
        for problem in read_file("winobias", f"{part}-{split}")
    ]
    return check_answers("winobias", split, SPLITS, tuple(result))


def score(
    matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """Accuracy of all, of each part, and the gaps."""
    figures = [accuracy_figure("accuracy", accuracy(matched))]
    for problem in matched.problems:
        if problem.meta_value(PART) not in PARTS:
            expected = f"expected the fact {PART!r} to be one of {', '.join(PARTS)}"
            raise InvalidValue(f"{problem.id}: {expected}, found {problem.meta_value(PART)!r}")
    for kind in ("1", "2"):
        pro, anti = (_of_part(matched, f"type{kind}-{side}") for side in ("pro", "anti"))
        both = stereotype_accuracy(pro, anti)
        bounds = None if both.gap is None else _gap_interval(pro, anti, resamples, seed)
        figures += [
            accuracy_figure(f"type {kind} pro", both.pro),
            accuracy_figure(f"type {kind} anti", both.anti),
            Figure(f"type {kind} gap", both.gap, bounds, len(pro) + len(anti), "points"),
        ]
    return tuple(figures)


def counts(matched: MatchedDecisions) -> dict[str, Floats]:
    """Accuracy of all sentences and of each part; the gaps are derived."""
    parts = [problem.meta_value(PART) for problem in matched.problems]
    return accuracy_counts(matched) | {
        part.replace("type", "type ").replace("-", " "): counts_of(
            matched, [each == part for each in parts]
        )
        for part in PARTS
    }


def resampling_unit(problem: Problem) -> str:
    """The two sentences of a pair: their ids differ in pro and anti alone."""
    part = problem.meta_value(PART) or ""
    return f"{part.partition('-')[0]}-{problem.id.removeprefix(f'{part}-')}"


DERIVED = {
    f"type {kind} gap": Derived(f"type {kind} pro", f"type {kind} anti", np.subtract)
    for kind in ("1", "2")
}


def _of_part(matched: MatchedDecisions, part: str) -> MatchedDecisions:
    return subset(matched, lambda each: each.meta_value(PART) == part)


def _gap_interval(
    pro: MatchedDecisions, anti: MatchedDecisions, resamples: int, seed: int
) -> Interval | None:
    """By the bootstrap over pairs of sentences: those whose ids differ in the part alone."""
    pairs: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for at, half in ((0, pro), (2, anti)):
        for problem, decision in half:
            row = pairs[problem.id.removeprefix(f"{problem.meta_value(PART)}-")]
            row[at] += is_correct(problem, decision)
            row[at + 1] += 1
    sums = resampled(np.array(list(pairs.values())), resamples, seed)
    shares = [ratio(100 * sums[:, at], sums[:, at + 1]) for at in (0, 2)]
    return interval(shares[0] - shares[1])
