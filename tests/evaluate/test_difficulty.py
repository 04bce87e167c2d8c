"""GAP's Tables 9, 11 and 12 on items small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench_samples import problem
from coindex.errors import InvalidValue
from coindex.evaluate.agreement import Agreement, agreement_json, agreement_table, agreements
from coindex.evaluate.difficulty import (
    difficulty,
    difficulty_json,
    difficulty_table,
    passage,
    unsolved_table,
)
from coindex.report.table import text_notes
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.problem import Problem

ITEMS = [problem("a", (0,)), problem("b", (1,)), problem("c", ()), problem("d", (0, 1))]


def says(*chosen: tuple[int, ...] | None, items: list[Problem] | None = None) -> MatchedDecisions:
    """A system's choice on each item; None for no decision."""
    of = items or ITEMS
    decisions = [Decision(p.id, c) for p, c in zip(of, chosen, strict=True) if c is not None]
    return match_decisions(of, decisions)


SYSTEMS = {
    "right": says((0,), (1,), (), (0, 1)),
    "first": says((0,), (0,), (0,), (0,)),
    "both": says((0, 1), (0, 1), (0, 1), (0, 1)),
    "silent": says(None, None, None, None),
}


def test_pairs_are_counted_by_how_many_systems_are_right() -> None:
    found = difficulty({name: SYSTEMS[name] for name in ("right", "first", "both")})
    # a: all three say yes to Ann; b: right and both say yes to Eve; c: both names are pairs,
    # Ann (right alone says no), Eve (right and first); d: Ann (all three), Eve (right, both)
    pairs = {
        level.agreeing: [(pair.problem.id, pair.index) for pair in level.pairs]
        for level in found.levels
    }
    assert pairs == {
        3: [("a", 0), ("d", 0)],
        2: [("b", 1), ("c", 1), ("d", 1)],
        1: [("c", 0)],
        0: [],
    }
    assert [level.colour for level in found.levels] == ["green", "yellow", "yellow", "red"]
    assert [found.total, found.average] == [6, pytest.approx(13 / 6)]


def test_the_count_of_gap_is_items_and_one_more_for_each_without_an_answer() -> None:
    # Table 11: 631 + 469 + 420 + 353 + 328 = 2,201 pairs of 2,000 items, 201 of them neither
    assert 631 + 469 + 420 + 353 + 328 == 2000 + 201
    items = [problem(str(n), () if n < 3 else (0,)) for n in range(10)]
    assert difficulty({"x": says(*[()] * 10, items=items)}).total == 10 + 3


def test_silence_is_never_right() -> None:
    found = difficulty({"silent": SYSTEMS["silent"]})
    assert len(found.red) == found.total == 6


def test_one_system_is_green_or_red() -> None:
    found = difficulty({"first": SYSTEMS["first"]})
    assert [(level.colour, len(level.pairs)) for level in found.levels] == [
        ("green", 3),
        ("red", 3),
    ]


def test_systems_need_the_same_problems() -> None:
    other = [replace(each, id=f"x{each.id}") for each in ITEMS]
    systems = {"a": SYSTEMS["right"], "b": says((), (), (), (), items=other)}
    with pytest.raises(InvalidValue, match="same problems"):
        difficulty(systems)
    with pytest.raises(InvalidValue, match="a and b on the same problems"):
        agreements(systems)
    with pytest.raises(InvalidValue, match="found none"):
        difficulty({})


def test_tables_of_difficulty() -> None:
    found = difficulty({"first": SYSTEMS["first"], "silent": SYSTEMS["silent"]})
    grid = difficulty_table(found, "tiny")
    assert grid.rows == (
        ("green", 2, 0, 0.0),
        ("yellow", 1, 3, 50.0),
        ("red", 0, 3, 50.0),
    )
    assert grid.notes[0].text.endswith("of 2 systems agree with the answer; 0.5 on average.")
    red = unsolved_table(found, "tiny", 2)
    assert red.rows == (
        ("b", "[Ann] met [Eve] when *she* left .", "Eve", "Ann, none"),
        ("c", "[Ann] met [Eve] when *she* left .", "none", "Ann, none"),
    )
    assert red.notes == text_notes("1 more; --json lists them all.")
    told = difficulty_json(found)
    assert told["levels"][-1]["items"] == [["b", 1], ["c", 0], ["d", 1]]
    assert (told["pairs"], told["average"]) == (6, 0.5)


def test_a_problem_is_listed_once() -> None:
    found = difficulty({"both": SYSTEMS["both"]})
    assert [(pair.problem.id, pair.index) for pair in found.red] == [("c", 0), ("c", 1)]
    assert [(pair.problem.id, pair.index) for pair in found.red_items] == [("c", 0)]
    assert len(unsolved_table(found, "t", 9).rows) == 1
    assert unsolved_table(found, "t", 9).notes == ()


def test_a_long_passage_is_cut() -> None:
    base = problem("a")
    long = replace(base, text=base.text + " x" * 200)
    assert passage(long).endswith("x x …")
    assert len(passage(long)) < 90


def test_two_systems_are_right_together_or_apart() -> None:
    found = agreements({name: SYSTEMS[name] for name in ("right", "first", "both")})
    # names (Ann, Eve) of a, b, c, d that `first` judges rightly: a both, b none, c Eve, d Ann;
    # `both`: a Ann, b Eve, c none, d both
    assert found == (
        Agreement("right", "first", 4, 4, 0, 0, opposing=1),
        Agreement("right", "both", 4, 4, 0, 0, opposing=0),
        Agreement("first", "both", 2, 2, 2, 2, opposing=0),
    )
    assert [each.either for each in found] == [100, 100, 75]
    grid = agreement_table(found, "tiny")
    assert grid.rows[2] == ("first", "both", 25.0, 25.0, 25.0, 25.0, 75.0, 0)
    assert agreement_json(found)[0]["opposing"] == 1


def test_agreement_with_the_silent() -> None:
    (found,) = agreements({"silent": SYSTEMS["silent"], "right": SYSTEMS["right"]})
    assert (found.both, found.only_first, found.only_second, found.neither) == (0, 0, 8, 0)
    (nothing,) = agreements({"a": match_decisions([], []), "b": match_decisions([], [])})
    assert nothing.either is None
    assert agreement_table((nothing,), "t").rows == (("a", "b", None, None, None, None, None, 0),)
