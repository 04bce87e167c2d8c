"""WSC273: the Winograd Schema Challenge. Levesque et al. (2011), Davis et al. (2017)."""

from __future__ import annotations

from coindex.benchmarks._figures import score_accuracy
from coindex.benchmarks._load import read_split
from coindex.benchmarks._papers import row_like, wikicrem
from coindex.benchmarks._spec import Chance
from coindex.core.problem import Problem

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
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED = wikicrem(row_like("test"), {"wsc": "accuracy"}, "Kocijan et al. 2019, BERT on DPR")

_FILES = {"test": ("wsc", "wsc-2016"), "wsc283": ("wsc", "wsc-2017"), "wsc285": ("wsc", "wsc")}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("wsc273", _FILES, split)


score = score_accuracy
