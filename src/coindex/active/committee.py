"""Committees: the models that vote.

As in the paper, the annotated documents are split into parts, and one model is trained on
each. They are dealt out in the order of annotation, so that a new document changes one part
and the other models remain the same. With fewer documents than members there are as many
members as documents. Fixed models, such as checkpoints of a network (see
`neural_committee`), vote in place of trained ones if they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from coindex.active.strategies.protocol import Query, TrainedResolver
from coindex.errors import InvalidValue
from coindex.scoring.contingency import contingency_table
from coindex.scoring.metrics.builtin import b3
from coindex.types.document import Document


def committee(query: Query) -> list[TrainedResolver]:
    """The models that vote."""
    if query.fixed:
        return list(query.fixed)
    if not query.annotated:
        raise InvalidValue("a committee needs annotated documents, found none")
    resolver = query.learner()
    count = min(query.members, len(query.annotated))
    parts = [query.annotated[at::count] for at in range(count)]
    return [resolver.train(part, query.seed) for part in parts]


def votes(
    members: Sequence[TrainedResolver], pool: Sequence[Document]
) -> list[tuple[Document, ...]]:
    """For each document of the pool, the prediction of every member."""
    return list(zip(*(list(member.resolve(pool)) for member in members), strict=True))


def disagreement(votes: Sequence[Document]) -> float:
    """1 - the mean B³ F1 of all pairs of predictions; 0 for a single one.

    Predictions without entities agree with each other, and with no others.
    """
    sides = [[[m.spans for m in entity.mentions] for entity in vote.entities] for vote in votes]
    agreements = [
        float(b3.score(b3.count(contingency_table(one, two)))[2]) if one or two else 1.0
        for one, two in combinations(sides, 2)
    ]
    return 1.0 - sum(agreements) / len(agreements) if agreements else 0.0


def link_variance(votes: Sequence[Document]) -> float:
    """The mean variance of links, over pairs of mentions that some member links."""
    codes = [_links(document) for document in votes]
    every = np.concatenate([np.zeros(0, np.int64), *codes])
    if not len(every):
        return 0.0
    _, counts = np.unique(every, return_counts=True)
    share = counts / len(votes)
    return float((share * (1 - share)).mean())


def _links(document: Document) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Pairs of mentions in one entity, each as one number."""
    width = len(document) + 1
    links = [np.zeros(0, np.int64)]
    for entity in document.entities:
        if entity.singleton:
            continue
        offsets = [mention.start * width + mention.end for mention in entity.mentions]
        one, two = np.triu_indices(len(offsets), 1)
        codes = np.array(offsets, np.int64)
        links.append(codes[one] * (width * width) + codes[two])
    return np.concatenate(links)
