"""Calibration: fitted on samples, it states how often predictions are right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from coindex.models.common.calibration import (
    UNCALIBRATED,
    Calibration,
    calibration_error,
    fit_calibration,
    logit,
    reliability,
)
from coindex.models.coref.calibrate import judged
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

Floats = NDArray[np.floating]


def sample(slope: float, offset: float, count: int = 20_000) -> tuple[Floats, Floats]:
    """Probabilities, and outcomes that come as often as another calibration says."""
    rng = np.random.default_rng(1)
    stated: Floats = rng.uniform(0.01, 0.99, count)
    true = Calibration(slope, offset).apply(stated)
    return stated, (rng.uniform(size=count) < true).astype(np.float64)


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (0.4, -0.3), (2.0, 0.5), (0.7, -1.5)])
def test_it_finds_slope_and_offset(slope: float, offset: float) -> None:
    stated, right = sample(slope, offset)
    found = fit_calibration(stated, right)
    assert found.slope == pytest.approx(slope, abs=0.06)
    assert found.offset == pytest.approx(offset, abs=0.06)
    assert calibration_error(found.apply(stated), right) < 0.015


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0.05, 3), st.floats(-3, 3))
def test_order_stays_and_values_are_probabilities(
    values: list[float], slope: float, offset: float
) -> None:
    calibrated = Calibration(slope, offset).apply(np.sort(np.array(values)))
    assert ((calibrated >= 0) & (calibrated <= 1)).all()
    assert (np.diff(calibrated) >= -1e-12).all()


def test_without_calibration_nothing_changes() -> None:
    values = np.array([0.0, 0.2, 1.0])
    assert UNCALIBRATED.apply(values) is values
    assert np.isfinite(logit(values)).all()


@pytest.mark.parametrize("right", [[], [1.0, 1.0], [0.0, 0.0]])
def test_what_says_nothing_is_not_fitted(right: list[float]) -> None:
    assert fit_calibration(np.full(len(right), 0.5), np.array(right)) == UNCALIBRATED


def test_error_and_bins_of_a_known_case() -> None:
    stated, right = np.array([0.95, 0.95, 0.15, 1.0]), np.array([1.0, 0.0, 0.0, 1.0])
    assert [row.count for row in reliability(stated, right)] == [1, 3]
    expected = (1 * abs(0.15 - 0.0) + 3 * abs(2.9 / 3 - 2 / 3)) / 4
    assert calibration_error(stated, right) == pytest.approx(expected)


def mention(start: int, end: int, **attrs: str) -> Mention:
    return Mention((Span(start, end),), attrs=tuple(attrs.items()))


def test_mentions_and_links_are_judged_by_gold() -> None:
    tokens = tuple(["Ann", "saw", "Bo", "and", "she", "waved", "at", "him"])
    plain = Document.of("d", [tokens])
    gold = replace(plain, entities=(
        Entity((mention(0, 1), mention(4, 5))), Entity((mention(2, 3), mention(7, 8))),
    ))  # fmt: skip
    answer = replace(plain, entities=(
        Entity((mention(0, 1, confidence="0.9"), mention(4, 5, confidence="0.8", link="0.7"),
                mention(5, 6, confidence="0.4", link="0.3"),
                mention(7, 8, confidence="0.6", link="0.5"))),
    ))  # fmt: skip
    ((mentions, links),) = judged(gold, answer)
    assert mentions == [(0.9, True), (0.8, True), (0.4, False), (0.6, True)]
    assert links == [(0.7, True), (0.5, False)]
