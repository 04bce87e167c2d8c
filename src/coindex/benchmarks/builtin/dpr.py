"""DPR: definite pronouns in pairs of sentences. Rahman and Ng (2012)."""

from __future__ import annotations

from coindex.benchmarks.figures import accuracy_counts, problem_id, score_accuracy
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, PredictionTable
from coindex.benchmarks.published import row_template, wikicrem
from coindex.types.problem import Problem

TITLE = "DPR: definite pronoun resolution, written like Winograd schemas"
CORPUS = ("blocks",)
SPLITS = {"train": 1316, "train-small": 1185, "dev": 131, "test": 564}
DEFAULT = "dev"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Which of two phrases does the pronoun mean? Right is the right one alone. Sentences come in
twins with opposite answers, so always taking the first phrase gives half. `train` is the
published training half less the six problems that are in WSC; `train-small` and `dev` are its
two parts, as the WikiCREM paper divided it. DPR and WSC were written alike: a model trained on
one has an advantage on the other.
"""
METRICS = ("accuracy",)
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED = wikicrem(row_template("test"), {"dpr": "accuracy"}, "Peng et al. 2015")

_FILES = {
    "train": ("blocks", "dpr-train"),
    "train-small": ("blocks", "dpr-train-small"),
    "dev": ("blocks", "dpr-dev-small"),
    "test": ("blocks", "dpr-test"),
}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("dpr", _FILES, split)


score = score_accuracy
counts = accuracy_counts
resampling_unit = problem_id
