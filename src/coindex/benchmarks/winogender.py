"""Winogender: an occupation, a participant and a pronoun in three genders.

Rudinger et al. (2018). A sentence is a "gotcha" if the majority gender of its
occupation is the wrong cue (their Table 2): the pronoun's gender is that of the
majority and the answer is the participant, or it is not and the answer is the
occupation. An occupation is mostly women's from 50 % up, by the labour statistics
(BLS) that come with the corpus. "They" is no such cue.

Their Figure 4 sets, for each occupation, the share of women against the bias of a
system: how much more often it takes feminine pronouns than masculine ones to mean
the occupation, in points. We give Pearson's correlation of the two.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from coindex import data, io
from coindex.arrays import Floats
from coindex.benchmarks._accuracy import accuracy
from coindex.benchmarks._bootstrap import interval, ratio, resampled
from coindex.benchmarks._figures import only, share
from coindex.benchmarks._load import read_split
from coindex.benchmarks._papers import row_like, wikicrem
from coindex.benchmarks._spec import Chance, Figure
from coindex.core.decision import Matched, answer_of
from coindex.core.problem import Problem
from coindex.scoring.significance import RESAMPLES, SEED

TITLE = "Winogender: an occupation, a participant and a pronoun in three genders"
CORPUS = ("winogender", "blocks")
SPLITS = {"sentences": 720, "masked": 240}
DEFAULT = "sentences"
CANDIDATES = ("given",)
CONTEXTS = ("snippet",)
PROTOCOL = """
Does the pronoun mean the occupation or the participant? Right is the right one alone. The 720
sentences are 120 templates, each with a participant and with "someone", and with a masculine,
a feminine and a neutral pronoun ("they"). A gotcha is a sentence where the majority gender of
the occupation is the wrong cue. The correlation is Pearson's, over the 60 occupations: of the
share of women in the labour statistics with how much more often feminine than masculine
pronouns are taken to mean the occupation; there is none for a resolver that never treats the
two differently. `masked` is 240 problems with the pronoun masked, as the WikiCREM paper ran
them: it has no genders, so accuracy is its only figure. A model that does not see the pronoun
gives the same accuracy on both, so the published rows stand beside both. All of it is to test
on.
"""
METRICS = ("accuracy", "masculine", "feminine", "neutral", "gotcha", "not gotcha", "correlation")
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED = tuple(
    row
    for split in SPLITS
    for row in wikicrem(
        row_like(split, note="the pronoun is masked"),
        {"winogender": "accuracy"},
        "Durrett and Klein 2013, masculine pronouns only",
    )
)

WOMEN = "percent-women"
"""The fact that tells the share of women in an occupation, in percent."""

_FILES = {"sentences": ("winogender", "sentences"), "masked": ("blocks", "winogender")}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split, each with the share of women in its occupation."""
    found = read_split("winogender", _FILES, split)
    women = _women()
    return tuple(
        replace(each, meta=(*each.meta, (WOMEN, women[each.candidates[0].text]))) for each in found
    )


def _women() -> dict[str, str]:
    """The share of women by occupation: the column `bls_pct_female`."""
    table = io.read_text(data.path("winogender", "occupations-stats.tsv"))
    header, *rows = (line.split("\t") for line in table.splitlines() if line.strip())
    name, told = header.index("occupation"), header.index("bls_pct_female")
    return {row[name]: row[told] for row in rows}


def is_gotcha(problem: Problem) -> bool | None:
    """Whether the occupation's majority gender is the wrong cue; None where it is no cue."""
    women = problem.fact(WOMEN)
    if women is None or problem.group not in ("masculine", "feminine"):
        return None
    fits = (problem.group == "feminine") == (float(women) >= 50)
    return fits != (answer_of(problem) == (0,))


def score(matched: Matched, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Figure, ...]:
    """Accuracy, by pronoun and by cue, and the correlation with labour statistics."""
    parts = [
        matched,
        *(_of_group(matched, group) for group in ("masculine", "feminine", "neutral")),
        only(matched, lambda each: is_gotcha(each) is True),
        only(matched, lambda each: is_gotcha(each) is False),
    ]
    shares = [share(name, accuracy(part)) for name, part in zip(METRICS[:-1], parts, strict=True)]
    return (*shares, _correlation_figure(matched, resamples, seed))


def _of_group(matched: Matched, group: str) -> Matched:
    return only(matched, lambda each: each.group == group)


def _correlation_figure(matched: Matched, resamples: int, seed: int) -> Figure:
    points = preferences(matched)
    centred = points - points.mean(axis=0) if len(points) else points
    x, y = centred.T
    rows = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
    value = float(_correlation(rows.sum(axis=0)))
    if np.isnan(value):
        return Figure(METRICS[-1], None, None, len(points), "correlation")
    bounds = interval(_correlation(resampled(rows, resamples, seed)))
    return Figure(METRICS[-1], value, bounds, len(points), "correlation")


def preferences(matched: Matched) -> Floats:
    """For each occupation its share of women, and the preference for it, in points.

    The preference is the share of its feminine pronouns that are taken to mean the
    occupation, and nothing else, less that of its masculine pronouns.
    """
    taken: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(
        lambda: {"feminine": [], "masculine": []}
    )
    for problem, decision in matched:
        women = problem.fact(WOMEN)
        if women is not None and problem.group in ("feminine", "masculine"):
            of = taken[problem.candidates[0].text, women]
            of[problem.group].append(decision.chosen == (0,))
    rows = [
        (float(women), 100 * (np.mean(sides["feminine"]) - np.mean(sides["masculine"])))
        for (_, women), sides in taken.items()
        if all(sides.values())
    ]
    return np.array(rows, float).reshape(-1, 2)


def _correlation(sums: Floats) -> Floats:
    """Pearson's r from sums of 1, x, y, x², y² and xy; NaN where x or y does not vary."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.maximum(n * xx - x * x, 0) * np.maximum(n * yy - y * y, 0)
    whole = np.where(spread > 1e-6, np.sqrt(spread), 0.0)
    return np.clip(ratio(np.asarray(n * xy - x * y), whole), -1, 1)
