"""The mentions of a key and a response that are scored, and which of them match."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from coindex.scoring.contingency import Partition, partition
from coindex.scoring.identities import scored_pair
from coindex.scoring.matching.protocol import Identify
from coindex.scoring.scorer import ScoringOptions
from coindex.text.mention_classes import kind_of
from coindex.types.document import Document
from coindex.types.mention import Mention


@dataclass(frozen=True, slots=True)
class MentionIndex(Partition):
    """A partition with the mention of each identity; of equal identities, that of the first."""

    mentions: dict[Hashable, Mention]


@dataclass(frozen=True, slots=True)
class MatchedMentions:
    """The mentions of a key and a response that the cells of their table count.

    document  the document whose words and tags are used: the key, unless it has no words
    kinds     a cache of the kinds of mentions
    """

    document: Document
    key: MentionIndex
    response: MentionIndex
    kinds: dict[Hashable, str] = field(default_factory=dict)

    def mention(self, identity: Hashable) -> Mention:
        """The mention with an identity, that of the key if both sides have it."""
        mention_of_key = self.key.mentions.get(identity)
        return self.response.mentions[identity] if mention_of_key is None else mention_of_key

    def kind(self, identity: Hashable) -> str:
        """The kind of a mention: pronoun, name or nominal."""
        if identity not in self.kinds:
            self.kinds[identity] = kind_of(self.document, self.mention(identity))
        return self.kinds[identity]

    def matched(self) -> Iterator[tuple[Hashable, int, int]]:
        """The mentions of both sides, each with its key entity and its response entity."""
        other = self.response.entity_of
        for identity, index in self.key.entity_of.items():
            if identity in other:
                yield identity, index, other[identity]


def match_mentions(key: Document, response: Document, options: ScoringOptions) -> MatchedMentions:
    """The mentions of two documents that are scored under some options.

    A mention of several entities is in one of them only, the largest if all count.
    """
    pair = scored_pair(key, response, options)
    return MatchedMentions(
        response if set(key.tokens) == {"_"} else key,
        _index(pair.key, pair.of_key, options.repeats),
        _index(pair.response, pair.of_response, options.repeats),
    )


def _index(document: Document, identify: Identify, repeats: str) -> MentionIndex:
    mentions: dict[Hashable, Mention] = {}
    for mention in document.mentions:
        mentions.setdefault(identify(mention), mention)
    entities = [[identify(mention) for mention in entity.mentions] for entity in document.entities]
    sides = partition(entities, "largest" if repeats == "all" else repeats)
    return MentionIndex(sides.sizes, sides.entity_of, sides.repeated, sides.collapsed, mentions)
