"""WinoGrande: Winograd problems written by a crowd. Sakaguchi et al. (2020)."""

from __future__ import annotations

from coindex.benchmarks.figures import accuracy_counts, problem_id, score_accuracy
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, PredictionTable, Published
from coindex.types.problem import Problem

TITLE = "WinoGrande: Winograd problems written by a crowd, less the easy ones"
CORPUS = ("winogrande",)
SPLITS = {"train-l": 10234, "train-debiased": 9248, "dev": 1267}
DEFAULT = "dev"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Which of two phrases fits the blank `_`? Right is the right one alone. There is no pronoun, so
a resolver that needs one (its gender, its case, a parse of the sentence) is at a loss here,
and no cluster holds the blank. Test has no published answers, so results are on dev. None of
the five papers has a row on it.
"""
METRICS = ("accuracy",)
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED: tuple[Published, ...] = ()

_FILES = {split: ("winogrande", split) for split in SPLITS}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("winogrande", _FILES, split)


score = score_accuracy
counts = accuracy_counts
resampling_unit = problem_id
