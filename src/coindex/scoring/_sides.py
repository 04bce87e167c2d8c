"""The mentions of key and response by identity: what the table of a pair is counted from.

The table says how many mentions two entities share, this says which ones. The
entity of each mention is found as for the table, so repeats are kept once, and
where a rule makes several mentions the same, the first of them stands for all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from coindex import matching
from coindex.arrays import one_side
from coindex.core.document import Document
from coindex.core.kinds import kind_of
from coindex.core.mention import Mention, reading_order
from coindex.matching import Identity
from coindex.scoring.run import Options


@dataclass(frozen=True, slots=True)
class Side:
    """One side: the size of each entity, and the entity and the words of each mention."""

    sizes: list[int]
    owner: dict[Hashable, int]
    mentions: dict[Hashable, Mention]

    def entities(self) -> list[list[Hashable]]:
        """The mentions of each entity."""
        found: list[list[Hashable]] = [[] for _ in self.sizes]
        for identity, index in self.owner.items():
            found[index].append(identity)
        return found


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides of a pair, and the document whose words and tags are looked at.

    That is the key, unless it has no words. A mention found on both sides is
    taken as the key has it, so that its kind is the same on both. `kinds` keeps
    what was found once.
    """

    document: Document
    key: Side
    response: Side
    kinds: dict[Hashable, str] = field(default_factory=dict)

    def mention(self, identity: Hashable) -> Mention:
        """The mention of an identity, the key's where both sides have it."""
        found = self.key.mentions.get(identity)
        return self.response.mentions[identity] if found is None else found

    def kind(self, identity: Hashable) -> str:
        """The kind of a mention."""
        found = self.kinds.get(identity)
        if found is None:
            found = self.kinds[identity] = kind_of(self.document, self.mention(identity))
        return found

    def matched(self) -> Iterator[tuple[Hashable, int, int]]:
        """The mentions found on both sides, with their key and their response entity."""
        other = self.response.owner
        for identity, index in self.key.owner.items():
            if identity in other:
                yield identity, index, other[identity]


def sides(key: Document, response: Document, options: Options) -> Sides:
    """The mentions of two documents under a matching rule."""
    of_key, of_response = matching.load(options.match).pair(key, response)
    least = 2 if options.singletons == "drop" else 1
    wordless = set(key.tokens) == {"_"}
    return Sides(
        response if wordless else key,
        _one(key, of_key, least),
        _one(response, of_response, least),
    )


def _one(document: Document, identity: Identity, least: int) -> Side:
    mentions: dict[Hashable, Mention] = {}
    entities: list[list[Hashable]] = []
    for entity in document.entities:
        if len(entity) >= least:
            names = [identity(mention) for mention in entity.mentions]
            entities.append(names)
            for name, mention in zip(names, entity.mentions, strict=True):
                known = mentions.setdefault(name, mention)
                if known is not mention and reading_order(mention) < reading_order(known):
                    mentions[name] = mention
    sizes, owner, *_ = one_side(entities)
    return Side(sizes, owner, mentions)
