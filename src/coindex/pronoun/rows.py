"""Problems as rows of pieces, one a candidate, and batches of them; torch only for batches."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coindex.core.decision import answer_of
from coindex.core.problem import Problem
from coindex.pronoun.asked import Asked, given
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.slot import Filled, filled, possessive

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Item:
    """One problem: a row for each phrase, and which of them are right."""

    rows: tuple[Filled, ...]
    right: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return max(map(len, self.rows), default=0)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of several problems, padded.

    pieces  (rows, longest); seen: which of them are there
    own     which pieces are the candidate's
    owner   the problem of each row; right: whether its candidate is
    """

    pieces: Tensor
    seen: Tensor
    own: Tensor
    owner: Tensor
    right: Tensor


def item(asked: Asked, tokens: Tokens, window: int) -> Item:
    """A problem as rows; whether they are right is told if the answer is known."""
    owns = possessive(asked.problem)
    rows = tuple(
        filled(asked.problem, phrase.text, tokens, window, owns=owns) for phrase in asked.phrases
    )
    if asked.problem.answer is None:
        return Item(rows)
    answer = answer_of(asked.problem)
    right = (any(index in answer for index in phrase.stands) for phrase in asked.phrases)
    return Item(rows, tuple(right))


def items(problems: Iterable[Problem], tokens: Tokens, window: int) -> list[Item]:
    """Problems with their own candidates as items to learn from."""
    return [item(asked, tokens, window) for asked in given(problems)]


def batch(chosen: Sequence[Item], pad: int, device: torch.device) -> Batch:
    """Items as one batch."""
    import torch

    rows = [(number, row) for number, each in enumerate(chosen) for row in each.rows]
    longest = max((len(row) for _, row in rows), default=0)
    pieces = torch.full((len(rows), longest), pad)
    own = torch.zeros((len(rows), longest), dtype=torch.bool)
    for at, (_, row) in enumerate(rows):
        pieces[at, : len(row)] = torch.tensor(row.pieces)
        own[at, row.start : row.end] = True
    lengths = torch.tensor([len(row) for _, row in rows])
    seen = torch.arange(longest)[None] < lengths[:, None]
    owner = torch.tensor([number for number, _ in rows])
    right = torch.tensor([told for each in chosen for told in each.right], dtype=torch.bool)
    return Batch(*(part.to(device) for part in (pieces, seen, own, owner, right)))


def shuffled(lengths: Sequence[int], size: int, rng: random.Random) -> list[list[int]]:
    """Batches of indices: like lengths together, so that little is padded, in any order."""
    order = list(range(len(lengths)))
    rng.shuffle(order)
    pool, found = 32 * size, []
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool], key=lengths.__getitem__)
        found += [near[at : at + size] for at in range(0, len(near), size)]
    rng.shuffle(found)
    return found


def portion(count: int, parts: int, unit: int, seed: int) -> list[int]:
    """The examples of one part of a pass: `parts` units in a row take each example once."""
    order = list(range(count))
    random.Random(f"{seed}:{unit // parts}").shuffle(order)
    return sorted(order[unit % parts :: parts])
