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

from coindex import datasets, io
from coindex.benchmarks.accuracy import accuracy
from coindex.benchmarks.figures import (
    accuracy_counts,
    accuracy_figure,
    counts_of,
    interval,
    ratio,
    resampled,
    subset,
)
from coindex.benchmarks.loading import read_split
from coindex.benchmarks.protocol import Chance, Derived, Figure, PredictionTable
from coindex.benchmarks.published import row_template, wikicrem
from coindex.scoring.contingency import Floats
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.types.decision import Decision, MatchedDecisions, answer_of
from coindex.types.problem import Problem

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
DERIVED: dict[str, Derived] = {}
PREDICTIONS: PredictionTable | None = None
CHANCE = Chance(50.0, "a coin between two phrases")
PUBLISHED = tuple(
    row
    for split in SPLITS
    for row in wikicrem(
        row_template(split, note="the pronoun is masked"),
        {"winogender": "accuracy"},
        "Durrett and Klein 2013, masculine pronouns only",
    )
)

_GROUPS = ("masculine", "feminine", "neutral")
SAME_BOTH, SAME_ALL = "same for both genders", "same for all pronouns"
"""Counts beyond METRICS: the share of sentences with one answer for she and he; and for they too."""

WOMEN = "percent-women"
"""The fact that tells the share of women in an occupation, in percent."""

_FILES = {"sentences": ("winogender", "sentences"), "masked": ("blocks", "winogender")}


def problems(split: str) -> tuple[Problem, ...]:
    """The problems of a split, each with the share of women in its occupation."""
    result = read_split("winogender", _FILES, split)
    women = _women()
    return tuple(
        replace(each, meta=(*each.meta, (WOMEN, women[each.candidates[0].text]))) for each in result
    )


def _women() -> dict[str, str]:
    """The share of women by occupation: the column `bls_pct_female`."""
    table = io.read_text(datasets.path("winogender", "occupations-stats.tsv"))
    header, *rows = (line.split("\t") for line in table.splitlines() if line.strip())
    name, share = header.index("occupation"), header.index("bls_pct_female")
    return {row[name]: row[share] for row in rows}


def is_gotcha(problem: Problem) -> bool | None:
    """Whether the occupation's majority gender is the wrong cue; None where it is no cue."""
    women = problem.meta_value(WOMEN)
    if women is None or problem.group not in ("masculine", "feminine"):
        return None
    fits = (problem.group == "feminine") == (float(women) >= 50)
    return fits != (answer_of(problem) == (0,))


def score(
    matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Figure, ...]:
    """Accuracy, by pronoun and by cue, and the correlation with labour statistics."""
    parts = [
        matched,
        *(_of_group(matched, group) for group in _GROUPS),
        subset(matched, lambda each: is_gotcha(each) is True),
        subset(matched, lambda each: is_gotcha(each) is False),
    ]
    shares = [
        accuracy_figure(name, accuracy(part))
        for name, part in zip(METRICS[:-1], parts, strict=True)
    ]
    return (*shares, _correlation_figure(matched, resamples, seed))


def counts(matched: MatchedDecisions) -> dict[str, Floats]:
    """Accuracy, by pronoun and by cue; and the sentences answered alike for several pronouns."""
    groups = [problem.group for problem in matched.problems]
    cues = [is_gotcha(problem) for problem in matched.problems]
    return accuracy_counts(matched) | {
        **{g: counts_of(matched, [each == g for each in groups]) for g in _GROUPS},
        "gotcha": counts_of(matched, [cue is True for cue in cues]),
        "not gotcha": counts_of(matched, [cue is False for cue in cues]),
        SAME_BOTH: _same_answer_counts(matched, _GROUPS[:2]),
        SAME_ALL: _same_answer_counts(matched, _GROUPS),
    }


def _same_answer_counts(matched: MatchedDecisions, groups: tuple[str, ...]) -> Floats:
    """1 of 1 at the first item of a sentence whose answers for these pronouns all agree."""
    by_sentence: dict[str, list[tuple[int, Decision]]] = defaultdict(list)
    for row, (problem, decision) in enumerate(matched):
        if problem.group in groups:
            by_sentence[resampling_unit(problem)].append((row, decision))
    result = np.zeros((len(matched), 2))
    for each in by_sentence.values():
        if len(each) > 1:
            answers = {(decision.chosen, decision.undecided) for _, decision in each}
            result[each[0][0]] = len(answers) == 1, 1
    return result


def resampling_unit(problem: Problem) -> str:
    """The sentence: the id without its gender, such as `technician.customer.1`."""
    name, _, gender = problem.id.removesuffix(".txt").rpartition(".")
    return name if gender in ("male", "female", "neutral") else problem.id


def _of_group(matched: MatchedDecisions, group: str) -> MatchedDecisions:
    return subset(matched, lambda each: each.group == group)


def _correlation_figure(matched: MatchedDecisions, resamples: int, seed: int) -> Figure:
    points = preferences(matched)
    centred = points - points.mean(axis=0) if len(points) else points
    x, y = centred.T
    rows = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
    value = float(_correlation(rows.sum(axis=0)))
    if np.isnan(value):
        return Figure(METRICS[-1], None, None, len(points), "correlation")
    bounds = interval(_correlation(resampled(rows, resamples, seed)))
    return Figure(METRICS[-1], value, bounds, len(points), "correlation")


def preferences(matched: MatchedDecisions) -> Floats:
    """For each occupation its share of women, and the preference for it, in points.

    The preference is the share of its feminine pronouns that are taken to mean the
    occupation, and nothing else, less that of its masculine pronouns.
    """
    taken: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(
        lambda: {"feminine": [], "masculine": []}
    )
    for problem, decision in matched:
        women = problem.meta_value(WOMEN)
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
