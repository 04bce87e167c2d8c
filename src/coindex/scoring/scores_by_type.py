"""Scores by type of mention: pronouns by group, names, nominals.

Mentions: recall and precision of mention detection over the mentions of a type. B³: as for the
metric, averaged over the mentions of the type only (recall over those of the key, precision
over those of the response). The three types are a partition: their counts add up to those of
the metrics over all mentions, and the groups of pronouns add up to the pronouns.

The type of a mention is determined by the words and tags of the key, for both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from operator import add

import numpy as np

from coindex.scoring.contingency import Floats
from coindex.scoring.matched_mentions import MatchedMentions, match_mentions
from coindex.scoring.scorer import Score, ScoringOptions, score_of
from coindex.text.mention_classes import KINDS, pronoun_group, pronoun_groups
from coindex.types.document import Document

METRICS = ("mentions", "b3")
_ZEROS = (0.0,) * 8

TypeCounts = dict[str, dict[str, Floats]]
"""The additive counts of each metric, by type."""


def count_by_type(
    pairs: Iterable[tuple[Document, Document]], options: ScoringOptions
) -> TypeCounts:
    """The counts of each type over pairs of documents."""
    totals = {name: np.zeros((len(METRICS), 4)) for name in type_names()}
    for key, response in pairs:
        pair = match_mentions(key, response, options)
        for name, counts in _count(pair).items():
            totals[name] += np.reshape(counts, (len(METRICS), 4))
    return {
        name: dict(zip(METRICS, rows, strict=True))
        for name, rows in totals.items()
        if name in KINDS or rows.any()
    }


def type_names() -> tuple[str, ...]:
    """All types; the groups of pronouns follow the pronouns."""
    groups = tuple(f"pronoun: {group}" for group in pronoun_groups())
    return KINDS[0], *groups, *KINDS[1:]


def type_scores(counts: TypeCounts) -> dict[str, dict[str, Score]]:
    """The scores of each metric for each type, in percent."""
    return {
        name: {metric: score_of(metric, totals) for metric in METRICS}
        for name, totals in counts.items()
    }


def _count(pair: MatchedMentions) -> dict[str, list[float]]:
    """The counts of one pair of documents by type: four numbers for each metric, in order."""
    overlaps = Counter((row, column) for _, row, column in pair.matched())
    totals: dict[str, list[float]] = {}
    for identity in {**pair.key.entity_of, **pair.response.entity_of}:
        row, column = pair.key.entity_of.get(identity), pair.response.entity_of.get(identity)
        key, response = float(row is not None), float(column is not None)
        hit = recall = precision = 0.0
        if row is not None and column is not None:
            hit, shared = 1.0, overlaps[row, column]
            recall, precision = shared / pair.key.sizes[row], shared / pair.response.sizes[column]
        counts = (hit, key, hit, response, recall, key, precision, response)
        for name in _types(pair, identity):
            totals[name] = list(map(add, totals.get(name, _ZEROS), counts))
    return totals


def _types(pair: MatchedMentions, identity: Hashable) -> tuple[str, ...]:
    """The kind of a mention, and its group if it is a pronoun."""
    mention = pair.mention(identity)
    kind, group = pair.kind(identity), pronoun_group(pair.document, mention)
    return (kind,) if group is None else (kind, f"{kind}: {group}")
