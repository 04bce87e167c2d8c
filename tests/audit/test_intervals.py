"""Shares, differences, what can be detected, and verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coindex.audit.intervals import Draws, Estimate, combined, detectable, difference, share
from coindex.audit.measurements.protocol import FAIL, PASS, UNCLEAR, AuditFigure, points_text
from coindex.benchmarks.accuracy import wilson
from coindex.scoring.significance import Interval

DRAWS = Draws(2000, 1)


def test_a_share() -> None:
    found = share([(1, 2)] * 30 + [(2, 2)] * 30, DRAWS)
    assert found.value == 75
    assert found.of == 120
    assert found.interval is not None
    assert found.interval.low < 75 < found.interval.high
    assert share([], DRAWS) == Estimate(None, None, 0)
    assert share([(0, 0)], DRAWS).value is None


def test_texts_that_all_agree_have_an_interval_too() -> None:
    assert share([(3, 3)] * 20, DRAWS).interval == wilson(20, 20)
    assert share([(0, 3)] * 20, DRAWS).interval == wilson(0, 20)
    even = difference([(3, 3, 3, 3)] * 60, DRAWS)
    assert even.value == 0
    assert even.interval is not None
    assert even.interval.high == pytest.approx(100 * (1 - 0.05 ** (1 / 60)))
    assert even.interval.high == pytest.approx(300 / 60, rel=0.05), "the rule of three"


def test_pairs_go_together() -> None:
    paired = difference([(1, 1, 1, 1), (0, 1, 0, 1)] * 50, DRAWS)
    assert paired.value == 0
    alone = difference([(1, 1, 0, 0), (0, 1, 0, 0), (0, 0, 1, 1), (0, 0, 0, 1)] * 50, DRAWS)
    assert paired.interval is not None
    assert alone.interval is not None
    assert paired.interval.high < 5 < alone.interval.high


def test_a_combination_of_shares() -> None:
    rows = [(1.0, 1.0, 0.0, 1.0, 1.0, 2.0)] * 10
    found = combined(rows, lambda shares: np.asarray(shares[:2].mean(axis=0) - shares[2]), DRAWS)
    assert found.value == 0
    assert combined([], lambda shares: shares[0], DRAWS).value is None


def test_what_can_be_detected() -> None:
    # a share of a half of n: standard error 50 / sqrt(n), detected from 2.80 of them
    found = share([(1, 1), (0, 1)] * 200, Draws(20_000, 1))
    assert detectable(found.interval) == pytest.approx(2.80 * 50 / math.sqrt(400), rel=0.03)
    assert detectable(None) is None


@pytest.mark.parametrize(
    ("value", "low", "high", "worse", "verdict"),
    [
        (2, -1, 5, "both", PASS),
        (2, -1, 12, "both", UNCLEAR),
        (8, -1, 17, "both", UNCLEAR),
        (8, 4, 12, "both", UNCLEAR),
        (8, 6, 10, "both", FAIL),
        (-8, -10, -6, "both", FAIL),
        (-8, -10, -6, "higher", PASS),
        (-8, -10, -6, "lower", FAIL),
        (8, -20, 36, "both", UNCLEAR),
    ],
)
def test_verdicts(value: float, low: float, high: float, worse: str, verdict: str) -> None:
    figure = AuditFigure("x", value, Interval(low, high), 9, "points", "", 5.0, 0.0, worse)
    assert figure.verdict == verdict


def test_a_figure_without_a_limit_is_not_judged() -> None:
    assert AuditFigure("x", 5, Interval(4, 6), 9, "points", "").verdict == ""
    assert AuditFigure("x", None, None, 0, "points", "", 5.0).verdict == UNCLEAR
    assert AuditFigure("x", None, None, 0, "points", "", 5.0, settled=PASS).verdict == PASS


def test_points_in_words() -> None:
    assert points_text(3.21, "more", "fewer") == "3.2 points more"
    assert points_text(-0.4, "more", "fewer") == "0.4 points fewer"
    assert points_text(None, "more", "fewer") == "0.0 points more"
