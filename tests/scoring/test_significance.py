"""Intervals and tests: they hold what they promise, on data where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from coindex.errors import UsageError
from coindex.scoring import significance
from coindex.scoring.scorer import Result, ScoringOptions, score_contingencies, score_sets
from coindex.scoring.significance import (
    Comparison,
    bootstrap,
    bootstrap_weights,
    compare_all,
    intervals,
)


def system(name: str, hits: np.ndarray, total: int = 20) -> Result:
    """A response that finds `hits` of `total` mentions in each document, and nothing else."""
    rows = np.stack([hits, np.full(len(hits), total), hits, hits], axis=1).astype(float)
    options = ScoringOptions(("mentions",))
    return Result(name, options, tuple(map(str, range(len(hits)))), {"mentions": rows})


def compare(
    first: Result, second: Result, metric: str, resamples: int = 10_000, seed: int = 1
) -> Comparison:
    return compare_all([first, second], metric, resamples, seed)[0]


RNG = np.random.default_rng(3)


def test_weights_draw_each_resample_whole() -> None:
    weights, again, other = (bootstrap_weights(7, 500, np.random.default_rng(s)) for s in (1, 1, 9))
    assert weights.shape == (500, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert weights.mean() == pytest.approx(1)
    assert (again == weights).all(), "the seed is fixed"
    assert (other != weights).any()


def test_many_documents_are_resampled_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    result = system("s", RNG.integers(5, 16, 40))
    whole = bootstrap(result, ["mentions"], 300)["mentions"]
    monkeypatch.setattr(significance, "CELLS", 40 * 100)
    parts = bootstrap(result, ["mentions"], 300)["mentions"]
    assert parts == pytest.approx(whole), "the draws are the same, however they are portioned"
    other = system("o", RNG.integers(5, 16, 40))
    assert 0 < compare(result, other, "mentions", 300).randomization <= 1


@pytest.mark.parametrize(("documents", "resamples"), [(24, 10_000), (5000, 100), (3, 7)])
def test_a_batch_may_be_smaller_than_one_matrix_product(documents: int, resamples: int) -> None:
    result = system("s", RNG.integers(5, 16, documents))
    assert bootstrap(result, ["mentions"], resamples)["mentions"].shape == (resamples,)


def test_an_interval_holds_the_score_and_shrinks_with_more_documents() -> None:
    small = system("s", RNG.integers(5, 16, 20))
    large = system("l", np.tile(RNG.integers(5, 16, 20), 25))
    for result in (small, large):
        interval = intervals(result)["mentions"]
        assert interval.low < result.scores["mentions"].f1 < interval.high
    widths = [i.high - i.low for i in (intervals(r)["mentions"] for r in (small, large))]
    assert widths[0] > 3 * widths[1]
    assert intervals(score_sets([[1, 2]], [[1, 2]], ScoringOptions())) == {}, (
        "one document has none"
    )


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    covered = 0
    truth = 200 * 0.5 / 1.5  # half of all mentions found: R 1/2, P 1
    for seed in range(200):
        rng = np.random.default_rng(seed)
        result = system("s", rng.binomial(20, 0.5, 60))
        interval = intervals(result, 400, seed)["mentions"]
        covered += interval.low <= truth <= interval.high
    assert 178 <= covered <= 200


def test_a_system_does_not_differ_from_itself() -> None:
    result = system("s", RNG.integers(5, 16, 40))
    found = compare(result, result, "mentions", 500)
    assert found.difference == 0
    assert found.randomization == found.bootstrap == 1


def test_a_plain_difference_is_found_and_noise_is_not() -> None:
    hits = RNG.integers(5, 16, 60)
    better = compare(system("a", hits + 2), system("b", hits), "mentions", 2000)
    assert better.difference > 0
    assert better.randomization < 0.01
    assert better.bootstrap < 0.01
    assert better.interval.low > 0
    noise = compare(system("a", hits), system("b", RNG.permutation(hits)), "mentions", 2000)
    assert noise.randomization > 0.2
    assert noise.bootstrap > 0.2
    assert noise.interval.low < 0 < noise.interval.high


def test_swapping_the_systems_changes_the_sign_alone() -> None:
    a, b = (system(name, RNG.integers(5, 16, 30)) for name in "ab")
    one, other = compare(a, b, "mentions", 1000), compare(b, a, "mentions", 1000)
    assert one.difference == pytest.approx(-other.difference)
    assert one.bootstrap == pytest.approx(other.bootstrap)
    assert one.interval.low == pytest.approx(-other.interval.high)


def test_under_the_null_small_p_are_rare() -> None:
    below = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a, b = (system(name, rng.binomial(20, 0.5, 30)) for name in "ab")
        below += compare(a, b, "mentions", 300, seed).randomization < 0.05
    assert below <= 20


def test_only_the_same_documents_can_be_compared() -> None:
    with pytest.raises(UsageError, match="a and b were scored on different documents"):
        compare(system("a", np.ones(3)), system("b", np.ones(4)), "mentions")


def test_scores_of_nothing() -> None:
    result = score_contingencies([], [], ScoringOptions(("mentions",)), "none")
    assert result.counts["mentions"].shape[0] == 0
