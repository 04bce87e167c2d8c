"""Mentions that overlap, and those of them that a rule cannot tell apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from coindex.core.document import Document
from coindex.core.mention import Mention, reading_order
from coindex.core.span import Span

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """Two distinct overlapping mentions that have the same minimum span under a rule."""

    rule: str
    document: str
    first: Tokens
    second: Tokens
    minimum: Tokens
    words: tuple[str, str, str]
    same_entity: bool


def overlapping(mentions: list[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions with a token in common; mentions come in reading order."""
    open_: list[Mention] = []
    for mention in mentions:
        open_ = [other for other in open_ if other.end > mention.start]
        for other in open_:
            gaps = mention.discontinuous or other.discontinuous
            if not gaps or set(mention.tokens) & set(other.tokens):
                yield other, mention
        open_.append(mention)


def sharing(
    document: Document,
    mentions: list[Mention],
    rule: str,
    reduced: Mapping[tuple[Span, ...], Tokens],
) -> Iterator[Shared]:
    """Pairs of mentions with the same minimum span: they overlap, for both contain it."""
    groups: defaultdict[Tokens, list[Mention]] = defaultdict(list)
    for mention in mentions:
        groups[reduced[mention.spans]].append(mention)
    crowded = {tokens: group for tokens, group in groups.items() if len(group) > 1}
    if not crowded:
        return
    owners: defaultdict[tuple[Span, ...], set[int]] = defaultdict(set)
    for number, entity in enumerate(document.entities):
        for mention in entity.mentions:
            owners[mention.spans].add(number)
    for tokens, group in crowded.items():
        for a, b in combinations(sorted(group, key=reading_order), 2):
            one, two, least = (
                " ".join(document.tokens[token] for token in some)
                for some in (a.tokens, b.tokens, tokens)
            )
            same = bool(owners[a.spans] & owners[b.spans])
            words = (one, two, least)
            yield Shared(rule, document.key, a.tokens, b.tokens, tokens, words, same)
