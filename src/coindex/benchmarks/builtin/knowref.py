"""KnowRef: pronouns between two names that gender does not tell apart. Emami et al. (2019)."""

from __future__ import annotations

import numpy as np

from coindex.benchmarks.accuracy import Accuracy, outcomes
from coindex.benchmarks.figures import accuracy_figure, problem_id
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import CONSISTENCY, Chance, Derived, Figure, PredictionTable
from coindex.benchmarks.published import KNOWREF, row_template, table
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.types.decision import MatchedDecisions
from coindex.types.problem import Problem

TITLE = "KnowRef: hard pronouns between two names"
CORPUS = ("knowref", "knowref-train")
SPLITS = {"train": 5220, "dev": 2236, "test": 1269}
DEFAULT = "test"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Which of two names does the pronoun mean? Four outcomes: both names chosen, none, the wrong
one, the right one. Task-specific accuracy leaves out the first two, so a resolver that seldom
decides can rank high: look at "correct" too, which is of all problems. A problem without a
decision is one where none was chosen. Consistency takes a second run on copies with the names
switched: the share of decisions that change with the names. The answer is the name in
`correct_candidate`; the index beside it contradicts the name in 299 of the 1,269 test
problems and is not used. `train` is the training sentences (5,219, one of them twice) and
`dev` those to tune on, both from Reddit, not to be passed on, and labelled by rules, not by
people; in `dev` a blank stands for the pronoun. The default is `test`, which is public.
"""
_OUTCOMES = ("both", "none", "incorrect", "correct")
METRICS = ("task-specific accuracy", *_OUTCOMES)
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "a coin between the two names")

_COLUMNS = ("both", "none", "incorrect", "correct", "task-specific accuracy")
_AUGMENTED = "trained on the switched copies too"
PUBLISHED = (
    *table(
        row_template("test", f"{KNOWREF}, Table 3", "on 100 of the problems"),
        _COLUMNS[-1:],
        {"Human": (92.0,)},
    ),
    *table(
        row_template("test", f"{KNOWREF}, Table 3"),
        _COLUMNS,
        {
            "Rule": (0.1, 12.0, 43.0, 45.0, 52.0),
            "Stat": (0.6, 9.0, 45.0, 45.0, 50.0),
            "Deep-RL": (0.1, 9.0, 46.0, 45.0, 49.0),
            "Latent": (0.0, 12.0, 41.0, 47.0, 54.0),
            "E2E (CoNLL only)": (1.0, 42.0, 23.0, 35.0, 60.0),
            "E2E (KNOWREF)": (0.0, 26.0, 31.0, 43.0, 58.0),
            "E2E (KNOWREF+CoNLL)": (0.0, 19.0, 28.0, 52.0, 65.0),
            "BERT (KNOWREF)": (0.0, 0.0, 39.0, 61.0, 61.0),
        },
    ),
    *table(
        row_template("test", f"{KNOWREF}, Table 4"),
        (CONSISTENCY,),
        {
            "Rule": (0.0,),
            "Stat": (76.0,),
            "Deep-RL": (66.0,),
            "Latent": (78.0,),
            "E2E": (62.0,),
            "E2E (KNOWREF)": (66.0,),
            "E2E (KNOWREF+CoNLL)": (67.0,),
            "BERT (KNOWREF)": (69.0,),
        },
    ),
    *table(
        row_template("test", f"{KNOWREF}, Table 5", _AUGMENTED),
        ("task-specific accuracy", CONSISTENCY),
        {
            "BERT (KNOWREF)": (71.0, 89.0),
            "E2E (KNOWREF)": (61.0, 71.0),
            "E2E (KNOWREF+CoNLL)": (66.0, 75.0),
        },
    ),
)

_FILES = {
    "train": ("knowref-train", "train"),
    "dev": ("knowref-train", "dev"),
    "test": ("knowref", "test"),
}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("knowref", _FILES, split)


def score(
    matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """The paper's five columns, each with Wilson's interval; nothing is resampled."""
    result = outcomes(matched)
    parts = [Accuracy(getattr(result, name), result.total) for name in _OUTCOMES]
    return (
        accuracy_figure(METRICS[0], result.decided),
        *(accuracy_figure(name, part) for name, part in zip(_OUTCOMES, parts, strict=True)),
    )


def counts(matched: MatchedDecisions) -> dict[str, Floats]:
    """Per item: its outcome, of 1; for task-specific accuracy 0 of 0 if it is undecided."""
    each = [outcomes(MatchedDecisions((problem,), (decision,))) for problem, decision in matched]
    decided = np.array([(one.decided.right, one.decided.total) for one in each], dtype=float)
    shares = {
        name: np.array([(getattr(one, name), 1) for one in each], dtype=float) for name in _OUTCOMES
    }
    return {METRICS[0]: decided, **shares}


resampling_unit = problem_id
