"""PDP: pronoun disambiguation problems from books. Davis et al. (2017)."""

from __future__ import annotations

from coindex.benchmarks.figures import accuracy_counts, problem_id, score_accuracy
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, PredictionTable
from coindex.benchmarks.published import row_template, wikicrem
from coindex.types.problem import Problem

TITLE = "PDP: pronoun disambiguation problems, the first round of the challenge of 2016"
CORPUS = ("wsc",)
SPLITS = {"test": 60}
DEFAULT = "test"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Which of the candidates does the pronoun mean? There are two in 45 problems, three in 12, four
in one and five in two. Right is the right one alone. With 60 problems an interval is about
20 points wide: do not rank systems that are close. Read from XML; the copy in blocks has
the same problems with the pronoun masked.
"""
METRICS = ("accuracy",)
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(45.25, "one of the candidates at random: the mean of 1 / their number")
PUBLISHED = wikicrem(row_template("test"), {"pdp": "accuracy"}, "Fähndrich et al. 2018")

_FILES = {"test": ("wsc", "pdp")}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("pdp", _FILES, split)


score = score_accuracy
counts = accuracy_counts
resampling_unit = problem_id
