"""Ranking a pool: the strategy scores, ties are drawn, the picks are numbered."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from coindex.active import Pick, Question, Ranking, Scored, Strategy, Trainable, Trained
from coindex.active._chance import draw
from coindex.core.document import Document
from coindex.errors import InvalidValue

Documents = tuple[Document, ...]


def ranked(
    name: str, strategy: Strategy, pool: Documents, annotated: Documents,
    resolver: Trainable | None, seed: int, members: int, fixed: tuple[Trained, ...],
) -> Ranking:  # fmt: skip
    """The ranking of a pool under a strategy."""
    keys = [document.key for document in pool]
    twice = {key for key, count in Counter(keys).items() if count > 1}
    if twice:
        raise InvalidValue(f"expected each document of the pool once, found {min(twice)!r} again")
    again = set(keys) & {document.key for document in annotated}
    if again:
        raise InvalidValue(f"expected a pool of other documents, found {min(again)!r} annotated")
    if members < 1:
        raise InvalidValue(f"members: expected 1 or more, found {members}")
    if not pool:
        return Ranking(name, seed, len(annotated), ())
    bare = tuple(replace(document, entities=()) for document in pool)
    found = strategy.score(Question(bare, annotated, resolver, seed, members, fixed))
    if fixed and found.models != tuple(member.digest for member in fixed):
        raise InvalidValue(f"expected a strategy in which given models vote, found {name}")
    return Ranking(name, seed, len(annotated), found.models, _picks(keys, found, seed))


def _picks(keys: list[str], found: Scored, seed: int) -> tuple[Pick, ...]:
    if len(found.values) != len(keys):
        raise InvalidValue(f"expected {len(keys)} scores, found {len(found.values)}")
    order = sorted(
        range(len(keys)), key=lambda at: (-found.values[at], draw(seed, keys[at]), keys[at])
    )
    return tuple(
        Pick(
            number,
            keys[at],
            found.values[at],
            tuple((name, values[at]) for name, values in found.beside),
        )
        for number, at in enumerate(order, 1)
    )
