"""`coindex.score`: documents, corpora, or plain lists of sets, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from coindex.errors import UsageError
from coindex.scoring.alignment import align
from coindex.scoring.metrics import expand
from coindex.scoring.scorer import Result, ScoringOptions, score_pairs, score_sets
from coindex.types.document import Document

Entities = Iterable[Collection[object]]
"""Sets or lists of mentions: anything that can be compared, or, as in JSON, lists of such."""


def score(  # noqa: PLR0913
    key: Document | Iterable[Document] | Entities,
    response: Document | Iterable[Document] | Entities,
    *,
    match: str = "exact",
    metrics: str | Sequence[str] = "conll",
    singletons: str = "keep",
    zeros: str = "keep",
    missing: str = "error",
    zero_match: str = "linear",
    repeats: str = "largest",
    relation: str = "identity",
    split_antecedents: str = "drop",
    extra_documents: str = "error",
    name: str = "response",
) -> Result:
    """Score a response against a key.

    Both are one `Document`, several of them, or plain entities: a list of sets (or lists) of
    anything that can be compared. The options are those of `coindex score`; `name` is what tables
    call the response.

    >>> score([{"Ann", "she"}, {"Bo"}], [{"Ann", "she", "Bo"}]).scores["conll"].f1
    55.55555555555556
    """
    options = ScoringOptions(
        expand(metrics), match, singletons, zeros, missing, zero_match, repeats, relation,
        split_antecedents, extra_documents,
    )  # fmt: skip
    keys, responses = _items(key, "key"), _items(response, "response")
    documents = [
        [each for each in items if isinstance(each, Document)] for items in (keys, responses)
    ]
    number = len(documents[0]) + len(documents[1])
    if number and number == len(keys) + len(responses):
        aligned = align(*documents, missing=missing, extra=extra_documents)
        for note in aligned.notes:
            warnings.warn(note, stacklevel=2)
        return score_pairs(aligned, options, name)
    if number:
        raise UsageError("expected documents on both sides, or plain entities, found one of each")
    if match != "exact":
        raise UsageError(f"plain entities have no words, so they can match exactly only: {match}")
    return score_sets(_entities(keys), _entities(responses), options, name)


def _items(given: object, name: str) -> list[object]:
    if isinstance(given, Document):
        return [given]
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        actual = type(given).__name__
        raise UsageError(f"{name}: expected documents or a list of entities, found a {actual}")
    return list(given)


def _entities(items: Sequence[object]) -> list[list[Hashable]]:
    """Entities as lists of mentions; mentions that are lists, as in JSON, become tuples."""
    entities = []
    for entity in items:
        if isinstance(entity, bytes | Mapping) or not isinstance(entity, Iterable):
            actual = type(entity).__name__
            raise UsageError(f"an entity is a list or a set of mentions, found a {actual}")
        entities.append([tuple(m) if isinstance(m, list) else m for m in entity])
    return entities
