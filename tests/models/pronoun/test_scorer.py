"""One cut for "neither" over all dev sets, and figures of the model as it will be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from coindex.models.pronoun.query import CandidateQuery, own_candidates
from coindex.models.pronoun.recipe import Recipe
from coindex.models.pronoun.train import dev_sets
from coindex.models.pronoun.train.dev_sets import DevSet
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

TOPS = {"a1": 3.0, "a2": 1.0, "b1": 6.0, "b2": 5.0}
"""The score of each problem's first candidate; that of the second is 0."""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Any:
    def scores(model: Any, asked: Iterable[CandidateQuery], window: int) -> Iterator[list[float]]:
        return ([TOPS[each.problem.id], 0.0] for each in asked)

    monkeypatch.setattr(dev_sets, "score_phrases", scores)
    return cast("Any", None)


def side(name: str, answers: dict[str, tuple[int, ...]]) -> DevSet:
    names = (Candidate("Ann"), Candidate("Eve"))
    problems = (
        Problem(id, "She slept.", Chars(0, 3), names, answer, "feminine")
        for id, answer in answers.items()
    )
    return DevSet(name, "gap", tuple(own_candidates(problems)))


A = side("a", {"a1": (0,), "a2": ()})
B = side("b", {"b1": (0,), "b2": ()})


def test_each_dev_set_alone(told: Any) -> None:
    recipe = Recipe("substitution", neither=True)
    assert dev_sets.score_dev_sets(told, [A], recipe) == ({"a": 100.0}, 2.0)
    assert dev_sets.score_dev_sets(told, [B], recipe) == ({"b": 100.0}, 5.5)


def test_one_cut_for_both_is_not_the_mean_of_two(told: Any) -> None:
    """The mean, 3.75, would lose what is right in a: F1 over all falls from 80 to 50."""
    figures, cut = dev_sets.score_dev_sets(told, [A, B], Recipe("substitution", neither=True))
    assert cut == 2.0
    assert figures == {"a": 100.0, "b": pytest.approx(66.67)}
    assert dev_sets.score_dev_sets(told, [B, A], Recipe("substitution", neither=True))[1] == cut


def test_no_cut_where_none_is_wanted_or_helps(told: Any) -> None:
    both: dict[str, Any] = {"a": pytest.approx(66.67), "b": pytest.approx(66.67)}
    scores, threshold = dev_sets.score_dev_sets(told, [A, B], Recipe("substitution"))
    assert scores == both
    assert threshold is None
    right = side("a", {"a1": (0,), "a2": (0,)})
    assert dev_sets.score_dev_sets(told, [right], Recipe("substitution", neither=True)) == (
        {"a": 100.0},
        None,
    )
    assert dev_sets.score_dev_sets(told, [], Recipe("substitution", neither=True)) == ({}, None)
