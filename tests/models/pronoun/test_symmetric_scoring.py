"""Symmetric scoring: a problem and its switched copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import training_samples as samples
from coindex.models.pronoun import query as asking
from coindex.models.pronoun.query import CandidateQuery, Phrase
from coindex.models.pronoun.symmetric_scoring import mean_scores, switched_query, symmetric
from coindex.transform.antecedent_switching import switch


def scores(asked: Iterable[CandidateQuery]) -> Iterator[list[float]]:
    """A model that looks at the names alone, and a little at where they stand."""
    for each in asked:
        yield [sum(map(ord, p.text)) + (p.chars.start if p.chars else 0) for p in each.phrases]


def ask(*numbers: int) -> list[CandidateQuery]:
    return list(asking.own_candidates(samples.problem(n) for n in numbers))


def test_what_is_thought_of_the_names_goes() -> None:
    problems = ask(*range(8))
    told = list(symmetric(scores)(problems))
    copies = [switched_query(each) for each in problems]
    assert None not in copies
    again = list(symmetric(scores)([each for each in copies if each]))
    for one, two in zip(told, again, strict=True):
        assert one == two[::-1]
    plain = list(scores(problems))
    assert any((a[0] > a[1]) != (b[0] > b[1]) for a, b in zip(plain, told, strict=True))


def test_what_cannot_be_switched_is_read_one_way() -> None:
    (one,) = ask(1)
    found = replace(one, detected=True)
    three = replace(one, phrases=(*one.phrases, Phrase("x", None, ())))
    absent = CandidateQuery(replace(one.problem, text="_" * 60), one.phrases)
    for each in (found, three, absent):
        assert switched_query(each) is None
    mixed = [found, one, three, one, absent]
    told = list(symmetric(scores)(mixed))
    assert [told[at] for at in (0, 2, 4)] == list(scores([found, three, absent]))
    assert told[1] == told[3] == next(symmetric(scores)([one]))
    assert list(symmetric(scores)([])) == []


def test_the_copy_is_that_of_switch() -> None:
    (one,) = ask(2)
    copy = switched_query(one)
    assert copy is not None
    assert copy.problem == switch(one.problem)
    assert [p.candidates for p in copy.phrases] == [(0,), (1,)]


@given(st.lists(st.floats(-50, 50), min_size=4, max_size=4))
def test_the_mean_is_turned_round(numbers: list[float]) -> None:
    a, b = numbers[:2], numbers[2:]
    assert mean_scores(a, b) == [(a[0] + b[1]) / 2, (a[1] + b[0]) / 2]
