"""The losses of one example by their definitions: all pairs, one clue after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from coindex.models.coref import features
from coindex.models.coref.network import Head, SpanTensors
from coindex.models.coref.train.clues import Clue
from coindex.models.coref.train.examples import Example

Pair = tuple[int, int]


def plain_spans(logits: Tensor, inside: Tensor, example: Example) -> list[Pair]:
    """The likely spans, at most 0.4 per word, and all annotated ones."""
    rows = [
        (float(logits[start, length]), (start, start + length + 1))
        for start, length in inside.nonzero().tolist()
    ]
    threshold = 0.0 if example.clues else -1.5
    most = int(0.4 * len(example)) + 1
    likely = [span for score, span in sorted(rows, reverse=True)[:most] if score > threshold]
    known = [tuple(span) for span in example.spans.tolist()]
    for clue in example.clues:
        known += [clue.pronoun, *clue.right, *clue.wrong]
    return sorted({*likely, *known})


def plain_pairs(
    head: Head, x: Tensor, example: Example, spans: Sequence[Pair]
) -> tuple[Tensor, Tensor]:
    """(spans, spans): the scores of all antecedents, and which of them the fine scorer adds to."""
    made = example.featurizer.spans(*np.array(spans, dtype=np.int64).reshape(-1, 2).T)
    each = [torch.from_numpy(getattr(made, field.name)) for field in fields(SpanTensors)]
    m = head.vectors(x, SpanTensors(*each))
    index = features.pair_features(
        SpanTensors(*(c[:, None] for c in each)), SpanTensors(*(c[None] for c in each)),
        head.word_table, head.sentence_table,
    )  # fmt: skip
    names = list(features.PAIR_FEATURE_SIZES)
    coarse = head.coarse(m) @ m.T / math.sqrt(head.shape.span)
    mixed = head.later(m)[:, None] + head.both(m[:, None] * m[None]) + head.earlier(m)[None]
    for name, value in zip(names, index, strict=True):
        coarse = coarse + head.coarse_bias[name].weight[value][..., 0]  # type: ignore[index]
        mixed = mixed + head.relation[name].weight[value]  # type: ignore[index]
    parts = torch.from_numpy(example.parts)[each[0]]
    allowed = (parts[:, None] == parts[None]).tril(-1)
    coarse = coarse.masked_fill(~allowed, float("-inf"))
    chosen = coarse.argsort(descending=True, stable=True)[:, : head.shape.fine]
    best = torch.zeros_like(allowed).scatter(1, chosen, True) & allowed
    fine = coarse + head.fine(functional.gelu(mixed))[..., 0]
    return fine.masked_fill(~best, float("-inf")), best


@torch.no_grad()
def plain_losses(head: Head, example: Example, vectors: Tensor) -> dict[str, float]:
    """The sums of the losses of an example, without dropout."""
    scheme = torch.tensor(example.scheme)
    x = head.words(vectors, torch.from_numpy(example.words.shapes), scheme)
    logits, inside = head.mentions(x, torch.from_numpy(example.last))
    spans = plain_spans(logits, inside, example)
    scores, _ = plain_pairs(head, x, example, spans)
    if example.clues:
        return {"mention": _certain(logits, example), "clue": _chains(scores, spans, example)}
    gold = {tuple(s): int(e) for s, e in zip(example.spans.tolist(), example.entities, strict=True)}
    target = torch.zeros_like(logits)
    for start, end in gold:
        target[start, end - start - 1] = 1.0
    each = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    antecedent = 0.0
    for row, span in enumerate(spans):
        earlier = [at for at in range(row) if span in gold and gold.get(spans[at]) == gold[span]]
        right = [at for at in earlier if scores[row, at] > float("-inf")]
        if earlier and not right:
            continue
        good = torch.stack([scores[row, at] for at in right]) if right else torch.zeros(1)
        every = torch.cat([torch.zeros(1), scores[row]]).logsumexp(0)
        antecedent += float(every - good.logsumexp(0))
    return {"mention": float(each[inside].sum()), "antecedent": antecedent}


def _certain(logits: Tensor, example: Example) -> float:
    total = 0.0
    for clue in example.clues:
        for start, end in () if clue.link else (clue.pronoun, *clue.names):
            total += float(functional.softplus(-logits[start, end - start - 1]))
        for start, end in () if clue.link else clue.inner:
            total += float(functional.softplus(logits[start, end - start - 1]))
    return total


def _chains(scores: Tensor, spans: Sequence[Pair], example: Example) -> float:
    chances = torch.cat([torch.zeros(len(spans), 1), scores], -1).softmax(-1)[:, 1:].double()
    visits = torch.linalg.inv(torch.eye(len(spans)).double() - chances)
    index = {span: number for number, span in enumerate(spans)}

    def visited(clue: Clue, others: Sequence[Pair]) -> Tensor:
        own = index[clue.pronoun]
        at = [index[span] for span in others if index[span] != own]
        return sum((visits[max(own, n), min(own, n)] for n in at), torch.zeros(()).double())

    total = 0.0
    for clue in example.clues:
        if clue.right:
            total -= math.log(float(visited(clue, clue.right)) + 1e-6)
        if clue.wrong:
            chance = float(visited(clue, clue.wrong))
            total += -math.log(1 - min(chance, 0.99)) + 100 * max(chance - 0.99, 0.0)
    return total
