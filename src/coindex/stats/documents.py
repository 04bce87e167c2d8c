"""Counts of documents, as in the Quiz Bowl paper's Table 2 and Figure 2.

`count` gives the additive counts of one document; sums of them describe a
corpus. A mention is nested if it lies within another of another span; a
singleton is the only mention of its entity, the others are anaphora.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from coindex.core.document import Document
from coindex.core.edit import count_plural
from coindex.core.span import Span
from coindex.core.words import labels


@dataclass(frozen=True, slots=True)
class Counts:
    """What can be counted in documents; counts of two corpora add up."""

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    mentions: int = 0
    entities: int = 0
    singletons: int = 0
    nested: int = 0
    discontinuous: int = 0
    zeros: int = 0
    plural: int = 0
    mention_lengths: Counter[int] = field(default_factory=Counter)
    entity_sizes: Counter[int] = field(default_factory=Counter)
    pronouns: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counts)))

    @property
    def anaphora(self) -> int:
        """The mentions that are not the only one of their entity."""
        return self.mentions - self.singletons


def count(document: Document) -> Counts:
    """The counts of one document."""
    mentions = document.mentions
    return Counts(
        documents=1,
        sentences=len(document.sentences),
        tokens=len(document.tokens) - len(document.zeros),
        mentions=len(mentions),
        entities=len(document.entities),
        singletons=sum(entity.singleton for entity in document.entities),
        nested=_nested({mention.cover: 0 for mention in mentions}, document),
        discontinuous=sum(mention.discontinuous for mention in mentions),
        zeros=len(document.zeros),
        plural=count_plural(document),
        mention_lengths=Counter(len(mention.tokens) for mention in mentions),
        entity_sizes=Counter(map(len, document.entities)),
        pronouns=_pronouns(document),
    )


def _nested(spans: Iterable[Span], document: Document) -> int:
    """How many mentions lie within another: one sweep, the furthest end so far decides."""
    inside: set[Span] = set()
    reach = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.end <= reach:
            inside.add(span)
        reach = max(reach, span.end)
    return sum(mention.cover in inside for mention in document.mentions)


def _pronouns(document: Document) -> Counter[str]:
    """Mentions of one token that is a pronoun, by group."""
    groups = labels("pronouns")
    words = (
        document.tokens[mention.start].lower()
        for mention in document.mentions
        if mention.end - mention.start == 1
    )
    return Counter(groups[word] for word in words if word in groups)


def describe(counts: Counts) -> dict[str, object]:
    """The counts and what follows from them, by name, for a table or JSON."""
    per = _ratio
    return {
        "documents": counts.documents,
        "sentences": counts.sentences,
        "tokens": counts.tokens,
        "mentions": counts.mentions,
        "entities": counts.entities,
        "singletons": counts.singletons,
        "anaphora": counts.anaphora,
        "nested mentions": counts.nested,
        "discontinuous mentions": counts.discontinuous,
        "zeros": counts.zeros,
        "mentions of several entities": counts.plural,
        "mentions per sentence": per(counts.mentions, counts.sentences),
        "anaphora per sentence": per(counts.anaphora, counts.sentences),
        "nested per sentence": per(counts.nested, counts.sentences),
        "mentions per 100 tokens": per(100 * counts.mentions, counts.tokens),
        "tokens per document": per(counts.tokens, counts.documents),
        "tokens per sentence": per(counts.tokens, counts.sentences),
        "mention length, mean": mean(counts.mention_lengths),
        "mention length, longest": max(counts.mention_lengths, default=0),
        "mentions per entity, mean": mean(counts.entity_sizes),
        "mentions per entity, most": max(counts.entity_sizes, default=0),
        "pronouns": {name: counts.pronouns[name] for name in sorted(counts.pronouns)},
    }


def _ratio(a: int, b: int) -> float | None:
    return a / b if b else None


def mean(lengths: Counter[int]) -> float | None:
    """The mean of a distribution, or None if it is empty."""
    total = sum(lengths.values())
    return sum(length * number for length, number in lengths.items()) / total if total else None


def density(rows: Iterable[Counts]) -> list[tuple[int, int, int]]:
    """Running totals of tokens, mentions and nested mentions, document by document."""
    points = [(0, 0, 0)]
    for row in rows:
        tokens, mentions, nested = points[-1]
        points.append((tokens + row.tokens, mentions + row.mentions, nested + row.nested))
    return points
