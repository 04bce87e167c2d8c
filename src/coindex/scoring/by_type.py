"""Scores by type of mention: pronouns by group, names, nominals.

Mentions: of the key mentions of a type, how many were found; of the response
mentions of that type, how many are right. B³: each mention's share of its entity
that came with it, averaged over the mentions of the type only (recall over those
of the key, precision over those of the response). The three types are a
partition: their counts add up to those of the metrics over all mentions, and
the groups of pronouns add up to the pronouns.

The type of a mention is judged on the words and tags of the key, for both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from operator import add

import numpy as np

from coindex.arrays import Floats
from coindex.core.document import Document
from coindex.core.kinds import KINDS, pronoun_group, pronoun_groups
from coindex.scoring._sides import Sides, sides
from coindex.scoring.grid import Cell, Grid
from coindex.scoring.run import Options, Score, score_of

METRICS = ("mentions", "b3")
ALL = "all"
_NOTHING = (0.0,) * 8

TypeCounts = dict[str, dict[str, Floats]]
"""For each type, the counts of each metric: they add up over documents."""


def count_by_type(pairs: Iterable[tuple[Document, Document]], options: Options) -> TypeCounts:
    """The counts of each type over documents that stand side by side."""
    totals = {name: np.zeros((len(METRICS), 4)) for name in type_names()}
    for key, response in pairs:
        for name, counts in _count(sides(key, response, options)).items():
            totals[name] += np.reshape(counts, (len(METRICS), 4))
    return {
        name: dict(zip(METRICS, rows, strict=True))
        for name, rows in totals.items()
        if name in KINDS or rows.any()
    }


def type_names() -> tuple[str, ...]:
    """The types there are, each group of pronouns after the pronouns."""
    groups = tuple(f"pronoun: {group}" for group in pronoun_groups())
    return KINDS[0], *groups, *KINDS[1:]


def type_scores(counts: TypeCounts) -> dict[str, dict[str, Score]]:
    """The scores of each metric for each type, in percent."""
    return {
        name: {metric: score_of(metric, totals) for metric in METRICS}
        for name, totals in counts.items()
    }


def type_grid(counts: TypeCounts, title: str) -> Grid:
    """A row for each type, and one for all mentions."""
    every = {metric: np.sum([counts[kind][metric] for kind in KINDS], axis=0) for metric in METRICS}
    shown: TypeCounts = {**counts, ALL: every}
    rows: list[tuple[Cell, ...]] = []
    for name, scores in type_scores(shown).items():
        of_key, of_response = (int(shown[name]["mentions"][place]) for place in (1, 3))
        each = (scores[metric] for metric in METRICS)
        numbers = (value for s in each for value in (s.recall, s.precision, s.f1))
        rows.append((name, of_key, of_response, *numbers))
    columns = ("type", "key", "response")
    parts = tuple(f"{metric} {part}" for metric in ("mention", "B³") for part in ("R", "P", "F1"))
    notes = ("Types are judged on the key's words and tags; the groups add up to the pronouns.",)
    return Grid(title, columns + parts, tuple(rows), notes)


def _count(pair: Sides) -> dict[str, list[float]]:
    """The counts of one pair: the four numbers of each metric, one metric after the other."""
    overlaps = Counter((row, column) for _, row, column in pair.matched())
    found: dict[str, list[float]] = {}
    for identity in {**pair.key.owner, **pair.response.owner}:
        row, column = pair.key.owner.get(identity), pair.response.owner.get(identity)
        key, response = float(row is not None), float(column is not None)
        hit = recall = precision = 0.0
        if row is not None and column is not None:
            hit, shared = 1.0, overlaps[row, column]
            recall, precision = shared / pair.key.sizes[row], shared / pair.response.sizes[column]
        counts = (hit, key, hit, response, recall, key, precision, response)
        for name in _types(pair, identity):
            found[name] = list(map(add, found.get(name, _NOTHING), counts))
    return found


def _types(pair: Sides, identity: Hashable) -> tuple[str, ...]:
    """The kind of a mention, and its group if it is a pronoun."""
    mention = pair.mention(identity)
    kind, group = pair.kind(identity), pronoun_group(pair.document, mention)
    return (kind,) if group is None else (kind, f"{kind}: {group}")
