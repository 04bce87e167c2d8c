"""The two papers' losses, over the scores of the candidates of a batch of problems.

Scores lie flat, problem after problem; `owner` says whose each is. All losses are
means over problems, so a problem with many candidates counts as one.
"""

from __future__ import annotations

import torch
from torch import Tensor


def margin(scores: Tensor, right: Tensor, owner: Tensor, alpha: float, beta: float) -> Tensor:
    """WikiCREM's loss (Kocijan et al. 2019, formula 1), scores being log P(candidate | S).

        L = -log P(a|S) + alpha * max(0, log P(b|S) - log P(a|S) + beta)

    for a right candidate a and a wrong one b. With several of either, the mean over
    all pairs of one problem. A problem without a pair adds nothing.
    """
    pairs = (owner[:, None] == owner[None, :]) & right[:, None] & ~right[None, :]
    rows, columns = pairs.nonzero(as_tuple=True)
    if not len(rows):
        return scores.sum() * 0.0
    a, b = scores[rows], scores[columns]
    each = -a + alpha * torch.clamp(b - a + beta, min=0.0)
    return _mean(each, owner[rows])


def choice(scores: Tensor, right: Tensor, owner: Tensor, *, neither: bool = False) -> Tensor:
    """KnowRef's loss (Emami et al. 2019, formula 1): cross-entropy of a softmax.

        L = -log (sum over right a of exp s_a / sum over all c of exp s_c)

    neither  adds a choice with the score 0, right where no candidate is; without it a
             problem with no right candidate adds nothing
    """
    count = int(owner.max()) + 1
    nothing = scores.new_zeros(count)
    has = torch.zeros(count, dtype=torch.bool, device=scores.device)
    has[owner[right]] = True
    every = _logsumexp(scores, owner, count, nothing if neither else None)
    hits = _logsumexp(scores.masked_fill(~right, float("-inf")), owner, count, None)
    if neither:
        return torch.where(has, every - hits, every).mean()
    return (every - hits)[has].mean() if has.any() else scores.sum() * 0.0


def _logsumexp(scores: Tensor, owner: Tensor, count: int, more: Tensor | None) -> Tensor:
    """log of the summed exponentials of each problem, with one more score if told."""
    table = scores.new_full((count, len(scores)), float("-inf"))
    table[owner, torch.arange(len(scores), device=scores.device)] = scores
    if more is not None:
        table = torch.cat([table, more[:, None]], 1)
    highest = table.max(1, keepdim=True).values
    safe = torch.where(highest.isfinite(), highest, torch.zeros_like(highest)).detach()
    total = (table - safe).exp().sum(1)
    return torch.where(total > 0, total, torch.ones_like(total)).log() + safe[:, 0]


def _mean(values: Tensor, owner: Tensor) -> Tensor:
    """The mean over problems of the means within each."""
    count = int(owner.max()) + 1
    sums = values.new_zeros(count).index_add(0, owner, values)
    sizes = values.new_zeros(count).index_add(0, owner, torch.ones_like(values))
    return (sums / sizes.clamp(min=1)).sum() / (sizes > 0).sum()
