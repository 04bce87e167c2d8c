"""What the mention detector sees of each token (section 5.2), as strings.

`paper`: the token, its part of speech, the type of named entity, and the relation to
the governor with the governor's word. `tree` adds the word's shape and ending, the
neighbours, and the noun phrases that begin or end at the token: a noun with all that
depends on it, which is what a mention mostly is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from coindex.errors import MissingExtra
from coindex.quizbowl.ground import NOUNS
from coindex.quizbowl.view import View

VERSION = 1
"""Raised whenever the strings change: an older CRF would not know them."""

PHRASE_HEADS = NOUNS | {"PRP", "PRP$"}
_MOST = 3  # phrases that begin or end at one token, as far as they are looked at

Words = list[str]


def features(view: View, kind: str) -> list[Words]:
    """A list of strings for each token."""
    low = [token.lower() for token in view.tokens]
    found = [
        ["b", f"w={word}", f"p={tag}", f"e={name}", f"d={dep}|{low[head]}"]
        for word, tag, name, dep, head in zip(
            low, view.tags, view.names, view.deps, view.heads, strict=True
        )
    ]
    if kind == "tree":
        for at, own in enumerate(found):
            own += _own(view, low, at)
            own += _neighbour(view, low, at, -1)
            own += _neighbour(view, low, at, 1)
        _phrases(view, low, found)
    return found


def sequences(view: View, kind: str) -> list[tuple[Any, int, int]]:
    """The sentences of a document as the CRF takes them, with where they begin and end."""
    try:
        from pycrfsuite import ItemSequence
    except ImportError:
        raise MissingExtra("python-crfsuite", "train") from None

    whole = features(view, kind)
    firsts = [
        at for at in range(len(view)) if at == 0 or view.sentences[at] != view.sentences[at - 1]
    ]
    borders = pairwise([*firsts, len(view)])
    return [(ItemSequence(whole[start:end]), start, end) for start, end in borders]


def _own(view: View, low: Sequence[str], at: int) -> Words:
    governor = view.tags[view.heads[at]]
    return [f"dp={view.deps[at]}|{governor}", f"s={shape(view.tokens[at])}", f"x={low[at][-3:]}"]


def _neighbour(view: View, low: Sequence[str], at: int, step: int) -> Words:
    other = at + step
    if not 0 <= other < len(low) or view.sentences[other] != view.sentences[at]:
        return [f"{step}"]
    return [f"{step}w={low[other]}", f"{step}p={view.tags[other]}|{view.tags[at]}"]


def _phrases(view: View, low: Sequence[str], found: list[Words]) -> None:
    """Add what begins and ends where; outermost first at the beginning, last at the end."""
    left, right = phrase_borders(view)
    begins: list[list[int]] = [[] for _ in found]
    ends: list[list[int]] = [[] for _ in found]
    for at, tag in enumerate(view.tags):
        if tag in PHRASE_HEADS:
            begins[left[at]].append(at)
            ends[right[at]].append(at)
    for own, beginning, ending in zip(found, begins, ends, strict=True):
        for at in beginning[:_MOST]:
            label = f"{view.tags[at]}{view.deps[at]}"
            own += [f"[w={low[at]}", f"[p={label}", f"[e={view.names[at]}"]
        for at in ending[-_MOST:]:
            own += [f"]w={low[at]}", f"]p={view.tags[at]}{view.deps[at]}"]
        own.append(f"[]={min(len(beginning), _MOST)}{min(len(ending), _MOST)}")


def phrase_borders(view: View) -> tuple[list[int], list[int]]:
    """The first and the last token of all that depends on each token, within its sentence."""
    left, right = list(range(len(view))), list(range(len(view)))
    for at in range(len(view)):
        over, steps = at, 0
        while view.heads[over] != over and steps < len(view):
            over, steps = view.heads[over], steps + 1
            if view.sentences[over] != view.sentences[at]:
                break
            left[over] = min(left[over], at)
            right[over] = max(right[over], at)
    return left, right


def shape(token: str) -> str:
    """`Xx` for `Ann`, `X.X.` for `U.S.`, `d` for `1847`: kinds of letters, runs shortened."""
    found = ""
    for char in token[:12]:
        kind = char
        if char.isdigit():
            kind = "d"
        elif char.isalpha():
            kind = "X" if char.isupper() else "x"
        if not found.endswith(kind):
            found += kind
    return found
