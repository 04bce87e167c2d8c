"""Training of the teacher: batches, loss, one pass through the data, averaged weights.

This module needs numpy and torch. It does not need coindex.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from research.pronoun_teacher.batching import prefetch, split_by_size
from research.pronoun_teacher.model import Teacher
from research.pronoun_teacher.packed_readings import Batch
from research.pronoun_teacher.scoring import evaluate_dev
from research.pronoun_teacher.session import ReadingSet, Session, TrainingPlan

Step = tuple[int, list[int]]
"""The number of a training set, and the readings of one step."""
_POOL = 32  # steps whose readings are sorted by length together
_LOG_EVERY = 50
_ABSENT = -1e4  # the score of a candidate that is not there


def epoch_readings(plan: TrainingPlan, sets: Sequence[ReadingSet]) -> list[tuple[int, int]]:
    """The readings of one pass: the number of the set, and of the reading in it."""
    chosen = []
    for number, each in enumerate(sets):
        for at in range(len(each.readings)):
            if each.readings.switched[at] and not plan.switched:
                continue
            corpus = each.ids[each.readings.item[at]][0]
            chosen += [(number, at)] * plan.repeat.get(corpus, 1)
    return chosen[: plan.limit] if plan.limit else chosen


def epoch_steps(plan: TrainingPlan, sets: Sequence[ReadingSet], seed: int) -> list[Step]:
    """The steps of one pass in random order: readings of one set and of similar lengths."""
    rng = random.Random(seed)
    steps: list[Step] = []
    chosen = epoch_readings(plan, sets)
    for number, each in enumerate(sets):
        order = [at for which, at in chosen if which == number]
        rng.shuffle(order)
        pool, size = _POOL * plan.batch_size, plan.batch_size
        for first in range(0, len(order), pool):
            near = sorted(order[first : first + pool], key=each.readings.lengths.__getitem__)
            steps += [(number, near[at : at + size]) for at in range(0, len(near), size)]
    rng.shuffle(steps)
    return steps


def smoothed_loss(scores: Tensor, batch: Batch, smoothing: float) -> Tensor:
    """The smoothed negative log-likelihood of the right candidates, summed over readings."""
    many, rows = len(batch.subwords), len(scores)
    most = int(torch.bincount(batch.owner).max())
    first = torch.searchsorted(batch.owner, torch.arange(many, device=scores.device))
    column = torch.arange(rows, device=scores.device) - first[batch.owner]
    table = scores.new_full((many, most), _ABSENT)
    table[batch.owner, column] = scores
    right = torch.zeros_like(table, dtype=torch.bool)
    right[batch.owner, column] = batch.right
    present = table > _ABSENT
    logs = table.log_softmax(-1)
    answers = torch.logsumexp(logs.masked_fill(~right, _ABSENT), -1)
    uniform = (logs * present).sum(-1) / present.sum(-1)
    return -((1 - smoothing) * answers + smoothing * uniform).sum()


def step_batches(session: Session, steps: Iterable[Step]) -> Iterator[list[Batch]]:
    """The batches of every step, made while the step before is computed."""

    def make(step: Step) -> list[Batch]:
        readings = session.train[step[0]].readings
        groups = split_by_size(readings, step[1], session.plan.train_subwords)
        return [readings.batch(group) for group in groups]

    return prefetch(make, steps)


def accumulate_gradients(model: Teacher, batches: Iterable[Batch], session: Session) -> float:
    """Add the gradients of a step; returns the sum of its losses."""
    total, plan = 0.0, session.plan
    for batch in batches:
        moved = batch.to(session.device)
        with torch.autocast(session.device.type, torch.bfloat16):
            loss = smoothed_loss(model(moved), moved, plan.smoothing)
        torch.autograd.backward(loss / plan.batch_size)
        total += float(loss.detach())
    return total


@dataclass(slots=True)
class WeightAverage:
    """A running mean of the weights of several steps; empty before the first."""

    weights: dict[str, Tensor] = field(default_factory=dict)
    count: int = 0

    @torch.no_grad()
    def add(self, model: Teacher) -> None:
        """Include the model's present weights."""
        self.count += 1
        for name, value in model.named_parameters():
            if self.count == 1:
                self.weights[name] = value.detach().clone()
            else:
                self.weights[name].lerp_(value.detach(), 1 / self.count)


def new_optimizer(model: Teacher, plan: TrainingPlan, *, fused: bool) -> torch.optim.AdamW:
    """AdamW with a learning rate for the score layer and another for all others."""
    head = list(model.score.parameters())
    body = [value for name, value in model.named_parameters() if not name.startswith("score")]
    groups = [
        {"params": body, "lr": plan.learning_rate},
        {"params": head, "lr": plan.head_learning_rate},
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.999), weight_decay=plan.decay, fused=fused)


def learning_rate_factor(step: int, steps: int, warmup: float) -> float:
    """The learning rate at a step as a share of its peak: linear warm-up, linear decay to 0."""
    rising = max(1, int(warmup * steps))
    return min((step + 1) / rising, (steps - step) / max(1, steps - rising))


def train(session: Session, seed: int) -> tuple[Teacher, WeightAverage]:
    """One pass; returns the model, and the average of its last weights.

    A step whose gradient is not finite is skipped and counted.
    """
    plan, model = session.plan, session.new_model(seed)
    model.train()
    steps = epoch_steps(plan, session.train, seed)
    optimizer = new_optimizer(model, plan, fused=session.device.type == "cuda")
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: learning_rate_factor(at, len(steps), plan.warmup)
    )
    average, losses, skipped = WeightAverage(), 0.0, 0
    checks = {round(len(steps) * n / plan.checks) for n in range(1, plan.checks)}
    for number, batches in enumerate(step_batches(session, steps), 1):
        losses += accumulate_gradients(model, batches, session)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), plan.max_norm)
        if torch.isfinite(norm):
            optimizer.step()
        else:
            skipped += 1
        optimizer.zero_grad(set_to_none=True)
        schedule.step()
        if number > (1 - plan.average) * len(steps) and number % plan.average_every == 0:
            average.add(model)
        if number % _LOG_EVERY == 0 or number == len(steps):
            mean = losses / (number % _LOG_EVERY or _LOG_EVERY) / plan.batch_size
            session.log(seed=seed, step=number, of=len(steps), loss=round(mean, 4),
                        norm=round(float(norm), 2), skipped=skipped)  # fmt: skip
            losses = 0.0
        if number in checks:
            evaluate_dev(session, model, f"seed-{seed}-step-{number}")
            model.train()
    return model, average
