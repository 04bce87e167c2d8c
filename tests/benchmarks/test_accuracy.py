"""Accuracies: Wilson's interval by hand, KnowRef's columns, consistency at its extremes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coindex.benchmarks.accuracy import (
    Accuracy,
    Consistency,
    Outcomes,
    accuracy,
    consistency,
    outcomes,
    stereotype_accuracy,
    wilson,
)
from coindex.errors import InvalidValue
from coindex.types.decision import Decision, match_decisions
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def problem(id: str, answer: tuple[int, ...] | None = (0,), names: str = "Ann Eve") -> Problem:
    one, two = names.split()
    text = f"{one} met {two} when she left ."
    found = (Candidate(one, Chars(0, 3)), Candidate(two, Chars(8, 11)))
    return Problem(id, text, Chars(17, 20), found, answer)


ITEMS = [problem(str(n), (n % 2,)) for n in range(10)]
SWITCHED = [problem(item.id, item.answer, "Eve Ann") for item in ITEMS]
LISTED_BY_NAME = [replace(item, candidates=item.candidates[::-1]) for item in SWITCHED]


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [
        # z = 1.95996, z² = 3.84146: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
        (5, 10, 23.6593, 76.3407),  # centre .5; 1.95996 √(.025 + .0096036) / 1.384146 = .263407
        (0, 10, 0, 27.7533),  # z² / (n + z²) = 3.84146 / 13.84146
        (10, 10, 72.2467, 100),  # n / (n + z²)
        (81, 263, 25.5280, 36.6210),  # the example of Newcombe (1998): .2553 to .3662
        (0, 0, 0, 100),
    ],
)
def test_wilson(right: int, total: int, low: float, high: float) -> None:
    found = wilson(right, total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-3)
    assert Accuracy(right, total).interval == found


def test_wilson_of_an_impossible_share() -> None:
    for right, total in ((3, 2), (-1, 2)):
        with pytest.raises(InvalidValue, match=f"part of 2, found {right}"):
            wilson(right, total)


def test_wilson_holds_its_share_everywhere() -> None:
    for total in (1, 7, 5000):
        for right in (0, 1, total // 2, total):
            found = wilson(right, total)
            assert 0 <= found.low <= 100 * right / total <= found.high <= 100


def test_accuracy_needs_exactly_the_right_candidates() -> None:
    items = [problem("a"), problem("b", (1,)), problem("c", ()), problem("d", (0, 1))]
    right = [Decision("a", (0,)), Decision("b", (1,)), Decision("c"), Decision("d", (0, 1))]
    assert accuracy(match_decisions(items, right)).value == 100
    wrong = [Decision("a", (0, 1)), Decision("b", (0,)), Decision("d", (1,))]
    found = accuracy(match_decisions(items, wrong))
    assert (found.right, found.total, found.missing) == (0, 4, 1), "silence is not `none of them`"
    assert accuracy(match_decisions([], [])).value is None
    with pytest.raises(InvalidValue, match="e: expected an answer"):
        accuracy(match_decisions([problem("e", None)], []))


def test_the_five_columns_of_knowref() -> None:
    chosen = [(0, 1), (), (), (0,), (1,), (0,), (0,), (1,), (0,)]
    decisions = [Decision(str(n), each) for n, each in enumerate(chosen)]
    found = outcomes(match_decisions(ITEMS, decisions))
    # 0 both; 1, 2 none, 9 missing; 3, 4, 5, 7 one: right are 6, 7, 8 (0 is right on even)
    assert found == Outcomes(both=1, none=3, incorrect=3, correct=3)
    assert found.total == 10
    assert found.columns == (10, 30, 30, 30, 50)
    assert found.decided == Accuracy(3, 6)
    assert Outcomes(none=2).columns == (0, 100, 0, 0, None)
    with pytest.raises(InvalidValue, match="c: expected one right candidate, found 0"):
        outcomes(match_decisions([problem("c", ())], []))


def by_place(items: list[Problem], place: int) -> list[Decision]:
    """The name that stands first or second in the text."""
    found = []
    for item in items:
        order = sorted(range(2), key=lambda at, item=item: item.candidates[at].chars.start)  # type: ignore[misc]
        found.append(Decision(item.id, (order[place],)))
    return found


def by_name(items: list[Problem], name: str) -> list[Decision]:
    return [Decision(i.id, ([c.text for c in i.candidates].index(name),)) for i in items]


@pytest.mark.parametrize("copies", [SWITCHED, LISTED_BY_NAME])
def test_consistency_at_its_extremes(copies: list[Problem]) -> None:
    for place in (0, 1):
        blind = [match_decisions(items, by_place(items, place)) for items in (ITEMS, copies)]
        assert consistency(*blind).value == 100, "it ignores names"
        some = [match_decisions(each.problems, each.decisions[::2]) for each in blind]
        assert consistency(*some) == Consistency(changed=5, undecided=5)
        assert consistency(*some).value == 100, "it ignores names, and does not always decide"
    for name in ("Ann", "Eve"):
        stubborn = [match_decisions(items, by_name(items, name)) for items in (ITEMS, copies)]
        assert consistency(*stubborn).value == 0, "it always answers the same name"


def test_consistency_counts_every_pair() -> None:
    before = match_decisions(ITEMS, by_place(ITEMS, 0))
    later = by_place(SWITCHED[:4], 0)
    later[1:3] = [Decision("1", (0, 1)), Decision("2", (1,))]
    found = consistency(before, match_decisions(SWITCHED[:4], later))
    assert found == Consistency(changed=2, same=1, half=1, unpaired=6)
    assert found.value == 50
    assert consistency(before, match_decisions([], [])).value is None
    with pytest.raises(InvalidValue, match="new: expected the problem of a switched copy"):
        consistency(before, match_decisions([problem("new")], []))


def test_consistency_needs_the_same_names() -> None:
    for names in ("Eve Kim", "Ann Ann"):
        with pytest.raises(InvalidValue, match="0: expected the same names"):
            consistency(
                match_decisions(ITEMS[:1], []), match_decisions([problem("0", (0,), names)], [])
            )


def test_the_gap_of_stereotypes() -> None:
    pro, anti = (
        match_decisions(ITEMS, by_place(ITEMS, 0)),
        match_decisions(ITEMS[:4], by_place(ITEMS[:4], 0)[1:]),
    )
    found = stereotype_accuracy(pro, anti)
    assert (found.pro.value, found.anti.value) == (50, 25)
    assert (found.gap, found.average) == (25, 37.5)
    assert stereotype_accuracy(pro, match_decisions([], [])).gap is None
    assert stereotype_accuracy(pro, match_decisions([], [])).average is None
