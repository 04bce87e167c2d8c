"""What several annotations have in common: by all, by most, and where they differ.

The majority: a span is a mention if more than half marked it. Two mentions belong together
by the share of those who marked both and put them in one chain; starting from single
mentions, the two groups with the highest mean share are joined as long as it is more than
half (average linkage), so that one annotator's mistake does not fuse two chains.

A mention may be in several chains ("they" = Romeo and Juliet). It is plural if more than
half of those who marked it have it in several. Plural mentions join no groups together: the
others are grouped first, and a plural one is then added to every group with whose members it
has a mean share of more than half. A chain of plural mentions alone is kept where more than
half have exactly it. So annotations that are equal have themselves as their majority.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span

Place = tuple[Span, ...]
Chain = frozenset[Place]
Chains = dict[Place, frozenset[Chain]]


def chains(document: Document) -> Chains:
    """For each mention the chains it is in: one, or several for a plural mention."""
    found: dict[Place, set[Chain]] = {}
    for entity in document.entities:
        chain = frozenset(mention.spans for mention in entity.mentions)
        for place in chain:
            found.setdefault(place, set()).add(chain)
    return {place: frozenset(own) for place, own in found.items()}


def ordered(places: Iterable[Place]) -> list[Place]:
    """Spans in reading order."""
    return sorted(places, key=lambda place: [(span.start, span.end) for span in place])


def within(own: Chains, places: Iterable[Place]) -> Chains:
    """Chains with the mentions of `places` alone.

    A chain of which nothing is left but the mention itself says nothing beside its others.
    """
    wanted = frozenset(places)
    found: Chains = {}
    for place, many in own.items():
        if place in wanted:
            told = frozenset(chain & wanted for chain in many if len(chain & wanted) > 1)
            whole = frozenset(chain for chain in many if chain == {place})
            found[place] = told | whole or frozenset({frozenset({place})})
    return found


def together(own: Chains, one: Place, two: Place) -> bool:
    """Whether two mentions are in a common chain."""
    return any(two in chain for chain in own.get(one, ()))


def agreed(documents: Sequence[Document]) -> list[list[Place]]:
    """Mentions that all annotators have, grouped where all agree on each pair of a group.

    One that all have in several chains is in every group with all of which all have it.
    """
    made = [chains(document) for document in documents]
    common = set(made[0]).intersection(*made[1:]) if made else set()
    made = [within(own, common) for own in made]

    def fits(place: Place, group: list[Place]) -> bool:
        return all(together(own, place, other) for own in made for other in group)

    plural = {place for place in common if all(len(own[place]) > 1 for own in made)}
    groups: list[list[Place]] = []
    for place in ordered(common - plural):
        for group in groups:
            if fits(place, group):
                group.append(place)
                break
        else:
            groups.append([place])
    return _with_plurals(groups, plural, made, fits, lambda votes: votes == len(made))


def majority(documents: Sequence[Document]) -> Document:
    """The document as most made it."""
    made = [chains(document) for document in documents]
    votes = Counter(place for own in made for place in own)
    places = ordered([place for place, count in votes.items() if 2 * count > len(made)])
    made = [within(own, places) for own in made]
    plural = {place for place in places if _is_plural(made, place)}
    single = [place for place in places if place not in plural]
    shares = {
        (a, b): _share(made, single[a], single[b]) for a, b in combinations(range(len(single)), 2)
    }
    groups = [[single[at] for at in sorted(own)] for own in _linked(len(single), shares)]

    def fits(place: Place, group: list[Place]) -> bool:
        return sum(_share(made, place, other) for other in group) > len(group) / 2

    groups = _with_plurals(groups, plural, made, fits, lambda votes: 2 * votes > len(made))
    entities = tuple(Entity(tuple(Mention(place) for place in group)) for group in groups)
    return replace(documents[0], entities=entities)


def _is_plural(made: Sequence[Chains], place: Place) -> bool:
    marked = [own[place] for own in made if place in own]
    return 2 * sum(len(each) > 1 for each in marked) > len(marked)


def _with_plurals(
    groups: list[list[Place]],
    plural: set[Place],
    made: Sequence[Chains],
    fits: Callable[[Place, list[Place]], bool],
    enough: Callable[[int], bool],
) -> list[list[Place]]:
    """Groups with plural mentions added to each they belong to, and chains of these alone."""
    found = [list(group) for group in groups]
    for place in ordered(plural):
        for group, whole in zip(groups, found, strict=True):
            if fits(place, group):
                whole.append(place)
    votes = Counter(
        chain for own in made for chain in {each for many in own.values() for each in many}
    )
    alone = [chain for chain, count in votes.items() if chain <= plural and enough(count)]
    found += [list(chain) for chain in alone]
    kept = {place for group in found for place in group}
    found += [[place] for place in plural - kept]
    return sorted((ordered(group) for group in found), key=_first)


def _first(group: list[Place]) -> list[list[tuple[int, int]]]:
    return [[(span.start, span.end) for span in place] for place in group]


def _share(made: Sequence[Chains], one: Place, two: Place) -> float:
    both = [own for own in made if one in own and two in own]
    return sum(together(own, one, two) for own in both) / len(both) if both else 0.0


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
