"""Committees: the models that vote.

The paper's: the annotated documents are dealt into parts, one model is trained on
each. They are dealt in the order of annotation, so that a new document changes one
part and the other models stay as they are. With fewer documents than members there
are as many members as documents; fixed models, such as checkpoints of a network
(see `_networks`), vote instead of trained ones where they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from coindex.active import Question, Trained
from coindex.arrays import table
from coindex.core.document import Document
from coindex.errors import InvalidValue
from coindex.metrics import b3

Answers = list[list[Document]]
"""For each member, its answer on each document of the pool."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Any resolver that is not trained here, as a member; its signature names the model."""

    resolver: Any

    @property
    def digest(self) -> str:
        """Its signature, which names the model."""
        return str(self.resolver.signature)

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, in their order."""
        found: Iterator[Document] = self.resolver.resolve(documents)
        return found


def committee(question: Question) -> list[Trained]:
    """The models that vote."""
    if question.fixed:
        return list(question.fixed)
    if not question.annotated:
        raise InvalidValue("a committee needs annotated documents, found none")
    resolver = question.learner()
    count = min(question.members, len(question.annotated))
    parts = [question.annotated[at::count] for at in range(count)]
    return [resolver.train(part, question.seed) for part in parts]


def answers(members: Sequence[Trained], pool: Sequence[Document]) -> Answers:
    """What each member says of each document."""
    return [list(member.resolve(pool)) for member in members]


def disagreement(votes: Sequence[Document]) -> float:
    """1 less the mean B³ F1 of all pairs of answers; 0 for a single one.

    Answers that have no entity at all agree with each other, and with no other.
    """
    pairs = list(combinations(votes, 2))
    if not pairs:
        return 0.0
    return 1.0 - sum(_agreement(one, two) for one, two in pairs) / len(pairs)


def _agreement(one: Document, two: Document) -> float:
    if not one.entities and not two.entities:
        return 1.0
    sides = [[[mention.spans for mention in entity.mentions] for entity in document.entities]
             for document in (one, two)]  # fmt: skip
    return float(b3.score(b3.count(table(*sides)))[2])


def link_variance(votes: Sequence[Document]) -> float:
    """The mean variance of links: over pairs of mentions that some member puts together."""
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
    found = [np.zeros(0, np.int64)]
    for entity in document.entities:
        if entity.singleton:
            continue
        places = [mention.start * width + mention.end for mention in entity.mentions]
        one, two = np.triu_indices(len(places), 1)
        codes = np.array(places, np.int64)
        found.append(codes[one] * (width * width) + codes[two])
    return np.concatenate(found)
