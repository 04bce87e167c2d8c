"""Figures worked out by hand, and the bootstrap against a plain loop."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from coindex.benchmarks import gap_scorer
from coindex.benchmarks.accuracy import Accuracy, wilson
from coindex.benchmarks.builtin import gap, knowref, winobias, winogender, wnli
from coindex.benchmarks.figures import (
    accuracy_figure,
    consistency_figure,
    interval,
    ratio,
    resampled,
    subset,
)
from coindex.benchmarks.protocol import Figure
from coindex.errors import InvalidValue
from coindex.scoring.significance import Interval
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

Facts = tuple[tuple[str, str], ...]


def problem(
    id: str,
    answer: tuple[int, ...] | None = (0,),
    group: str | None = None,
    names: Sequence[str] = ("Ann", "Eve"),
    meta: Facts = (),
) -> Problem:
    text = f"{' met '.join(names)} when she left ."
    start = text.index("she")
    found = tuple(Candidate(n, Chars(text.index(n), text.index(n) + len(n))) for n in names)
    return Problem(id, text, Chars(start, start + 3), found, answer, group, meta=meta)


def named(figures: Sequence[Figure]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


def test_gap_intervals_are_those_of_a_plain_bootstrap() -> None:
    rng = random.Random(3)
    items = [
        problem(str(n), rng.choice([(0,), (1,), ()]), rng.choice(["masculine", "feminine"]))
        for n in range(80)
    ]
    says: list[tuple[int, ...]] = [(0,), (1,), (), (0, 1)]
    made = [
        Decision(i.id, i.answer or () if rng.random() < 0.5 else rng.choice(says)) for i in items
    ]
    matched = match_decisions(items, made[3:])
    found = gap.score(matched, resamples=20_000, seed=2)
    drawn: dict[str, list[float]] = {name: [] for name in gap.METRICS}
    for _ in range(3000):
        at = [rng.randrange(len(items)) for _ in items]
        again = MatchedDecisions(
            tuple(matched.problems[n] for n in at), tuple(matched.decisions[n] for n in at)
        )
        for name, value in _plain(gap_scorer.gap_score(again)):
            drawn[name].append(value)
    for figure in found:
        assert figure.interval is not None
        low, high = np.percentile(drawn[figure.name], [2.5, 97.5])
        near = 0.05 if figure.name == "bias" else 1.0
        assert figure.interval.low == pytest.approx(low, abs=near), figure.name
        assert figure.interval.high == pytest.approx(high, abs=near), figure.name
    assert dict(_plain(gap_scorer.gap_score(matched))) == {f.name: f.value for f in found}
    women = sum(item.group == "feminine" for item in items)
    assert [figure.of for figure in found] == [80, 80, 80, 80 - women, women, 80]


def _plain(score: gap_scorer.GapScore) -> Iterator[tuple[str, float]]:
    yield from (
        ("f1", score.overall.f1),
        ("precision", score.overall.precision),
        ("recall", score.overall.recall),
        ("masculine f1", score.masculine.f1),
        ("feminine f1", score.feminine.f1),
    )
    if score.bias is not None:
        yield "bias", score.bias


def test_gap_has_no_bias_without_either_gender() -> None:
    items = [problem(str(n), (0,), "feminine") for n in range(3)]
    found = named(gap.score(match_decisions(items, [Decision(i.id, (0,)) for i in items])))
    assert found["bias"] == Figure("bias", None, None, 3, "ratio")
    assert (found["feminine f1"].value, found["masculine f1"].value) == (100, 0)
    one = gap.score(match_decisions(items[:1], [Decision("0", (0,))]))
    assert all(figure.interval is None for figure in one), "one item has no spread"


def test_resampled_sums_have_the_mean_and_spread_of_the_bootstrap() -> None:
    rows = np.array([[1.0, 0.0]] * 30 + [[0.0, 2.0]] * 70)
    sums = resampled(rows, 50_000, 1)
    assert sums.shape == (50_000, 2)
    assert (sums[:, 0] + sums[:, 1] / 2 == 100).all(), "a resample is as large as the whole"
    assert sums.mean(axis=0) == pytest.approx([30, 140], abs=0.1)
    assert sums[:, 0].std() == pytest.approx((100 * 0.3 * 0.7) ** 0.5, rel=0.02)


def test_intervals_leave_out_what_is_no_number() -> None:
    assert interval(np.array([np.nan, 1.0, 1.0])) == Interval(1, 1)
    assert interval(np.array([np.nan])) is None
    assert ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])) == pytest.approx(
        [0.5, np.nan], nan_ok=True
    )


def test_the_five_columns_of_knowref_with_their_intervals() -> None:
    items = [problem(str(n), (n % 2,)) for n in range(10)]
    chosen = [(0, 1), (), (), (0,), (1,), (0,), (0,), (1,), (0,)]
    made = [Decision(str(n), each) for n, each in enumerate(chosen)]
    # 0 both; 1, 2 none and 9 missing; of the six others 6, 7, 8 are right
    assert knowref.score(match_decisions(items, made)) == (
        Figure("task-specific accuracy", 50, wilson(3, 6), 6),
        Figure("both", 10, wilson(1, 10), 10),
        Figure("none", 30, wilson(3, 10), 10),
        Figure("incorrect", 30, wilson(3, 10), 10),
        Figure("correct", 30, wilson(3, 10), 10),
    )


def test_consistency_is_a_figure() -> None:
    before = [problem(str(n)) for n in range(4)]
    after = [problem(str(n), names=("Eve", "Ann")) for n in range(4)]
    first = [Decision(item.id, (0,)) for item in before]
    later = [Decision("0", (0,)), Decision("1", (1,)), Decision("2", (0,)), Decision("3", (0,))]
    found = consistency_figure(match_decisions(before, first), match_decisions(after, later))
    assert found == Figure("consistency", 75, wilson(3, 4), 4)
    assert consistency_figure(match_decisions(before, first), match_decisions([], [])).value is None


def test_shares_of_nothing() -> None:
    assert accuracy_figure("x", Accuracy(0, 0)) == Figure("x", None, None, 0)


def test_what_is_kept_keeps_its_decisions() -> None:
    items = [problem(str(n), group="ab"[n % 2]) for n in range(4)]
    matched = match_decisions(items, [Decision("0"), Decision("1", (1,))])
    kept = subset(matched, lambda each: each.group == "b")
    assert [each.id for each in kept.problems] == ["1", "3"]
    assert [each.chosen for each in kept.decisions] == [(1,), ()]
    assert kept.missing == ("3",)


@pytest.mark.parametrize(
    ("answer", "decision", "right"),
    [
        ((0,), Decision("x", (0,)), True),
        ((0,), Decision("x", (0, 1)), False),  # two answers are none
        ((0,), Decision("x", (1,)), False),
        ((0,), Decision("x"), False),
        ((0,), Decision("x", (0,), None, (1,)), False),
        ((), Decision("x", (1,)), True),  # another phrase: the hypothesis does not follow
        ((), Decision("x"), True),
        ((), Decision("x", (0,)), False),
        ((), Decision("x", (0, 1)), False),
        ((), Decision("x", undecided=(0, 1)), False),  # silence is not no
        ((), Decision("x", (1,), None, (0,)), False),
    ],
)
def test_yes_and_no_of_wnli(answer: tuple[int, ...], decision: Decision, right: bool) -> None:
    assert wnli.is_correct(problem("x", answer), decision) is right
    figures = wnli.score(match_decisions([problem("x", answer)], [decision]))
    assert figures == (Figure("accuracy", 100.0 * right, wilson(int(right), 1), 1),)


def bias_pair(number: int, kind: int) -> list[Problem]:
    return [
        problem(f"type{kind}-{side}-{number}", meta=(("part", f"type{kind}-{side}"),))
        for side in ("pro", "anti")
    ]


def test_the_gaps_of_winobias() -> None:
    items = [item for n in range(8) for kind in (1, 2) for item in bias_pair(n, kind)]
    right = {f"type1-pro-{n}" for n in range(6)} | {f"type1-anti-{n}" for n in range(2)}
    right |= {f"type2-{side}-{n}" for n in range(4) for side in ("pro", "anti")}
    made = [Decision(item.id, (0 if item.id in right else 1,)) for item in items]
    found = named(winobias.score(match_decisions(items, made), resamples=20_000))
    assert tuple(found) == winobias.METRICS
    values = [found[name].value for name in winobias.METRICS]
    assert values == [50, 75, 25, 50, 50, 50, 0]
    assert found["type 1 pro"] == Figure("type 1 pro", 75, wilson(6, 8), 8)
    # both of a pair right in 2, only pro in 4, none in 2 of 8: the gap is a binomial share
    # of 8 draws at 1/2, whose middle 95 % is 1 to 7 of 8
    assert found["type 1 gap"].interval == Interval(12.5, 87.5)
    assert found["type 1 gap"].of == 16
    assert found["type 1 gap"].unit == "points"
    # whenever both of a pair are right or wrong, no resample can show a gap
    assert found["type 2 gap"].interval == Interval(0, 0)


def test_winobias_without_a_part() -> None:
    items = bias_pair(1, 1)
    found = named(winobias.score(match_decisions(items[:1], [Decision(items[0].id, (0,))])))
    assert found["type 1 pro"].value == 100
    assert found["type 1 gap"] == Figure("type 1 gap", None, None, 1, "points")
    assert found["type 2 anti"].value is None
    with pytest.raises(InvalidValue, match="x: expected the fact 'part' to be one of type1-pro"):
        winobias.score(match_decisions([problem("x")], []))


def job(
    id: str, name: str, women: str | None, group: str, answer: tuple[int, ...] = (0,)
) -> Problem:
    meta = () if women is None else ((winogender.WOMEN, women),)
    return problem(id, answer, group, (name, "Kim"), meta)


@pytest.mark.parametrize(
    ("group", "women", "right", "expected"),
    [
        ("feminine", "10", 0, True),  # she is the engineer
        ("feminine", "10", 1, False),
        ("feminine", "90", 1, True),  # she is not the nurse
        ("feminine", "90", 0, False),
        ("masculine", "90", 0, True),  # he is the nurse
        ("masculine", "90", 1, False),
        ("masculine", "10", 1, True),  # he is not the engineer
        ("masculine", "10", 0, False),
        ("feminine", "50", 1, True),  # half counts as women's
        ("feminine", "49.99", 1, False),
        ("neutral", "10", 0, None),
        ("feminine", None, 0, None),
    ],
)
def test_gotchas(group: str, women: str | None, right: int, expected: bool | None) -> None:
    assert winogender.is_gotcha(job("x", "nurse", women, group, (right,))) is expected


def test_winogender_by_pronoun_and_by_cue() -> None:
    """A resolver that follows the majority gender: right only where it is the right cue."""
    items, made = [], []
    for name, women in (("engineer", "10"), ("nurse", "90")):
        for group in ("masculine", "feminine", "neutral"):
            for right in (0, 1):
                id = f"{name}-{group}-{right}"
                items.append(job(id, name, women, group, (right,)))
                follows = (group == "feminine") == (name == "nurse")
                made.append(Decision(id, (0 if follows else 1,)))
    found = winogender.score(match_decisions(items, made))
    values = {figure.name: (figure.value, figure.of) for figure in found}
    assert values == {
        "accuracy": (50, 12),
        "masculine": (50, 4),
        "feminine": (50, 4),
        "neutral": (50, 4),
        "gotcha": (0, 4),
        "not gotcha": (100, 4),
        "correlation": (1, 2),
    }


def winogender_example() -> MatchedDecisions:
    """Women 10, 50, 90 %; preference for the occupation -100, 0, 50 points."""
    items, made = [], []
    taken = {"a": ("10", [0, 0], [1, 1]), "b": ("50", [1, 0], [0, 1]), "c": ("90", [1, 1], [1, 0])}
    for name, (women, she, he) in taken.items():
        for group, each in (("feminine", she), ("masculine", he)):
            for at, occupation in enumerate(each):
                id = f"{name}-{group}-{at}"
                items.append(job(id, f"job-{name}", women, group))
                made.append(Decision(id, (0,) if occupation else (1,)))
    items += [job("neutral", "job-a", "10", "neutral"), job("no-share", "job-d", None, "feminine")]
    items += [job("one-side", "job-e", "70", "feminine")]
    return match_decisions(items, [*made, Decision("one-side", (0,))])


def test_the_correlation_of_winogender() -> None:
    matched = winogender_example()
    assert winogender.preferences(matched).tolist() == [[10, -100], [50, 0], [90, 50]]
    figure = named(winogender.score(matched, resamples=500))["correlation"]
    # x - 50: -40, 0, 40; y + 50/3: -250/3, 50/3, 200/3
    # Σxy = 40 · 250/3 + 40 · 200/3 = 6000; Σx² = 3200; Σy² = 105000/9
    assert figure.value == pytest.approx(6000 / (3200 * 105000 / 9) ** 0.5)
    assert figure.value == pytest.approx(0.98198, abs=1e-5)
    assert (figure.of, figure.unit) == (3, "correlation")
    assert figure.interval is not None
    assert -1 <= figure.interval.low < figure.interval.high <= 1


def test_both_is_not_the_occupation() -> None:
    items = [job("she", "nurse", "90", "feminine"), job("he", "nurse", "90", "masculine")]
    both = match_decisions(items, [Decision("she", (0,)), Decision("he", (0, 1))])
    assert winogender.preferences(both).tolist() == [[90, 100]]


def test_the_correlation_and_its_interval_agree_with_numpy() -> None:
    rng = random.Random(4)
    items = [
        job(f"{n}-{group}-{k}", f"job-{n}", str(3 * n + 1), group)
        for n in range(30)
        for group in ("feminine", "masculine")
        for k in range(4)
    ]
    made = [
        Decision(i.id, (int(rng.random() < float(i.meta_value(winogender.WOMEN) or 0) / 90),))
        if i.group == "masculine"
        else Decision(i.id, (rng.randrange(2),))
        for i in items
    ]
    matched = match_decisions(items, made)
    points = winogender.preferences(matched)
    figure = named(winogender.score(matched, resamples=20_000))["correlation"]
    assert figure.value == pytest.approx(np.corrcoef(points.T)[0, 1])
    drawn = []
    for _ in range(4000):
        again = points[[rng.randrange(len(points)) for _ in points]]
        drawn.append(np.corrcoef(again.T)[0, 1])
    assert figure.interval is not None
    low, high = np.percentile(drawn, [2.5, 97.5])
    assert figure.interval.low == pytest.approx(low, abs=0.02)
    assert figure.interval.high == pytest.approx(high, abs=0.02)


@pytest.mark.parametrize("chosen", [(0,), (1,), (), (0, 1)])
def test_no_correlation_of_a_resolver_that_ignores_the_pronoun(chosen: tuple[int, ...]) -> None:
    items = winogender_example().problems
    found = named(winogender.score(match_decisions(items, [Decision(i.id, chosen) for i in items])))
    assert found["correlation"] == Figure("correlation", None, None, 3, "correlation")
