"""`coindex.score`: documents, corpora, or plain lists of sets, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Sequence
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
    options = Options(metric_names(metrics), match, singletons, zeros)
    sides = [_side(side) for side in (key, response)]
    plain = [side and not isinstance(side[0], Document) for side in sides]
    if any(plain):
        if match != "exact":
            raise UsageError(
                f"plain entities have no words, so they can match exactly only: {match}"
            )
        return score_sets(sides[0], sides[1], options)
    notes: list[str] = []
    pairs = list(align(sides[0], sides[1], zeros=zeros, missing=missing, notes=notes))
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return score_pairs(pairs, options)


def _side(side: Any) -> list[Any]:
    return [side] if isinstance(side, Document) else list(side)


def metric_names(wanted: str | Sequence[str]) -> tuple[str, ...]:
    """The names behind `conll`, `all`, `muc,b3` or a list; each once, in order."""
    if isinstance(wanted, str):
        wanted = {"conll": CONLL, "all": ALL}.get(wanted) or wanted.split(",")
    names = [
        metric_plugins.ALIASES.get(name.strip().lower(), name.strip().lower()) for name in wanted
    ]
    for name in names:
        metric_plugins.load(name)
    if not names:
        raise UsageError("expected the name of a metric, found none")
    return tuple(dict.fromkeys(names))
