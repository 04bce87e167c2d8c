"""PDP: pronoun disambiguation problems from books. Davis et al. (2017)."""

from __future__ import annotations

from coindex.benchmarks._figures import score_accuracy
from coindex.benchmarks._load import read_split
from coindex.benchmarks._papers import row_like, wikicrem
from coindex.benchmarks._spec import Chance
from coindex.core.problem import Problem

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
CHANCE = Chance(45.25, "one of the candidates at random: the mean of 1 / their number")
PUBLISHED = wikicrem(row_like("test"), {"pdp": "accuracy"}, "Fähndrich et al. 2018")

_FILES = {"test": ("wsc", "pdp")}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("pdp", _FILES, split)


score = score_accuracy
