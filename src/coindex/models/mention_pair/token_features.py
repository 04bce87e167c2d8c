"""The features of tokens for the mention detector (section 5.2), as strings.

`paper`: the token, its part of speech, the type of named entity, and the relation to
the governor with the governor's word. `tree` adds the word's shape and ending, the
neighbours, and the noun phrases that begin or end at the token: a noun with all that
depends on it, which is what most mentions are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from coindex.errors import import_extra
from coindex.models.mention_pair.token_arrays import NOUNS, ParsedTokens

VERSION = 1
"""Increased whenever the strings change: older CRFs do not fit new features."""

PHRASE_HEADS = NOUNS | {"PRP", "PRP$"}
_MAX_PHRASES = 3  # that begin or end at one token

Strings = list[str]
Sequences = Sequence[tuple[Any, int, int]]
"""Sentences as CRFsuite's items, each with its first token and the token after its last."""


def features(parsed: ParsedTokens, kind: str) -> list[Strings]:
    """A list of strings for each token."""
    low = [token.lower() for token in parsed.tokens]
    result = [
        ["b", f"w={word}", f"p={tag}", f"e={name}", f"d={dep}|{low[head]}"]
        for word, tag, name, dep, head in zip(
            low, parsed.tags, parsed.names, parsed.deps, parsed.heads, strict=True
        )
    ]
    if kind == "tree":
        for at, own in enumerate(result):
            own += _own(parsed, low, at)
            own += _neighbour(parsed, low, at, -1)
            own += _neighbour(parsed, low, at, 1)
        _phrases(parsed, low, result)
    return result


def crf_sequences(parsed: ParsedTokens, kind: str) -> Sequences:
    """The sentences of a document for the CRF."""
    items = import_extra("pycrfsuite", "train", "python-crfsuite").ItemSequence
    whole = features(parsed, kind)
    firsts = [
        at
        for at in range(len(parsed))
        if at == 0 or parsed.sentences[at] != parsed.sentences[at - 1]
    ]
    borders = pairwise([*firsts, len(parsed)])
    return [(items(whole[start:end]), start, end) for start, end in borders]


def _own(parsed: ParsedTokens, low: Sequence[str], at: int) -> Strings:
    governor = parsed.tags[parsed.heads[at]]
    return [
        f"dp={parsed.deps[at]}|{governor}",
        f"s={shape(parsed.tokens[at])}",
        f"x={low[at][-3:]}",
    ]


def _neighbour(parsed: ParsedTokens, low: Sequence[str], at: int, step: int) -> Strings:
    other = at + step
    if not 0 <= other < len(low) or parsed.sentences[other] != parsed.sentences[at]:
        return [f"{step}"]
    return [f"{step}w={low[other]}", f"{step}p={parsed.tags[other]}|{parsed.tags[at]}"]


def _phrases(parsed: ParsedTokens, low: Sequence[str], result: list[Strings]) -> None:
    """Add features of the phrases that begin and end at each token; outermost phrases first."""
    left, right = phrase_borders(parsed)
    begins: list[list[int]] = [[] for _ in result]
    ends: list[list[int]] = [[] for _ in result]
    for at, tag in enumerate(parsed.tags):
        if tag in PHRASE_HEADS:
            begins[left[at]].append(at)
            ends[right[at]].append(at)
    for own, beginning, ending in zip(result, begins, ends, strict=True):
        for at in beginning[:_MAX_PHRASES]:
            label = f"{parsed.tags[at]}{parsed.deps[at]}"
            own += [f"[w={low[at]}", f"[p={label}", f"[e={parsed.names[at]}"]
        for at in ending[-_MAX_PHRASES:]:
            own += [f"]w={low[at]}", f"]p={parsed.tags[at]}{parsed.deps[at]}"]
        own.append(f"[]={min(len(beginning), _MAX_PHRASES)}{min(len(ending), _MAX_PHRASES)}")


def phrase_borders(parsed: ParsedTokens) -> tuple[list[int], list[int]]:
    """The first and the last token of each token's subtree, within its sentence."""
    left, right = list(range(len(parsed))), list(range(len(parsed)))
    for at in range(len(parsed)):
        over, steps = at, 0
        while parsed.heads[over] != over and steps < len(parsed):
            over, steps = parsed.heads[over], steps + 1
            if parsed.sentences[over] != parsed.sentences[at]:
                break
            left[over] = min(left[over], at)
            right[over] = max(right[over], at)
    return left, right


def shape(token: str) -> str:
    """`Xx` for `Ann`, `X.X.` for `U.S.`, `d` for `1847`: character classes, runs shortened."""
    result = ""
    for char in token[:12]:
        kind = char
        if char.isdigit():
            kind = "d"
        elif char.isalpha():
            kind = "X" if char.isupper() else "x"
        if not result.endswith(kind):
            result += kind
    return result
