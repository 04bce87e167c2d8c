"""WSC273: the Winograd Schema Challenge. Levesque et al. (2011), Davis et al. (2017)."""

from __future__ import annotations

from coindex.benchmarks.figures import accuracy_counts, problem_id, score_accuracy
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, PredictionTable
from coindex.benchmarks.published import row_template, wikicrem
from coindex.types.problem import Problem

TITLE = "WSC273: the Winograd Schema Challenge"
CORPUS = ("wsc",)
SPLITS = {"test": 273, "wsc283": 283, "wsc285": 285}
DEFAULT = "test"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Which of two phrases does the pronoun mean? Right is the right one alone. The 273 schemas are
those of the challenge of 2016; the later collections of 283 and 285 hold most of them in the
same words. They are read from XML: the copy in blocks has the same problems, but there the
right phrase always comes first, and the pronoun is masked. All of it is to test on; WNLI's
training and development sets are made from the same schemas, so a model trained on WNLI has
seen them.
"""
METRICS = ("accuracy",)
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED = wikicrem(row_template("test"), {"wsc": "accuracy"}, "Kocijan et al. 2019, BERT on DPR")

_FILES = {"test": ("wsc", "wsc-2016"), "wsc283": ("wsc", "wsc-2017"), "wsc285": ("wsc", "wsc")}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("wsc273", _FILES, split)


score = score_accuracy
counts = accuracy_counts
resampling_unit = problem_id
