"""Clusters of token spans in JSON: choosing their field, and reading them.

Systems write the same lists with different ends: `[first, last]` (inclusive) or `[start, end]`
(half-open). A reader knows the convention of its tool and passes it; it is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from coindex.formats.json_fields import Fields
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

PREDICTED = ("predicted_clusters", "pred_clusters")
"""Fields with the predictions of a system, which may stand beside gold `clusters`."""

Locate = Callable[[int, int], tuple[int, int]]
"""The first and last token of a pair of numbers in the file."""


def choose_field(fields: Fields, gold: str, predicted: Sequence[str] = PREDICTED) -> str:
    """The name of the field to read: the one that was asked for, the predictions, or the gold one.

    Predictions are read in a response, and where there are no gold clusters. A file that holds
    both is noted once, for `score` and `check`.
    """
    source = fields.source
    if source.clusters is not None:
        source.chosen = True
        if not fields.has(source.clusters):
            known = ", ".join(name for name in fields.names() if "cluster" in name) or "none"
            message = f"expected the field {source.clusters!r}, found clusters in: {known}"
            raise source.error(fields.line, message)
        return source.clusters
    found = next((name for name in predicted if fields.has(name)), None)
    if found and fields.has(gold) and (source.response or source.collect):
        message = f"{found} beside {gold}: the predictions count in a response, not in a key"
        source.note_once(fields.line, "predictions", message)
    chosen = found if found and (source.response or not fields.has(gold)) else gold
    if source.response:
        _check_same_field(fields, chosen)
    return chosen


def _check_same_field(fields: Fields, chosen: str) -> None:
    """An error if a response has predictions in some documents and only gold clusters in others."""
    source = fields.source
    source.field = source.field or chosen
    if chosen != source.field:
        message = f"expected clusters in {source.field!r}, as before, found them in {chosen!r}"
        raise source.error(fields.line, f"{message}: choose with --clusters")


def read_clusters(fields: Fields, name: str, count: int, *, inclusive: bool) -> list[Entity]:
    """The entities of a field of clusters, each a list of pairs of token numbers."""
    return token_clusters(fields, name, fields.take(name) or [], count, inclusive=inclusive)


def token_clusters(
    fields: Fields, name: str, value: Any, count: int, *, inclusive: bool
) -> list[Entity]:
    """The entities of clusters that were taken from a field: lists of pairs of token numbers."""

    def locate(start: int, end: int) -> tuple[int, int]:
        last = end if inclusive else end - 1
        if not 0 <= start <= last < count:
            shape = "[first, last]" if inclusive else "[start, end]"
            expected = f"{shape} within {count} tokens"
            raise fields.wrong(name, expected, [start, end])
        return start, last

    return locate_clusters(fields, name, value, locate)


def locate_clusters(fields: Fields, name: str, value: Any, locate: Locate) -> list[Entity]:
    """The entities of clusters whose pairs `locate` turns into a first and a last token."""
    entities = [_entity(fields, name, each, locate) for each in fields.as_list(name, value)]
    return [entity for entity in entities if entity]


def _entity(fields: Fields, name: str, cluster: Any, locate: Locate) -> Entity | None:
    mentions: dict[tuple[int, int], Mention] = {}
    for value in fields.as_list(name, cluster):
        pair = fields.as_ints(name, value)
        if len(pair) != 2:
            raise fields.wrong(name, "a pair of token numbers", value)
        span = locate(pair[0], pair[1])
        if span in mentions:
            message = f"a cluster holds the mention {list(pair)} twice; kept once"
            fields.source.note(fields.line, "repeated", message)
        mentions[span] = Mention.at(span[0], span[1] + 1)
    return entity_of(fields, list(mentions.values()))


def entity_of(fields: Fields, mentions: list[Mention], id: str | None = None) -> Entity | None:
    """An entity, or None with a note if there are no mentions."""
    if not mentions:
        message = "expected mentions in a cluster, found none; left out"
        fields.source.note(fields.line, "empty", message)
        return None
    return Entity(tuple(mentions), id)


def cluster_pairs(document: Document, *, inclusive: bool) -> list[list[list[int]]]:
    """The entities of a document as lists of pairs of token numbers."""
    return [
        [[mention.start, mention.end - inclusive] for mention in entity.mentions]
        for entity in document.entities
    ]
