"""The learning-rate schedule: a linear warm-up to the peak, then a linear decay to 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn


def learning_rate_factor(progress: float, warmup: float) -> float:
    """The share of the peak learning rate at a point of a run.

    progress  how much of the run is done, from 0 to 1
    warmup    the share of the run in which the learning rate rises
    """
    return progress / warmup if progress < warmup else (1 - progress) / (1 - warmup)


def set_learning_rates(optimizer: torch.optim.Optimizer, progress: float, warmup: float) -> None:
    """Set the learning rate of each parameter group, relative to its `peak`."""
    factor = learning_rate_factor(progress, warmup)
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * max(factor, 0.0)


def parameter_groups(
    parameters: Iterable[nn.Parameter], learning_rate: float, decay: float
) -> list[dict[str, Any]]:
    """Two groups for AdamW: biases and norms without weight decay, then matrices with it."""
    every = list(parameters)
    return [
        {
            "params": [p for p in every if (p.ndim < 2) == vectors],
            "lr": learning_rate,
            "peak": learning_rate,
            "weight_decay": 0.0 if vectors else decay,
        }
        for vectors in (True, False)
    ]
