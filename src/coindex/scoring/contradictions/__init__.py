"""Clusters that contradict themselves: he with she, I with you in one turn, two full names.

    for each in contradictions(document):
        print(each.kind, each.reason)

The checker judges the entities of any resolved document and knows nothing of how they were made.
Its word lists are its own, in `data/` beside it: no resolver reads them, so that a resolver cannot
agree with the checker by construction. It is meant to be silent where it is not sure; on gold
corpora it finds next to nothing (`docs/how-to/bench.md` has the figures). Speakers are those of the
document, or else the labels of its lines (`Ann: …`). Kinds:

    gender     masculine and feminine pronouns of the third person singular
    person     I and you in one turn; without speakers, in one sentence outside of quotations, or
               within one quotation
    speaker    the first persons of two speakers
    given-name two full names with one surname and different given names
    full-name  two full names of persons that share no word
    noun       a title, given name or noun of one gender with pronouns of the other
    number     he, she or it with they or we, unless a group or singular they explains it
    modifier   the red car and the blue car
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from coindex.scoring.contradictions.features import mention_features, voices_of
from coindex.scoring.contradictions.rules import KINDS, RULES
from coindex.types.document import Document
from coindex.types.mention import Mention

__all__ = ["KINDS", "Contradiction", "ContradictionCounts", "contradictions", "count"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One kind of contradiction in one entity.

    document  the key of the document
    entity    the index of the entity
    mentions  the mentions that contradict each other
    reason    what contradicts what, in words
    """

    kind: str
    document: str
    entity: int
    mentions: tuple[Mention, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ContradictionCounts:
    """How many clusters there are, how many contradict themselves, and how many of each kind."""

    documents: int
    clusters: int
    contradictory: int
    kinds: tuple[tuple[str, int], ...]

    @property
    def rate(self) -> float | None:
        """Contradictory clusters per 1,000; None of no clusters."""
        return 1000 * self.contradictory / self.clusters if self.clusters else None


def contradictions(document: Document) -> tuple[Contradiction, ...]:
    """The contradictions of a document's entities, at most one of each kind for an entity."""
    result = []
    voices = voices_of(document)
    for index, entity in enumerate(document.entities):
        if entity.singleton:
            continue
        features = mention_features(document, entity, voices)
        for kind, rule in RULES.items():
            clash = rule(document, features)
            if clash is not None:
                one, two = clash.one, clash.two
                reason = f"{one.text!r} and {two.text!r}: {clash.reason}"
                mentions = (one.mention, two.mention)
                result.append(Contradiction(kind, document.key, index, mentions, reason))
    return tuple(result)


def count(documents: Iterable[Document]) -> ContradictionCounts:
    """The clusters of documents that contradict themselves; a cluster has two mentions or more."""
    number = clusters = contradictory = 0
    kinds: Counter[str] = Counter()
    for document in documents:
        number += 1
        clusters += sum(not entity.singleton for entity in document.entities)
        found = contradictions(document)
        contradictory += len({each.entity for each in found})
        kinds.update(each.kind for each in found)
    return ContradictionCounts(
        number, clusters, contradictory, tuple((kind, kinds[kind]) for kind in KINDS)
    )
