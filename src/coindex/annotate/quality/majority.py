"""What several annotations have in common: what all agree on, and the majority.

The majority: a span is a mention if more than half marked it. The link between two mentions
has a weight: of those who marked both, the proportion who put them in one chain. Clusters
start as single mentions; the two with the highest mean weight are merged while it is more
than one half (average linkage), so that one annotator's mistake does not merge two chains.

A mention may be in several chains ("they" = Romeo and Juliet). It is plural if more than
half of those who marked it have it in several. The other mentions are clustered first; a
plural one is then added to every cluster to which its mean weight is more than one half, so
that it merges no clusters. A chain of plural mentions only is included if more than half have
exactly this chain. Hence the majority of equal annotations is the same annotation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

MentionSpans = tuple[Span, ...]
Chain = frozenset[MentionSpans]
Chains = dict[MentionSpans, frozenset[Chain]]


def chains(document: Document) -> Chains:
    """Return for each mention its chains: one, or several for a plural mention."""
    by_mention: dict[MentionSpans, set[Chain]] = {}
    for entity in document.entities:
        chain = frozenset(mention.spans for mention in entity.mentions)
        for mention in chain:
            by_mention.setdefault(mention, set()).add(chain)
    return {mention: frozenset(own) for mention, own in by_mention.items()}


def ordered(mentions: Iterable[MentionSpans]) -> list[MentionSpans]:
    """Return mentions in reading order."""
    return sorted(mentions, key=lambda mention: [(span.start, span.end) for span in mention])


def restrict(own: Chains, mentions: Iterable[MentionSpans]) -> Chains:
    """Return chains restricted to some mentions.

    If a plural mention has another chain, a chain reduced to the mention itself is left out.
    """
    selected = frozenset(mentions)
    restricted: Chains = {}
    for mention, many in own.items():
        if mention in selected:
            linked = frozenset(chain & selected for chain in many if len(chain & selected) > 1)
            single = frozenset(chain for chain in many if chain == {mention})
            restricted[mention] = linked | single or frozenset({frozenset({mention})})
    return restricted


def together(own: Chains, one: MentionSpans, two: MentionSpans) -> bool:
    """Return whether two mentions have a common chain."""
    return any(two in chain for chain in own.get(one, ()))


def agreed_groups(documents: Sequence[Document]) -> list[list[MentionSpans]]:
    """Return the mentions that all annotators have, in groups on whose pairs all agree.

    A mention that is plural for all is in every group with whose members all link it.
    """
    annotations = [chains(document) for document in documents]
    common = set(annotations[0]).intersection(*annotations[1:]) if annotations else set()
    annotations = [restrict(own, common) for own in annotations]

    def fits(mention: MentionSpans, group: list[MentionSpans]) -> bool:
        return all(together(own, mention, other) for own in annotations for other in group)

    plural = {mention for mention in common if all(len(own[mention]) > 1 for own in annotations)}
    groups: list[list[MentionSpans]] = []
    for mention in ordered(common - plural):
        for group in groups:
            if fits(mention, group):
                group.append(mention)
                break
        else:
            groups.append([mention])
    return _with_plurals(groups, plural, annotations, fits, lambda votes: votes == len(annotations))


def majority(documents: Sequence[Document]) -> Document:
    """Return the document with the majority's entities."""
    annotations = [chains(document) for document in documents]
    votes = Counter(mention for own in annotations for mention in own)
    mentions = ordered(
        [mention for mention, count in votes.items() if 2 * count > len(annotations)]
    )
    annotations = [restrict(own, mentions) for own in annotations]
    plural = {mention for mention in mentions if _is_plural(annotations, mention)}
    single = [mention for mention in mentions if mention not in plural]
    weights = {
        (a, b): _link_weight(annotations, single[a], single[b])
        for a, b in combinations(range(len(single)), 2)
    }
    groups = [[single[at] for at in sorted(own)] for own in _average_linkage(len(single), weights)]

    def fits(mention: MentionSpans, group: list[MentionSpans]) -> bool:
        return sum(_link_weight(annotations, mention, other) for other in group) > len(group) / 2

    groups = _with_plurals(
        groups, plural, annotations, fits, lambda votes: 2 * votes > len(annotations)
    )
    entities = tuple(Entity(tuple(Mention(mention) for mention in group)) for group in groups)
    return replace(documents[0], entities=entities)


def _is_plural(annotations: Sequence[Chains], mention: MentionSpans) -> bool:
    marked = [own[mention] for own in annotations if mention in own]
    return 2 * sum(len(each) > 1 for each in marked) > len(marked)


def _with_plurals(
    groups: list[list[MentionSpans]],
    plural: set[MentionSpans],
    annotations: Sequence[Chains],
    fits: Callable[[MentionSpans, list[MentionSpans]], bool],
    enough: Callable[[int], bool],
) -> list[list[MentionSpans]]:
    """Add plural mentions to the groups they belong to, and chains of plural mentions only."""
    merged = [list(group) for group in groups]
    for mention in ordered(plural):
        for group, whole in zip(groups, merged, strict=True):
            if fits(mention, group):
                whole.append(mention)
    votes = Counter(
        chain for own in annotations for chain in {each for many in own.values() for each in many}
    )
    alone = [chain for chain, count in votes.items() if chain <= plural and enough(count)]
    merged += [list(chain) for chain in alone]
    included = {mention for group in merged for mention in group}
    merged += [[mention] for mention in plural - included]
    return sorted((ordered(group) for group in merged), key=_sort_key)


def _sort_key(group: list[MentionSpans]) -> list[list[tuple[int, int]]]:
    return [[(span.start, span.end) for span in mention] for mention in group]


def _link_weight(annotations: Sequence[Chains], one: MentionSpans, two: MentionSpans) -> float:
    marked = [own for own in annotations if one in own and two in own]
    return sum(together(own, one, two) for own in marked) / len(marked) if marked else 0.0


def _average_linkage(count: int, weights: dict[tuple[int, int], float]) -> list[set[int]]:
    """Cluster by average linkage, the highest mean weight first, down to one half."""
    groups = {at: {at} for at in range(count)}
    sums = {pair: weight for pair, weight in weights.items() if weight > 0}
    while sums:
        mean, (a, b) = max(
            ((total / (len(groups[a]) * len(groups[b])), (a, b)) for (a, b), total in sums.items()),
            key=lambda link: (link[0], -link[1][0], -link[1][1]),
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
