"""Scores of a model for the phrases of problems, in batches, and figures on dev."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import torch

from coindex.pronoun.asked import Asked, best, decided
from coindex.pronoun.both import Score, both_ways
from coindex.pronoun.dev import Side, figure
from coindex.pronoun.recipe import Recipe
from coindex.pronoun.rows import batch, item
from coindex.pronoun.weights import Model

TOGETHER = 16
"""How many problems are scored at once."""


@torch.no_grad()
def scores(model: Model, asked: Iterable[Asked], window: int) -> Iterator[list[float]]:
    """The score of each phrase of each problem, in their order."""
    model.eval()
    device = next(model.parameters()).device
    rest = iter(asked)
    while together := list(islice(rest, TOGETHER)):
        made = [item(each, model.tokens, window) for each in together]
        flat: list[float] = []
        if any(each.rows for each in made):
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                flat = model.scores(batch(made, model.tokens.pad, device)).tolist()
        at = 0
        for each in made:
            yield flat[at : at + len(each.rows)]
            at += len(each.rows)


def calibrated(asked: Sequence[Asked], told: Sequence[Sequence[float]]) -> float:
    """The cut below which "none of them" is said: the one with the best F1 over candidates.

    F1 as of GAP: each candidate is one decision, yes or no. Of equals, the lowest cut.
    """
    tops, hits, wanted = [], [], 0
    for each, scores in zip(asked, told, strict=True):
        answer = each.problem.answer or ()
        wanted += len(answer)
        at = best(scores)
        if at is not None and each.phrases[at].stands:
            stands = each.phrases[at].stands
            tops.append((scores[at], len(stands)))
            hits.append(sum(index in answer for index in stands))
    order = sorted(range(len(tops)), key=lambda n: tops[n][0])
    said, right = sum(count for _, count in tops), sum(hits)
    found, highest = -math.inf, 2 * right / max(said + wanted, 1)
    for place, n in enumerate(order[:-1]):
        said, right = said - tops[n][1], right - hits[n]
        value = 2 * right / max(said + wanted, 1)
        if value > highest and tops[order[place + 1]][0] > tops[n][0]:
            highest, found = value, (tops[n][0] + tops[order[place + 1]][0]) / 2
    return found


def scored(
    model: Model, sides: Sequence[Side], recipe: Recipe
) -> tuple[dict[str, float], float | None]:
    """The figures of the dev sets, and the cut for "neither" if the recipe wants one.

    The cut is one for all of them, calibrated on all together, since the model has one
    whatever it is asked: the figures are those of the model as it will be. None if no cut
    does any good.
    """
    score: Score = partial(scores, model, window=recipe.window)
    score = both_ways(score) if recipe.both else score
    told = [list(score(side.asked)) for side in sides]
    cut = -math.inf
    if recipe.neither:
        every = [each for side in sides for each in side.asked]
        cut = calibrated(every, [found for each in told for found in each])
    used = cut if math.isfinite(cut) else None
    figures = {}
    for side, each in zip(sides, told, strict=True):
        pairs = zip(side.asked, each, strict=True)
        figures[side.name] = figure(side, [decided(asked, found, used) for asked, found in pairs])
    return figures, used
