"""Figures as shares of sums: those of the benchmarks, of several seeds, of two systems."""

from __future__ import annotations

import random

import pytest
from research.results.additive_counts import AdditiveCounts, additive_counts, figures
from research.results.seeds import differences, summaries

from bench_samples import ITEMS, for_every_benchmark, problem
from coindex import benchmarks
from coindex.benchmarks.builtin.winogender import SAME_ALL, SAME_BOTH
from coindex.benchmarks.figures import consistency_figure
from coindex.errors import InvalidValue
from coindex.evaluate.results import switched_copies
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.problem import Problem

BENCHMARKS = tuple(name for name in benchmarks.names("problems") if name != "winogrande")


def chance(problems: tuple[Problem, ...], seed: int) -> MatchedDecisions:
    """Decisions of all kinds: one, the other, none, both, and nothing said."""
    rng = random.Random(seed)
    choices = [(0,), (0,), (0,), (1,), (1,), (), (0, 1), None]
    made = [(each.id, rng.choice(choices)) for each in problems]
    return match_decisions(
        problems, [Decision(id, chosen) for id, chosen in made if chosen is not None]
    )


def accuracies(*right: int) -> AdditiveCounts:
    """Right on the items with these numbers."""
    made = [
        Decision(each.id, (n % 2 if n in right else 1 - n % 2,)) for n, each in enumerate(ITEMS)
    ]
    return additive_counts("dpr", match_decisions(ITEMS, made))


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_benchmark(name: str, seed: int) -> None:
    matched = chance(for_every_benchmark(96), seed)
    rows = additive_counts(name, matched)
    found = figures(rows.names, rows.rows.sum(axis=0), rows.derived)
    wanted = {each.name: each.value for each in benchmarks.load(name).score(matched, 10, 1)}
    wanted.pop("correlation", None)
    assert set(wanted) == set(found) - {SAME_BOTH, SAME_ALL}
    for figure, value in wanted.items():
        nothing = float("nan") if value is None else value
        assert float(found[figure]) == pytest.approx(nothing, nan_ok=True), figure


def test_consistency_is_that_of_the_benchmark() -> None:
    before = chance(ITEMS, 3)
    after = chance(switched_copies(ITEMS).problems, 4)
    rows = additive_counts("knowref", before, after)
    found = figures(rows.names, rows.rows.sum(axis=0), rows.derived)["consistency"]
    wanted = consistency_figure(before, after)
    assert wanted.value
    assert float(found) == pytest.approx(wanted.value)


def test_what_goes_together_is_one_unit() -> None:
    pairs = additive_counts("winobias", chance(for_every_benchmark(96), 1))
    assert len(pairs.units) == 48
    genders = ("male", "female", "neutral")
    problems = tuple(problem(f"cook.guest.{n}.{g}.txt") for n in range(4) for g in genders)
    sentences = additive_counts("winogender", chance(problems, 1))
    assert sentences.units == tuple(f"cook.guest.{n}" for n in range(4))


def test_the_same_for_both_genders_and_for_all_pronouns() -> None:
    genders = {"male": "masculine", "female": "feminine", "neutral": "neutral"}
    problems = tuple(
        problem(f"cook.guest.{n}.{g}.txt", group=group)
        for n in range(4)
        for g, group in genders.items()
    )
    odd = {"cook.guest.1.neutral.txt": (1,), "cook.guest.3.male.txt": ()}
    made = [Decision(each.id, odd.get(each.id, (0,))) for each in problems]
    rows = additive_counts("winogender", match_decisions(problems, made))
    found = figures(rows.names, rows.rows.sum(axis=0), rows.derived)
    assert (float(found[SAME_BOTH]), float(found[SAME_ALL])) == (75.0, 50.0)


def test_mean_and_spread_over_seeds() -> None:
    runs = [accuracies(*range(5)), accuracies(*range(6)), accuracies(*range(7))]
    found = summaries(runs, 2000)["accuracy"]
    assert found.value == pytest.approx(60.0)
    assert found.spread == pytest.approx(10.0)
    assert found.seeds == 3
    assert found.interval is not None
    # five items always right, three never: half of ten, give or take 1.96 * 14.9
    assert found.interval.low == pytest.approx(60 - 30, abs=7)
    assert found.interval.high == pytest.approx(60 + 30, abs=7)


def test_one_seed_has_no_spread_and_the_interval_of_the_benchmark() -> None:
    matched = chance(for_every_benchmark(96), 7)
    found = summaries([additive_counts("gap", matched)], 4000)
    assert found["f1"].spread is None
    for figure in benchmarks.load("gap").score(matched, 4000, 1):
        bounds = found[figure.name].interval
        assert bounds is not None
        assert figure.interval is not None
        near = 0.05 if figure.name == "bias" else 1.0
        assert bounds.low == pytest.approx(figure.interval.low, abs=near)
        assert bounds.high == pytest.approx(figure.interval.high, abs=near)


def test_all_right_is_not_certain() -> None:
    found = summaries([accuracies(*range(10))], 100)["accuracy"]
    assert found.value == 100
    assert found.interval is not None
    assert found.interval.low == pytest.approx(72.25, abs=0.01)  # Wilson's, 10 of 10


def test_a_system_and_itself_do_not_differ() -> None:
    runs = [accuracies(1, 2), accuracies(3, 4, 5)]
    found = differences(runs, runs, 200)["accuracy"]
    assert found.value == 0
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0, 0)
    assert not found.above
    assert not found.below


def test_a_paired_difference_is_surer_than_two_intervals() -> None:
    """Two systems that are wrong together, but for items that one has right in addition."""
    one, two = [accuracies(*range(8))], [accuracies(*range(4))]
    found = differences(one, two, 2000)["accuracy"]
    assert found.value == pytest.approx(40)
    assert found.above
    assert differences(two, one, 2000)["accuracy"].below
    apart = summaries(one, 2000)["accuracy"].interval, summaries(two, 2000)["accuracy"].interval
    assert apart[0] is not None
    assert apart[1] is not None
    assert apart[0].low < apart[1].high  # the two intervals overlap, and yet they differ


def test_runs_on_other_items_are_not_put_together() -> None:
    one = accuracies(1)
    other = AdditiveCounts(one.names, one.units[::-1], one.rows, one.derived)
    with pytest.raises(InvalidValue, match="expected runs on the same items"):
        summaries([one, other], 100)
    with pytest.raises(InvalidValue, match="expected runs to summarise, found none"):
        summaries([], 100)


def test_zero_of_zero_has_no_value() -> None:
    matched = match_decisions(ITEMS, [Decision(each.id) for each in ITEMS])
    found = summaries([additive_counts("knowref", matched)], 100)
    assert found["task-specific accuracy"].value is None
    assert found["task-specific accuracy"].interval is None
    assert found["none"].value == 100
