"""The speed of training and of scoring, with random weights.

This module needs numpy and torch. It does not need coindex.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from research.pronoun_teacher.model import Teacher
from research.pronoun_teacher.scoring import score_readings
from research.pronoun_teacher.session import Session
from research.pronoun_teacher.training import (
    accumulate_gradients,
    epoch_steps,
    new_optimizer,
    step_batches,
)

_SIZES = (16_000, 32_000, 64_000)


def peak_memory(device: torch.device) -> float:
    """The most GPU memory that was allocated, in GiB; 0 on a CPU."""
    return round(torch.cuda.max_memory_allocated() / 2**30, 1) if device.type == "cuda" else 0.0


def measure_speed(session: Session) -> None:
    """Log the milliseconds of a step, and the subwords scored per second by batch size."""
    model = session.new_model(1)
    _measure_training(session, model)
    weights = {name: value.detach() for name, value in model.named_parameters()}
    scorer = session.scoring_model(weights)
    readings = session.dev.readings
    for most in _SIZES:
        took = 0.0
        for _ in range(2):  # the first time warms up
            began = time.monotonic()
            score_readings(scorer, readings, range(len(readings)), most)
            took = time.monotonic() - began
        rate = round(int(readings.lengths.sum()) / took)
        session.log(speed="score", most=most, seconds=round(took, 2), rate=rate)


def _measure_training(session: Session, model: Teacher) -> None:
    """Log the time of a step, by the second half of some steps."""
    model.train()
    cuda = session.device.type == "cuda"
    optimizer = new_optimizer(model, session.plan, fused=cuda)
    steps = epoch_steps(session.plan, session.train, 1)[: 60 if cuda else 3]
    marks = [time.monotonic()]
    for batches in step_batches(session, steps):
        accumulate_gradients(model, batches, session)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        marks.append(time.monotonic())
    took = np.diff(marks)
    half = len(took) // 2
    subwords = sum(
        int(session.train[which].readings.lengths[chosen].sum()) for which, chosen in steps[half:]
    )
    later = took[half:]
    session.log(
        speed="train", first=round(float(took[0]), 1), slowest=round(float(took.max()), 1),
        ms=round(1000 * float(later.mean())), rate=round(subwords / float(later.sum())),
        memory=peak_memory(session.device),
    )  # fmt: skip
