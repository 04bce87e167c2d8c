"""WNLI: Winograd schemas as inference, from GLUE. Wang et al. (2019)."""

from __future__ import annotations

from coindex.benchmarks.accuracy import Accuracy
from coindex.benchmarks.figures import accuracy_figure, counts_of, problem_id
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, Figure, PredictionTable
from coindex.benchmarks.published import row_template, wikicrem
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.types.decision import Decision, MatchedDecisions, answer_of
from coindex.types.problem import Problem

TITLE = "WNLI: Winograd schemas as inference"
CORPUS = ("wnli",)
SPLITS = {"train": 518, "dev": 71, "test": 146}
DEFAULT = "dev"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Does the hypothesis follow, that is: does the pronoun mean the phrase that stands in its place
there? Comparing hypothesis and premise recovers the pronoun and that phrase, candidate 0; the
other nouns of the premise are the other candidates. "Yes" is right if candidate 0 alone is
chosen; "no" is right if it is not chosen, whatever else is, or nothing. A problem without a
decision is wrong. Train and dev are made from the schemas of WSC. Of the 71 premises of dev 59
are in train too, mostly with the other answer, so what is learnt by heart misleads.
This copy of train has 518 rows, of the 635 that GLUE counts. The answers of test are with
GLUE alone: it cannot be scored here, and the published rows are all on it (the paper counts
145 problems, the file has 146).
"""
METRICS = ("accuracy",)
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "yes or no by a coin; always no gives 40 of the 71, 56.3")
PUBLISHED = wikicrem(row_template("test"), {"wnli": "accuracy"}, "Kocijan et al. 2019")

_FILES = {split: ("wnli", split) for split in SPLITS}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split; test has no answers, which is an error."""
    return read_split("wnli", _FILES, split)


def score(
    matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """Accuracy of yes and no, with Wilson's interval; nothing is resampled."""
    right = sum(is_correct(problem, decision) for problem, decision in matched)
    return (accuracy_figure("accuracy", Accuracy(right, len(matched), len(matched.missing))),)


def counts(matched: MatchedDecisions) -> dict[str, Floats]:
    """Per item: 1 of 1 if yes or no is correct."""
    return {"accuracy": counts_of(matched, [True] * len(matched), is_correct)}


resampling_unit = problem_id


def is_correct(problem: Problem, decision: Decision) -> bool:
    """Whether yes or no is right; to say nothing of candidate 0 is wrong."""
    if answer_of(problem) == (0,):
        return decision.chosen == (0,) and not decision.undecided
    return 0 not in decision.chosen and 0 not in decision.undecided
