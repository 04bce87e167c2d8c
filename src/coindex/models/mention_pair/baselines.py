"""Two baselines on the same mentions, and rule-based mentions.

exact-string   mentions with the same words (without leading determiners) corefer,
               pronouns included
head-match     names and nouns with the same head corefer; a pronoun joins the nearest
               earlier mention that may agree with it in gender, number and person
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from coindex.models.mention_pair import mention_arrays
from coindex.models.mention_pair.feature_store import DocumentFeatures
from coindex.models.mention_pair.mention_crf import TokenRange
from coindex.models.mention_pair.pair_classifier import clusters
from coindex.models.mention_pair.token_arrays import (
    GENDERS,
    GROUPS,
    NOUNS,
    OUTSIDE,
    ParsedTokens,
    TokenArrays,
    string_hash,
)
from coindex.models.mention_pair.token_features import phrase_borders

Sets = list[list[TokenRange]]
_FIXED = frozenset({"first", "second"})


def exact_string(features: DocumentFeatures, ranges: Sequence[TokenRange]) -> Sets:
    """Entities of equal strings."""
    mentions = mention_arrays.encode_mentions(features.text.token_arrays, ranges)
    seen: dict[int, int] = {}
    links = []
    for at, string in enumerate(mentions.strings.tolist()):
        if string in seen:
            links.append((seen[string], at))
        seen.setdefault(string, at)
    return _sets(ranges, links)


def head_match(features: DocumentFeatures, ranges: Sequence[TokenRange]) -> Sets:
    """Entities of equal heads, with pronouns beside the nearest mention that fits."""
    arrays = features.text.token_arrays
    mentions = mention_arrays.encode_mentions(arrays, ranges)
    seen: dict[int, int] = {}
    links = []
    for at in range(len(mentions)):
        if mentions.kinds[at] == mention_arrays.PRONOUN_KIND:
            nearest = _nearest(arrays, mentions, at)
            links += [] if nearest is None else [(nearest, at)]
            continue
        head = int(arrays.lower[mentions.heads[at]])
        if head in seen:
            links.append((seen[head], at))
        seen.setdefault(head, at)
    return _sets(ranges, links)


BASELINES: dict[str, Callable[[DocumentFeatures, Sequence[TokenRange]], Sets]] = {
    "exact-string": exact_string,
    "head-match": head_match,
}


def _sets(ranges: Sequence[TokenRange], links: list[tuple[int, int]]) -> Sets:
    return [[ranges[at] for at in cluster] for cluster in clusters(len(ranges), links)]


def _nearest(arrays: TokenArrays, mentions: mention_arrays.MentionArrays, at: int) -> int | None:
    for other in range(at - 1, -1, -1):
        apart = mentions.ends[other] <= mentions.starts[at]
        if apart and _fits(arrays, mentions, other, at):
            return other
    return None


def _fits(arrays: TokenArrays, mentions: mention_arrays.MentionArrays, other: int, at: int) -> bool:
    """Whether a pronoun may refer to an earlier mention."""
    group = GROUPS[mentions.classes[at]]
    if mentions.kinds[other] == mention_arrays.PRONOUN_KIND:
        return bool(mentions.classes[other] == mentions.classes[at])
    if group in _FIXED:
        return False
    plural = bool(arrays.plural[mentions.heads[other]])
    if group == "plural":
        return plural
    if plural:
        return False
    gender = GENDERS[mentions.genders[other]]
    if group in ("masculine", "feminine"):
        return gender in ("", group)
    person = arrays.names[mentions.heads[other]] == np.uint64(string_hash("PERSON"))
    named = mentions.kinds[other] == mention_arrays.NAME_KIND
    return not (group == "neuter" and (gender or (named and person)))


_PRONOUNS = frozenset({"PRP", "PRP$"})
_PARTS = frozenset({"compound", "amod", "nmod", "npadvmod"})
_NAMED = frozenset(
    {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "WORK_OF_ART", "EVENT"}
)


def rule_based_mentions(parsed: ParsedTokens) -> list[TokenRange]:
    """The mentions of a document by rules, in reading order (after Kummerfeld et al. 2011).

    A mention is every pronoun, every noun with its subtree (unless it is part of a compound
    or a modifier), and every named entity that is not such a phrase already, give or take
    one word. Punctuation at the borders is removed.
    """
    left, right = phrase_borders(parsed)
    result: set[TokenRange] = set()
    for at, tag in enumerate(parsed.tags):
        if tag in _PRONOUNS:
            result.add((at, at + 1))
        elif tag in NOUNS and parsed.deps[at] not in _PARTS:
            start, end = _trimmed(parsed, left[at], right[at] + 1)
            if start < end:
                result.add((start, end))
    phrases = frozenset(result)
    for start, end in _named(parsed):
        if not any(a <= start and end <= b and b - a <= end - start + 1 for a, b in phrases):
            result.add((start, end))
    return sorted(result)


def _named(parsed: ParsedTokens) -> Iterator[TokenRange]:
    start = 0
    for at in range(1, len(parsed) + 1):
        if at == len(parsed) or parsed.names[at] != parsed.names[start]:
            if parsed.names[start] in _NAMED and parsed.names[start] != OUTSIDE:
                yield start, at
            start = at


def _trimmed(parsed: ParsedTokens, start: int, end: int) -> TokenRange:
    while start < end and not any(map(str.isalnum, parsed.tokens[start])):
        start += 1
    while start < end and not any(map(str.isalnum, parsed.tokens[end - 1])):
        end -= 1
    return start, end
