"""What several annotations have in common: by all, by most, and where they differ.

The majority: a span is a mention if more than half marked it. Two mentions belong together
by the share of those who marked both and put them in one chain; starting from single
mentions, the two groups with the highest mean share are joined as long as it is more than
half (average linkage), so that one annotator's mistake does not fuse two chains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span

Place = tuple[Span, ...]
Chains = dict[Place, frozenset[Place]]


def chains(document: Document) -> Chains:
    """For each mention, the spans of its chain (of all its chains)."""
    found: Chains = {}
    for entity in document.entities:
        chain = frozenset(mention.spans for mention in entity.mentions)
        for place in chain:
            found[place] = found.get(place, frozenset()) | chain
    return found


def ordered(places: Sequence[Place] | set[Place] | frozenset[Place]) -> list[Place]:
    """Spans in reading order."""
    return sorted(places, key=lambda place: [(span.start, span.end) for span in place])


def agreed(documents: Sequence[Document]) -> list[list[Place]]:
    """Mentions that all annotators have, grouped where all agree on each pair of a group."""
    made = [chains(document) for document in documents]
    common = set(made[0]).intersection(*made[1:]) if made else set()
    groups: list[list[Place]] = []
    for place in ordered(common):
        for group in groups:
            if all(place in own[other] for own in made for other in group):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def majority(documents: Sequence[Document]) -> Document:
    """The document as most made it."""
    made = [chains(document) for document in documents]
    votes = Counter(place for own in made for place in own)
    places = ordered([place for place, count in votes.items() if 2 * count > len(made)])
    shares = {
        (a, b): _share(made, places[a], places[b]) for a, b in combinations(range(len(places)), 2)
    }
    groups = _linked(len(places), shares)
    entities = tuple(Entity(tuple(Mention(places[at]) for at in sorted(group))) for group in groups)
    return replace(documents[0], entities=entities)


def _share(made: Sequence[Chains], one: Place, two: Place) -> float:
    both = [own for own in made if one in own and two in own]
    return sum(two in own[one] for own in both) / len(both) if both else 0.0


def _linked(count: int, shares: dict[tuple[int, int], float]) -> list[set[int]]:
    """Average linkage, the highest mean share first, down to one half."""
    groups = {at: {at} for at in range(count)}
    sums = {pair: share for pair, share in shares.items() if share > 0}
    while sums:
        mean, (a, b) = max(
            ((total / (len(groups[a]) * len(groups[b])), (a, b)) for (a, b), total in sums.items()),
            key=lambda found: (found[0], -found[1][0], -found[1][1]),
        )
        if mean <= 0.5:
            break
        groups[a] |= groups.pop(b)
        del sums[a, b]
        for other in list(groups):
            if other != a:
                moved = sums.pop((min(b, other), max(b, other)), 0.0)
                if moved:
                    pair = (min(a, other), max(a, other))
                    sums[pair] = sums.get(pair, 0.0) + moved
    return list(groups.values())
