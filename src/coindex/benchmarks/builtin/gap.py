"""GAP: gendered pronouns of Wikipedia between two names. Webster et al. (2018)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coindex.benchmarks import gap_scorer
from coindex.benchmarks.figures import interval, problem_id, ratio, resampled
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, Figure
from coindex.benchmarks.published import GAP, KNOWREF, row_template, table, wikicrem
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.types.decision import MatchedDecisions
from coindex.types.problem import Problem

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
PREDICTIONS = gap_scorer
CHANCE = Chance(
    47.35,
    "a coin between the two names: half of the 1,799 right names, among 2,000 chosen"
    " (F1 of the expected counts; 201 of the 2,000 pronouns mean neither); 46.99 on test",
)

_COLUMNS = ("masculine f1", "feminine f1", "bias", "f1")
_FOUND = replace(row_template("development"), candidates="found")
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
        row_template("development", f"{GAP}, Table 7"),
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
        replace(row_template("development", f"{GAP}, Table 7"), context="page"),
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
        row_template("test", f"{KNOWREF}, Table 6", "the two names are put in the pronoun's place"),
        ("bias", "f1"),
        {"BERT (GAP)": (1.02, 69.2), "BERT (GAP) + Data Aug.": (1.00, 71.1)},
    ),
    *wikicrem(
        replace(
            row_template("test", note="names found by spaCy; only the full name counts"),
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


def score(
    matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """F1, precision, recall, F1 by gender and bias, each with a bootstrap interval."""
    counts = gap_scorer.count(matched)
    result = _figures(gap_scorer.score(counts.sum(axis=0)))
    several = len(matched) > 1
    drawn = _resampled(counts, resamples, seed) if several else np.full((len(METRICS), 1), np.nan)
    genders = [int(counts[:, at].any(axis=-1).sum()) for at in (0, 1)]
    sizes = (*[len(matched)] * 3, *genders, sum(genders))
    figures = []
    for name, value, values, size in zip(METRICS, result, drawn, sizes, strict=True):
        known = not np.isnan(value)
        unit = "ratio" if name == "bias" else "percent"
        bounds = interval(values) if known else None
        figures.append(Figure(name, float(value) if known else None, bounds, size, unit))
    return tuple(figures)


def counts(matched: MatchedDecisions) -> dict[str, Floats]:
    """F1 is 2tp over 2tp + fp + fn, so that all figures but bias are ratios of sums."""
    by_gender = gap_scorer.count(matched)
    overall, masculine, feminine = by_gender.sum(axis=1), by_gender[:, 0], by_gender[:, 1]
    tp, fp, _, fn = overall.T
    return {
        "f1": _f1_counts(overall),
        "precision": np.stack([tp, tp + fp], axis=1),
        "recall": np.stack([tp, tp + fn], axis=1),
        "masculine f1": _f1_counts(masculine),
        "feminine f1": _f1_counts(feminine),
    }


resampling_unit = problem_id


def _f1_counts(outcomes: Floats) -> Floats:
    tp, fp, _, fn = outcomes.T
    return np.stack([2 * tp, 2 * tp + fp + fn], axis=1)


def _bias(feminine: Floats, masculine: Floats) -> Floats:
    return np.where(feminine > 0, ratio(feminine, masculine), np.nan)


DERIVED = {"bias": Derived("feminine f1", "masculine f1", _bias)}


def _resampled(counts: Floats, resamples: int, seed: int) -> Floats:
    """The figures of resampled items: one row for each figure."""
    sums = resampled(counts.reshape(len(counts), -1), resamples, seed)
    return _figures(gap_scorer.score(sums.reshape(resamples, *counts.shape[1:])))


def _figures(scores: Floats) -> Floats:
    """The figures in the order of METRICS, from scores `(..., 3, 3)`; NaN for no bias."""
    overall, masculine, feminine = (scores[..., row, :] for row in range(3))
    low, high = masculine[..., 2], feminine[..., 2]
    bias = _bias(high, low)
    return np.stack([overall[..., 2], overall[..., 0], overall[..., 1], low, high, bias])
