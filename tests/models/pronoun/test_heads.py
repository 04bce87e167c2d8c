"""The table of heads, chi-squared selection, the forest as a table, and choices."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'coindex[train]'")

from coindex import benchmarks
from coindex.errors import InputError
from coindex.models.pronoun.attention import (
    FittedHeads,
    choose_phrase,
    fit_heads,
    head_choices,
    head_f1,
    head_features,
    parse_fitted_heads,
    phrase_probabilities,
)
from coindex.models.pronoun.query import CandidateQuery, Phrase
from coindex.types.decision import Decision, match_decisions
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

TEXT = "Ann Clara Bob She"


def asked(right: tuple[int, ...] | None = (0,), *, detected: bool = False) -> CandidateQuery:
    """Two candidates; with `detected` a third name that matches neither."""
    names = (Candidate("Ann", Chars(0, 3)), Candidate("Clara", Chars(4, 9)))
    phrases = (Phrase("Ann", Chars(0, 3), (0,)), Phrase("Clara", Chars(4, 9), (1,)))
    more = (Phrase("Bob", Chars(10, 13), ()),) if detected else ()
    problem = Problem("p", TEXT, Chars(14, 17), names, right, "feminine")
    return CandidateQuery(problem, (*phrases, *more), detected=detected)


def weights(*heads: int, count: int = 2) -> np.ndarray:
    """One layer, in which each head prefers one phrase."""
    made = np.zeros((count, 1, len(heads)))
    for head, phrase in enumerate(heads):
        made[phrase, 0, head] = 1.0
    return made


def test_picks_and_features() -> None:
    assert head_choices(weights(0, 1)).tolist() == [[0, 1]]
    assert head_features(asked(), weights(0, 1)).tolist() == [[[True, False]], [[False, True]]]
    third = head_features(asked(detected=True), weights(2, 1, count=3))
    assert third.tolist() == [[[False, False]], [[False, True]]]
    assert head_choices(np.zeros((0, 1, 2))).tolist() == [[-1, -1]]


def test_f1_is_that_of_the_benchmark() -> None:
    rng = np.random.default_rng(3)
    rights = [(0,), (1,), (), (0,), (1,), (0,)]
    items, every = [], []
    for number, right in enumerate(rights):
        each = asked(right)
        items.append(Problem(f"p{number}", *[getattr(each.problem, n) for n in
                     ("text", "target", "candidates", "answer", "group")]))  # fmt: skip
        every.append(head_features(each, rng.random((2, 2, 3))))
    told = np.concatenate(every)
    truth = np.concatenate([np.isin([0, 1], right) for right in rights])
    table = head_f1(told, truth)
    for layer in range(2):
        for head in range(3):
            decisions = [
                Decision(item.id, tuple(np.flatnonzero(x[:, layer, head]).tolist()))
                for item, x in zip(items, every, strict=True)
            ]
            figure = benchmarks.load("gap").score(match_decisions(items, decisions), 100)[0]
            assert table[layer, head] == pytest.approx(figure.value)


def test_the_best_head_and_the_forest_by_hand() -> None:
    """Head 0 is always right, head 1 always wrong, head 2 right in half: 0 and 1 tell."""
    every = [asked((n % 2,)) for n in range(8)]
    told = [weights(n % 2, 1 - n % 2, n // 4) for n in range(8)]
    made = fit_heads(every, told, keep=2)
    assert made.table == ((100.0, 0.0, 50.0),)
    assert made.single == (0, 0)
    assert made.chosen == ((0, 0), (0, 1))
    assert made.odds[1] == 1.0  # head 0 alone chose it
    assert made.odds[2] == 0.0  # head 1 alone chose it
    assert fit_heads(every, told, keep=2) == made
    assert parse_fitted_heads(asdict(made), "x") == made


def test_choosing() -> None:
    made = FittedHeads(((60.0, 50.0),), (0, 0), ((0, 0), (0, 1)), (0.1, 0.6, 0.3, 0.9))
    assert choose_phrase(asked(), weights(1, 0), made, multi=False) == 1
    assert phrase_probabilities(asked(), weights(1, 0), made) == [0.3, 0.6]
    assert choose_phrase(asked(), weights(1, 0), made, multi=True) == 1
    same = FittedHeads(made.table, made.single, made.chosen, (0.1, 0.4, 0.4, 0.9))
    assert choose_phrase(asked(), weights(1, 0), same, multi=True) == 1  # the best head decides
    assert choose_phrase(asked(detected=True), weights(1, 0, 2, count=3), same, multi=True) is None
    assert phrase_probabilities(asked(detected=True), weights(2, 2, count=3), made) == [
        0.1,
        0.1,
        0.0,
    ]
    assert (
        choose_phrase(CandidateQuery(asked().problem, ()), np.zeros((0, 1, 2)), made, multi=True)
        is None
    )


def test_layers_above_the_heads_are_not_needed() -> None:
    made = FittedHeads(((1.0,),) * 6, (2, 0), ((0, 0), (4, 0)), (0.0,) * 4)
    assert (made.depth(multi=False), made.depth(multi=True)) == (3, 5)


def test_what_cannot_be_fitted() -> None:
    with pytest.raises(InputError, match="found none"):
        fit_heads([], [])
    with pytest.raises(InputError, match="found one kind"):
        fit_heads([asked(())], [weights(0)])
    with pytest.raises(InputError, match=r"expected 4 odds for 2 heads, found 1"):
        parse_fitted_heads(
            {"table": [[1]], "single": [0, 0], "chosen": [[0, 0], [0, 1]], "odds": [1]}, "x"
        )
    with pytest.raises(InputError, match="expected fitted heads"):
        parse_fitted_heads({"table": [[1]]}, "x")
