"""GAP: gendered pronouns of Wikipedia between two names. Webster et al. (2018)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coindex.arrays import Floats
from coindex.benchmarks import _gap_score
from coindex.benchmarks._bootstrap import interval, ratio, resampled
from coindex.benchmarks._load import read_split
from coindex.benchmarks._papers import GAP, KNOWREF, row_like, table, wikicrem
from coindex.benchmarks._spec import Chance, Figure
from coindex.core.decision import Matched
from coindex.core.problem import Problem
from coindex.scoring.significance import RESAMPLES, SEED

TITLE = "GAP: gendered ambiguous pronouns of Wikipedia"
CORPUS = ("gap",)
SPLITS = {"development": 2000, "validation": 454, "test": 2000}
DEFAULT = "development"
CANDIDATES = ("given", "found")
CONTEXTS = ("snippet", "page")
PROTOCOL = """
Does the pronoun mean name A, name B, or neither? Each name is one decision, yes or no; F1 is
over all names, by the gender of the pronoun too, and bias is feminine over masculine F1. The
paper asks systems to find names themselves and to use the two given ones only to answer
("found"); with "given" they may choose between the two. In the page context the address of
the Wikipedia page may be used. A name of which nothing is said is a false negative, even
where "no" would have been right. Beware: yes to every name gives an F1 of 62 on development,
so look at precision too; the text is ASCII, its accents are replaced by `*`. Intervals are by
the bootstrap over items.
"""
METRICS = ("f1", "precision", "recall", "masculine f1", "feminine f1", "bias")
CHANCE = Chance(
    47.35,
    "a coin between the two names: half of the 1,799 right names, among 2,000 chosen"
    " (F1 of the expected counts; 201 of the 2,000 pronouns mean neither); 46.99 on test",
)

_COLUMNS = ("masculine f1", "feminine f1", "bias", "f1")
_FOUND = replace(row_like("development"), candidates="found")
_ADDRESS = "Parallelism+URL"
PUBLISHED = (
    *table(
        replace(_FOUND, source=f"{GAP}, Table 4"),
        _COLUMNS,
        {
            "Lee et al. (2013)": (55.4, 45.5, 0.82, 50.5),
            "Clark and Manning": (58.5, 51.3, 0.88, 55.0),
            "Wiseman et al.": (68.4, 59.9, 0.88, 64.2),
            "Lee et al. (2017)": (67.2, 62.2, 0.92, 64.7),
        },
    ),
    *table(
        replace(_FOUND, source=f"{GAP}, Table 6"),
        _COLUMNS,
        {
            "Random": (43.6, 39.3, 0.90, 41.5),
            "Token Distance": (50.1, 42.4, 0.85, 46.4),
            "Topical Entity": (51.5, 43.7, 0.85, 47.7),
            "Syntactic Distance": (63.0, 56.2, 0.89, 59.7),
            "Parallelism": (67.1, 63.1, 0.94, 65.2),
            "Transformer-Single": (58.6, 51.2, 0.87, 55.0),
            "Transformer-Multi": (59.3, 52.9, 0.89, 56.2),
        },
    ),
    *table(
        replace(_FOUND, source=f"{GAP}, Table 6", context="page"),
        _COLUMNS,
        {_ADDRESS: (71.1, 66.9, 0.94, 69.0)},
    ),
    *table(
        row_like("development", f"{GAP}, Table 7"),
        _COLUMNS,
        {
            "Random": (47.5, 50.5, 1.06, 49.0),
            "Token Distance": (50.6, 47.5, 0.94, 49.1),
            "Topical Entity": (50.2, 47.3, 0.94, 48.8),
            "Syntactic Distance": (66.7, 66.7, 1.00, 66.7),
            "Parallelism": (69.3, 69.2, 1.00, 69.2),
            "Transformer-Single": (59.6, 56.6, 0.95, 58.1),
            "Transformer-Multi": (62.9, 61.7, 0.98, 62.3),
        },
    ),
    *table(
        replace(row_like("development", f"{GAP}, Table 7"), context="page"),
        _COLUMNS,
        {_ADDRESS: (74.2, 71.6, 0.96, 72.9)},
    ),
    *table(
        replace(_FOUND, source=f"{GAP}, Table 10", split="test"),
        _COLUMNS,
        {
            "Lee et al. (2017)": (67.7, 60.0, 0.89, 64.0),
            "Parallelism": (69.4, 64.4, 0.93, 66.9),
        },
    ),
    *table(
        replace(_FOUND, source=f"{GAP}, Table 10", split="test", context="page"),
        _COLUMNS,
        {_ADDRESS: (72.3, 68.8, 0.95, 70.6)},
    ),
    *table(
        row_like("test", f"{KNOWREF}, Table 6", "the two names are put in the pronoun's place"),
        ("bias", "f1"),
        {"BERT (GAP)": (1.02, 69.2), "BERT (GAP) + Data Aug.": (1.00, 71.1)},
    ),
    *wikicrem(
        replace(
            row_like("test", note="names found by spaCy; only the full name counts"),
            candidates="found",
        ),
        {
            "gap f1": "f1",
            "gap feminine": "feminine f1",
            "gap masculine": "masculine f1",
            "gap bias": "bias",
        },
        "Liu et al. 2019",
    ),
)

_FILES = {split: ("gap", split) for split in SPLITS}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split."""
    return read_split("gap", _FILES, split)


def score(matched: Matched, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Figure, ...]:
    """F1, precision, recall, F1 by gender and bias, each with a bootstrap interval."""
    counts = _gap_score.count(matched)
    found = _figures(_gap_score.score(counts.sum(axis=0)))
    several = len(matched) > 1
    drawn = _resampled(counts, resamples, seed) if several else np.full((len(METRICS), 1), np.nan)
    genders = [int(counts[:, at].any(axis=-1).sum()) for at in (0, 1)]
    sizes = (*[len(matched)] * 3, *genders, sum(genders))
    figures = []
    for name, value, values, size in zip(METRICS, found, drawn, sizes, strict=True):
        known = not np.isnan(value)
        unit = "ratio" if name == "bias" else "percent"
        bounds = interval(values) if known else None
        figures.append(Figure(name, float(value) if known else None, bounds, size, unit))
    return tuple(figures)


def _resampled(counts: Floats, resamples: int, seed: int) -> Floats:
    """The figures of resampled items: one row for each figure."""
    sums = resampled(counts.reshape(len(counts), -1), resamples, seed)
    return _figures(_gap_score.score(sums.reshape(resamples, *counts.shape[1:])))


def _figures(scores: Floats) -> Floats:
    """The figures in the order of METRICS, from scores `(..., 3, 3)`; NaN for no bias."""
    overall, masculine, feminine = (scores[..., row, :] for row in range(3))
    low, high = masculine[..., 2], feminine[..., 2]
    bias = np.where(high > 0, ratio(high, low), np.nan)
    return np.stack([overall[..., 2], overall[..., 0], overall[..., 1], low, high, bias])
