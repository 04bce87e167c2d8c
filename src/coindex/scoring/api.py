"""`coindex.score`: documents, corpora, or plain lists of sets, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

from coindex import metrics as metric_plugins
from coindex.core.document import Document
from coindex.errors import UsageError
from coindex.scoring.align import align
from coindex.scoring.run import CONLL, Options, Result, score_pairs, score_sets

ALL = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")

Entities = Sequence[Collection[Hashable]]


def score(
    key: Document | Iterable[Document] | Entities,
    response: Document | Iterable[Document] | Entities,
    *,
    match: str = "exact",
    metrics: str | Sequence[str] = "conll",
    singletons: str = "keep",
    zeros: str = "keep",
    missing: str = "error",
) -> Result:
    """Score a response against a key.

    Both sides are one `Document`, several of them, or plain entities: a list of
    sets (or lists) of anything that can be compared.

    >>> score([{"Ann", "she"}, {"Bo"}], [{"Ann", "she", "Bo"}]).scores["conll"].f1
    55.55555555555556
    """
    options = Options(metric_names(metrics), match, singletons, zeros, missing)
    sides = [_side(side, name) for side, name in ((key, "key"), (response, "response"))]
    kinds = {isinstance(item, Document) for side in sides for item in side}
    if kinds == {True}:
        found = align(sides[0], sides[1], zeros=zeros, missing=missing)
        for note in found.notes:
            warnings.warn(note, stacklevel=2)
        return score_pairs(found, options)
    if True in kinds:
        raise UsageError("expected documents on both sides, or plain entities, found one of each")
    if match != "exact":
        raise UsageError(f"plain entities have no words, so they can match exactly only: {match}")
    return score_sets(_plain(sides[0]), _plain(sides[1]), options)


def _side(side: Any, name: str) -> list[Any]:
    if isinstance(side, Document):
        return [side]
    if isinstance(side, str | bytes | Mapping) or not isinstance(side, Iterable):
        found = type(side).__name__
        raise UsageError(f"{name}: expected documents or a list of entities, found a {found}")
    return list(side)


def _plain(side: list[Any]) -> list[list[Hashable]]:
    """Entities as lists of mentions; mentions that are lists, as in JSON, become tuples."""
    entities = []
    for entity in side:
        if isinstance(entity, bytes | Mapping) or not isinstance(entity, Iterable):
            found = type(entity).__name__
            raise UsageError(f"an entity is a list or a set of mentions, found a {found}")
        entities.append([tuple(m) if isinstance(m, list) else m for m in entity])
    return entities


def metric_names(wanted: str | Sequence[str]) -> tuple[str, ...]:
    """The names behind `conll`, `all`, `muc,b3` or a list; each once, in order."""
    sets = {"conll": CONLL, "all": ALL}
    names: list[str] = []
    for given in wanted.split(",") if isinstance(wanted, str) else wanted:
        name = given.strip().lower()
        names += sets.get(name, (metric_plugins.ALIASES.get(name, name),))
    for name in names:
        metric_plugins.load(name)
    if not names:
        raise UsageError("expected the name of a metric, found none")
    return tuple(dict.fromkeys(names))
