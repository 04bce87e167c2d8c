"""One training step: batches of examples through the model, and their losses.

    mentions     binary cross-entropy over all spans within sentences
    antecedents  -log of the probability of all right antecedents together; a mention
                 that has none must choose none (Lee et al. 2017)
    clues        -log of the probability that the pronoun's chain reaches the right
                 name, and that it does not reach the wrong one: with P the matrix of
                 antecedent probabilities, (I - P)^-1 says which mentions a chain visits
    teacher      cross-entropy against another model's mentions and antecedents

All are sums over a batch, divided by the number of mentions they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from coindex.training.examples import Clue, Example, Ints
from coindex.training.merge import ranks_of, spans_of
from coindex.training.model import Head, Model, SpanTensors

KEEP = -1.5
"""Spans with a lower logit are not looked at as mentions in training, unless they are gold."""


@dataclass(slots=True)
class Losses:
    """Sums of losses, and what they are to be divided by."""

    mention: Tensor
    antecedent: Tensor
    clue: Tensor
    mentions: int = 0
    anaphors: int = 0
    clues: int = 0

    @classmethod
    def none(cls, device: torch.device) -> Losses:
        """Nothing yet."""
        mention, antecedent, clue = (torch.zeros((), device=device) for _ in range(3))
        return cls(mention, antecedent, clue)

    def add(self, other: Losses) -> None:
        """Sums and counts, one by one."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def total(self, clue_weight: float) -> Tensor:
        """What is minimised."""
        full = self.mention / max(self.mentions, 1) + self.antecedent / max(self.anaphors, 1)
        return full + clue_weight * self.clue / max(self.clues, 1)

    def means(self) -> dict[str, Tensor]:
        """Each loss for itself, for the log."""
        return {
            "mention": self.mention.detach() / max(self.mentions, 1),
            "antecedent": self.antecedent.detach() / max(self.anaphors, 1),
            "clue": self.clue.detach() / max(self.clues, 1),
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """What the model makes of one example: word vectors, mention logits, spans, pairs."""

    x: Tensor
    logits: Tensor
    inside: Tensor
    spans: SpanTensors
    scores: Tensor
    which: Tensor


def encode(model: Model, batch: Sequence[Example], device: torch.device) -> list[Tensor]:
    """The word vectors of each example; all windows go through the encoder together."""
    rows = [window for example in batch for window in example.windows]
    longest = max(len(row) for row in rows)
    pieces = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    places = []
    for number, row in enumerate(rows):
        pieces[number, : len(row)] = row.pieces
        mask[number, : len(row)] = 1
        places.append(row.places + number * longest)
    inputs = (_to(pieces, device), _to(mask, device), _to(np.concatenate(places), device))
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        found = model.encode(*inputs)
    return list(torch.split(found, [len(example) for example in batch]))


def look(head: Head, example: Example, vectors: Tensor, keep: Tensor | None = None) -> Seen:
    """Mentions and antecedents of one example.

    keep    which spans to look at, (spans, 2); the likely ones and the gold ones by default
    """
    device = vectors.device
    x = head.words(vectors, _to(example.words.shapes, device), _scheme(example, device))
    logits, inside = head.mentions(x, _to(example.last, device))
    chosen = keep if keep is not None else _chosen(logits, inside, example)
    spans = _spans(example, chosen.cpu().numpy(), device)
    m = head.vectors(x, spans)
    scores, which = head.pairs(m, spans, allowed(example, spans))
    return Seen(x, logits, inside, spans, scores, which)


def _scheme(example: Example, device: torch.device) -> Tensor:
    return torch.as_tensor(
        example.scheme if example.schemes is None else example.schemes, device=device
    )


def allowed(example: Example, spans: SpanTensors) -> Tensor:
    """Whether the column may be the antecedent of the row: earlier, and in the same passage."""
    count = len(spans)
    before = torch.ones(count, count, dtype=torch.bool, device=spans.starts.device).tril(-1)
    if not example.parts.any():
        return before
    parts = _to(example.parts, spans.starts.device)[spans.starts]
    return before & (parts[:, None] == parts[None, :])


def losses(head: Head, example: Example, vectors: Tensor) -> Losses:
    """The losses of one labelled example."""
    seen = look(head, example, vectors)
    found = Losses.none(vectors.device)
    if example.clues:
        found.mention, found.mentions = _known_mentions(seen, example)
        found.clue, found.clues = _clues(seen, example)
        return found
    gold = torch.zeros_like(seen.logits)
    spans = _to(example.spans, vectors.device)
    gold[spans[:, 0], spans[:, 1] - spans[:, 0] - 1] = 1.0
    each = functional.binary_cross_entropy_with_logits(seen.logits, gold, reduction="none")
    found.mention, found.mentions = (each * seen.inside).sum(), len(spans)
    found.antecedent, found.anaphors = _antecedents(seen, example), len(spans)
    return found


def _antecedents(seen: Seen, example: Example) -> Tensor:
    entity = _entities(seen.spans, example)
    pairs = entity[seen.which]
    valid = seen.scores > float("-inf")
    right = (pairs == entity[:, None]) & (entity[:, None] >= 0) & valid
    count = len(entity)
    earlier = torch.ones(count, count, dtype=torch.bool, device=entity.device).tril(-1)
    has = ((entity[:, None] == entity[None, :]) & earlier).any(-1) & (entity >= 0)
    null = torch.zeros_like(seen.scores[:, :1])
    every = torch.cat([null, seen.scores], -1).logsumexp(-1)
    found = right.any(-1)
    good = torch.cat([null.masked_fill(found[:, None], float("-inf")),
                      seen.scores.masked_fill(~right, float("-inf"))], -1)  # fmt: skip
    lost = every - good.logsumexp(-1)
    return torch.where(~has | found, lost, 0.0).sum()


def _entities(spans: SpanTensors, example: Example) -> Tensor:
    """The entity of each span; -1 for those that are no gold mentions."""
    device = spans.starts.device
    if not len(example.spans):
        return torch.full_like(spans.starts, -1)
    size = len(example) + 1
    keys = example.spans[:, 0] * size + example.spans[:, 1]
    order = np.argsort(keys, kind="stable")
    known, numbers = _to(keys[order], device), _to(example.entities[order], device)
    asked = spans.starts * size + spans.ends
    at = torch.searchsorted(known, asked).clamp(max=len(known) - 1)
    return torch.where(known[at] == asked, numbers[at], -1)


def _known_mentions(seen: Seen, example: Example) -> tuple[Tensor, int]:
    """Pronouns and right names are mentions in every scheme, parts of names in none."""
    known = [span for clue in example.clues for span in (clue.pronoun, *clue.names)]
    inner = [span for clue in example.clues for span in clue.inner]
    places = torch.tensor(known + inner, device=seen.logits.device)
    logits = seen.logits[places[:, 0], places[:, 1] - places[:, 0] - 1]
    signs = torch.ones_like(logits)
    signs[: len(known)] = -1
    return functional.softplus(signs * logits).sum(), len(known)


def reach(seen: Seen) -> Tensor:
    """(spans, spans): the probability that the row's chain of antecedents visits the column."""
    count = len(seen.spans)
    null = torch.zeros_like(seen.scores[:, :1])
    chances = torch.cat([null, seen.scores], -1).softmax(-1)[:, 1:]
    matrix = torch.zeros(count, count, device=seen.scores.device)
    matrix = matrix.scatter_add(1, seen.which, chances)
    eye = torch.eye(count, device=matrix.device)
    found: Tensor = torch.linalg.solve_triangular(
        eye - matrix, eye, upper=False, unitriangular=True
    )
    return found


def _clues(seen: Seen, example: Example) -> tuple[Tensor, int]:
    """The clues' loss; all of them at once, since there are many and each is tiny."""
    visits = reach(seen)
    pairs = zip(seen.spans.starts.tolist(), seen.spans.ends.tolist(), strict=True)
    index = {span: number for number, span in enumerate(pairs)}
    later: list[int] = []
    earlier: list[int] = []
    group: list[int] = []
    signs: list[bool] = []
    for clue in example.clues:
        pronoun = index[clue.pronoun]
        for spans, right in ((clue.right, True), (clue.wrong, False)):
            if not spans:
                continue
            for other in (index[span] for span in spans if span in index):
                if other != pronoun:
                    later.append(max(pronoun, other))
                    earlier.append(min(pronoun, other))
                    group.append(len(signs))
            signs.append(right)
    linked = visits.new_zeros(len(signs))
    if group:
        found = visits.flatten()[torch.tensor(later, device=visits.device) * len(visits)
                                 + torch.tensor(earlier, device=visits.device)]  # fmt: skip
        linked = linked.index_add(0, torch.tensor(group, device=visits.device), found)
    good = torch.tensor(signs, device=visits.device)
    return torch.where(good, -(linked + 1e-6).log(), _against(linked)).sum(), len(example.clues)


def _against(chance: Tensor) -> Tensor:
    """-log(1 - chance); a straight line from 0.99 on, since visits can add up to more than 1."""
    low = chance.clamp(max=0.99)
    return -(1 - low).log() + 100 * (chance - low)


def _chosen(logits: Tensor, inside: Tensor, example: Example) -> Tensor:
    """The spans to look at: likely ones, at most 0.4 a word, and all that something is known of."""
    flat = logits.detach().masked_fill(~inside, float("-inf")).flatten()
    best, which = flat.topk(min(int(0.4 * len(example)) + 1, len(flat)))
    which = which[best > (0.0 if example.clues else KEEP)]
    width = logits.shape[1]
    known = _known(example, width)
    flat_known = known[:, 0] * width + known[:, 1] - known[:, 0] - 1
    every = torch.unique(torch.cat([which, _to(flat_known, logits.device)]))
    starts = torch.div(every, width, rounding_mode="floor")
    return torch.stack([starts, starts + every % width + 1], -1)


def _known(example: Example, width: int) -> Ints:
    rows = [*map(tuple, example.spans.tolist())]
    for clue in example.clues:
        rows += [clue.pronoun, *clue.right, *clue.wrong]
    kept = [row for row in rows if row[1] - row[0] <= width]
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def _spans(example: Example, chosen: Ints, device: torch.device) -> SpanTensors:
    found = example.phrases.spans(chosen[:, 0], chosen[:, 1])
    names = [field.name for field in fields(SpanTensors)]
    return SpanTensors(*(_to(getattr(found, name), device) for name in names))


def _to(array: Ints, device: torch.device) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(device, non_blocking=True)


@dataclass(frozen=True, slots=True)
class Told:
    """A teacher's opinion: how likely each span is a mention, and its antecedents' scores.

    mentions    how many mentions it expects
    """

    chances: Tensor
    mentions: float
    spans: SpanTensors
    scores: Tensor
    which: Tensor

    @classmethod
    def of(cls, opinions: Sequence[Told]) -> Told:
        """The opinions about several examples as the one about them joined."""
        which, scores = ranks_of(
            [o.which for o in opinions], [o.scores for o in opinions],
            [len(o.spans) for o in opinions],
        )  # fmt: skip
        chances = torch.cat([o.chances for o in opinions])
        spans = spans_of([o.spans for o in opinions], [len(o.chances) for o in opinions])
        return cls(chances, sum(o.mentions for o in opinions), spans, scores, which)

    def apart(self, sizes: Sequence[int]) -> list[Told]:
        """The opposite: the opinion about each of the examples, which have `sizes` words."""
        words = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.searchsorted(self.spans.starts.cpu().numpy(), words).tolist()
        sums = torch.stack([part.sum() for part in torch.split(self.chances, list(sizes))]).tolist()
        found = []
        for number, (first, last) in enumerate(pairwise(rows)):
            at = int(words[number])
            spans = SpanTensors(*(
                getattr(self.spans, field.name)[first:last]
                - (at if field.name in ("starts", "ends") else 0)
                for field in fields(SpanTensors)
            ))  # fmt: skip
            which = (self.which[first:last] - first).clamp(0, max(last - first - 1, 0))
            chances = self.chances[at : at + sizes[number]]
            found.append(Told(chances, sums[number], spans, self.scores[first:last], which))
        return found


@torch.no_grad()
def opinion(teacher: Head, example: Example, theirs: Tensor) -> Told:
    """What a teacher makes of an example, whose scheme is by the teacher's numbers.

    theirs  the teacher's word vectors
    """
    seen = look(teacher, example, theirs)
    chances = seen.logits.sigmoid() * seen.inside
    return Told(chances, float(chances.sum()), seen.spans, seen.scores, seen.which)


def distilled(student: Head, example: Example, mine: Tensor, told: Told) -> Losses:
    """The losses of one example against a teacher's opinion."""
    x = student.words(mine, _to(example.words.shapes, mine.device), _scheme(example, mine.device))
    logits, inside = student.mentions(x, _to(example.last, mine.device))
    each = functional.binary_cross_entropy_with_logits(logits, told.chances, reduction="none")
    found = Losses.none(mine.device)
    found.mention = (each * inside).sum()
    found.mentions = round(told.mentions)
    m = student.vectors(x, told.spans)
    scores = student.pairs_at(m, told.spans, told.which, told.scores > float("-inf"))
    null = torch.zeros_like(scores[:, :1])
    truth = torch.cat([null, told.scores], -1).softmax(-1)
    log = torch.cat([null, scores], -1).log_softmax(-1).clamp(min=-50)
    found.antecedent = -(truth * log).sum()
    found.anaphors = len(told.spans)
    return found


__all__ = [
    "Clue", "Losses", "Seen", "Told", "allowed", "distilled", "encode", "look", "losses", "reach",
]  # fmt: skip
