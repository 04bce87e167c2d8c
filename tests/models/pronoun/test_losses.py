"""The papers' losses against values worked out by hand."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
import torch

from coindex.models.pronoun.masked_lm import margin_loss
from coindex.models.pronoun.substitution import choice_loss


def tensors(scores: list[float], right: list[int], owner: list[int]) -> tuple[torch.Tensor, ...]:
    return (
        torch.tensor(scores, requires_grad=True), torch.tensor(right, dtype=torch.bool),
        torch.tensor(owner),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([-1.0, -3.0], 1.0),  # the margin is kept: -log P(a) alone
        ([-1.0, -1.1], 1.0 + 10 * 0.1),  # 0.1 apart, 0.2 wanted
        ([-2.0, -1.5], 2.0 + 10 * 0.7),  # the wrong one is ahead by 0.5
    ],
)
def test_margin_of_one_pair(scores: list[float], expected: float) -> None:
    s, right, owner = tensors(scores, [1, 0], [0, 0])
    assert margin_loss(s, right, owner, 10.0, 0.2).item() == pytest.approx(expected, rel=1e-6)


def test_margin_is_the_mean_over_problems_of_the_mean_over_pairs() -> None:
    s, right, owner = tensors([-1.0, -3.0, -1.0, -2.0, -1.0], [1, 0, 0, 1, 0], [0, 0, 1, 1, 1])
    # Problem 0: 1. Problem 1: a = -2, both wrong ones at -1: 2 + 5 * (1 + 0.1) = 7.5.
    assert margin_loss(s, right, owner, 5.0, 0.1).item() == pytest.approx((1 + 7.5) / 2, rel=1e-6)


def test_a_problem_without_a_pair_adds_nothing_but_can_be_differentiated() -> None:
    s, right, owner = tensors([-1.0, -3.0], [0, 0], [0, 0])
    loss = margin_loss(s, right, owner, 10.0, 0.2)
    loss.backward()
    assert loss.item() == 0.0
    assert s.grad is not None
    assert not s.grad.any()


def test_choice_is_cross_entropy() -> None:
    s, right, owner = tensors([2.0, 0.0], [1, 0], [0, 0])
    assert choice_loss(s, right, owner).item() == pytest.approx(
        math.log(1 + math.exp(-2)), rel=1e-6
    )
    s, right, owner = tensors([1.0, 1.0, 1.0, 5.0], [1, 1, 0, 1], [0, 0, 0, 1])
    # Two of three equal candidates are right: -log 2/3; a lone candidate: 0.
    assert choice_loss(s, right, owner).item() == pytest.approx(math.log(1.5) / 2, rel=1e-6)


def test_neither_competes_with_the_score_0() -> None:
    s, right, owner = tensors([0.0, 0.0, 1.0], [0, 0, 1], [0, 0, 1])
    # Problem 0: none is right, three choices with 0: log 3. Problem 1: log(1 + e^-1).
    expected = (math.log(3) + math.log(1 + math.exp(-1))) / 2
    assert choice_loss(s, right, owner, neither=True).item() == pytest.approx(expected, rel=1e-6)
    s, right, owner = tensors([0.0, 0.0], [0, 0], [0, 0])
    assert choice_loss(s, right, owner).item() == 0.0


def test_gradients_are_finite_for_far_scores() -> None:
    s, right, owner = tensors([200.0, -200.0, -300.0, 300.0], [1, 0, 1, 0], [0, 0, 1, 1])
    loss = choice_loss(s, right, owner, neither=True)
    loss.backward()
    assert loss.item() == pytest.approx(300.0)
    assert s.grad is not None
    assert torch.isfinite(s.grad).all()
