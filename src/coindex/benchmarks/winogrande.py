"""WinoGrande: Winograd problems written by a crowd. Sakaguchi et al. (2020)."""

from __future__ import annotations

from coindex.benchmarks._figures import score_accuracy
from coindex.benchmarks._load import read_split
from coindex.benchmarks._spec import Chance, Published
from coindex.core.problem import Problem

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
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED: tuple[Published, ...] = ()

_FILES = {split: ("winogrande", split) for split in SPLITS}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("winogrande", _FILES, split)


score = score_accuracy
