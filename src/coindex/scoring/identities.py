"""Which mentions of two documents are scored, and by what they are identified.

Singletons are dropped first, then mentions headed by a zero, and only then are mentions matched,
so that what does not count takes no match from what does.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace
from typing import Protocol

from coindex.scoring import matching
from coindex.scoring.anaphora import entities_of_relation
from coindex.scoring.contingency import ScoredPair
from coindex.scoring.matching.protocol import Identify
from coindex.scoring.zeros import dependent_pairs, zero_test
from coindex.transform.edit import map_mentions
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order


class MentionOptions(Protocol):
    """The options that decide which mentions are scored and which of them match."""

    @property
    def match(self) -> str:
        """The matching rule."""
        ...

    @property
    def singletons(self) -> str:
        """Whether entities of one mention count: `keep` or `drop`."""
        ...

    @property
    def zeros(self) -> str:
        """Whether mentions headed by a zero count: `keep` or `drop`."""
        ...

    @property
    def zero_match(self) -> str:
        """How zeros match: `linear` or `dependent`."""
        ...

    @property
    def relation(self) -> str:
        """The relation whose entities are scored."""
        ...

    @property
    def repeats(self) -> str:
        """What is done with a mention of several entities."""
        ...


def scored_pair(key: Document, response: Document, options: MentionOptions) -> ScoredPair:
    """Both documents with the entities that are scored, and how to identify their mentions."""
    one, two = (_scored(document, options) for document in (key, response))
    if options.zero_match == "dependent" and options.zeros == "keep":
        identities = _zeros_first(one, two, options.match)
    else:
        identities = matching.load(options.match).pair(one, two)
    return ScoredPair(one, two, *identities, options.repeats, (key, response))


def _scored(document: Document, options: MentionOptions) -> Document:
    """The document without the entities and mentions that do not count."""
    document = entities_of_relation(document, options.relation)
    if options.singletons == "drop":
        entities = tuple(entity for entity in document.entities if not entity.singleton)
        if len(entities) < len(document.entities):
            document = replace(document, entities=entities)
    if options.zeros == "drop" and document.zeros:
        is_zero = zero_test(document)
        document = map_mentions(document, lambda m: None if is_zero(m) else m)
    return document


def _zeros_first(key: Document, response: Document, rule: str) -> tuple[Identify, Identify]:
    """Identities that match zeros by their dependencies, and the other mentions by a rule."""
    pairs = dependent_pairs(key, response)
    matched: list[dict[tuple[int, ...], Hashable]] = [{}, {}]
    for mentions in pairs:
        for side, mention in zip(matched, mentions, strict=True):
            side[reading_order(mention)] = (-1, *reading_order(mentions[0]))
    of_key, of_response = matching.load(rule).pair(
        _without(key, matched[0]), _without(response, matched[1])
    )
    return _with_known(matched[0], of_key), _with_known(matched[1], of_response)


def _without(document: Document, known: Collection[tuple[int, ...]]) -> Document:
    return map_mentions(document, lambda m: None if reading_order(m) in known else m)


def _with_known(known: dict[tuple[int, ...], Hashable], identify: Identify) -> Identify:
    """The known identity of a mention, or else the one that a rule gives."""

    def identity(mention: Mention) -> Hashable:
        spans = reading_order(mention)
        return known[spans] if spans in known else identify(mention)

    return identity
