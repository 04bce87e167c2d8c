"""Dev sets: problems that choose the best epoch, the score on them, and the threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from coindex import benchmarks
from coindex.errors import InputError
from coindex.models.pronoun.infer import score_phrases
from coindex.models.pronoun.query import (
    CandidateFinder,
    CandidateQuery,
    argmax,
    decide_by_scores,
)
from coindex.models.pronoun.recipe import Dev, Recipe
from coindex.models.pronoun.symmetric_scoring import PhraseScorer, symmetric
from coindex.models.pronoun.train.problems import read_problems
from coindex.types.decision import Decision, match_decisions
from coindex.types.problem import Problem

if TYPE_CHECKING:
    from coindex.models.pronoun.weights import Model

_RESAMPLES = 100  # the confidence intervals are not used


@dataclass(frozen=True, slots=True)
class DevSet:
    """One dev set, ready to be scored.

    benchmark   the benchmark whose first figure counts; accuracy for other files
    """

    name: str
    benchmark: str
    queries: tuple[CandidateQuery, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems themselves."""
        return tuple(query.problem for query in self.queries)

    @property
    def lost(self) -> float:
        """The share, in percent, of right candidates that no phrase matches.

        It is 0 where candidates are given; with detected ones these cannot be answered.
        """
        right = [(query, index) for query in self.queries for index in query.problem.answer or ()]
        lost = [i for query, i in right if not any(i in p.candidates for p in query.phrases)]
        return round(100 * len(lost) / max(len(right), 1), 2)


def load_dev_sets(devs: Sequence[Dev], finders: Mapping[str, CandidateFinder]) -> list[DevSet]:
    """The dev sets of a recipe, with the phrases to choose from."""
    sets = []
    for dev in devs:
        if dev.candidates not in finders:
            raise InputError(f"{', '.join(dev.files)}: candidates cannot be found without spaCy")
        problems = [problem for name in dev.files for problem in read_problems(name)]
        if not problems:
            raise InputError(f"{', '.join(dev.files)}: expected problems, found none")
        first = dev.files[0].partition(":")[0]
        benchmark = first if first in benchmarks.names("problems") else "dpr"
        name = ", ".join(dev.files) + (" (found)" if dev.candidates == "found" else "")
        sets.append(DevSet(name, benchmark, tuple(finders[dev.candidates](problems))))
    return sets


def dev_score(dev: DevSet, decisions: Sequence[Decision]) -> float:
    """The first figure of the set's benchmark, in percent."""
    matched = match_decisions(dev.problems, decisions)
    value = benchmarks.load(dev.benchmark).score(matched, _RESAMPLES)[0].value
    return round(value or 0.0, 2)


def calibrate_threshold(
    queries: Sequence[CandidateQuery], scores: Sequence[Sequence[float]]
) -> float:
    """The threshold below which "none of them" is the decision: the one with the best F1.

    F1 as of GAP: each candidate is one yes-or-no decision. Of equal ones, the lowest threshold.
    """
    tops, hits, expected = [], [], 0
    for query, own in zip(queries, scores, strict=True):
        answer = query.problem.answer or ()
        expected += len(answer)
        at = argmax(own)
        if at is not None and query.phrases[at].candidates:
            candidates = query.phrases[at].candidates
            tops.append((own[at], len(candidates)))
            hits.append(sum(index in answer for index in candidates))
    order = sorted(range(len(tops)), key=lambda n: tops[n][0])
    chosen, right = sum(count for _, count in tops), sum(hits)
    threshold, highest = -math.inf, 2 * right / max(chosen + expected, 1)
    for rank, n in enumerate(order[:-1]):
        chosen, right = chosen - tops[n][1], right - hits[n]
        value = 2 * right / max(chosen + expected, 1)
        if value > highest and tops[order[rank + 1]][0] > tops[n][0]:
            highest, threshold = value, (tops[n][0] + tops[order[rank + 1]][0]) / 2
    return threshold


def score_dev_sets(
    model: Model, dev: Sequence[DevSet], recipe: Recipe
) -> tuple[dict[str, float], float | None]:
    """The scores of the dev sets, and the threshold for "neither" if the recipe has one.

    There is one threshold for all of them, calibrated on all together, since the model has one;
    the scores are those of the model with it. None if no threshold improves F1.
    """
    score: PhraseScorer = partial(score_phrases, model, window=recipe.window)
    score = symmetric(score, names=recipe.names) if recipe.both else score
    scores = [list(score(each.queries)) for each in dev]
    threshold = -math.inf
    if recipe.neither:
        every = [query for each in dev for query in each.queries]
        threshold = calibrate_threshold(every, [own for each in scores for own in each])
    used = threshold if math.isfinite(threshold) else None
    figures = {}
    for each, own in zip(dev, scores, strict=True):
        pairs = zip(each.queries, own, strict=True)
        figures[each.name] = dev_score(each, [decide_by_scores(q, s, used) for q, s in pairs])
    return figures, used
