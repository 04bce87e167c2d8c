"""Rule-based mentions, as the paper's comparison has them (after Kummerfeld et al. 2011).

A mention is every pronoun, every noun with all that depends on it (unless it is itself
part of a compound or a modifier), and every named entity that is not such a phrase
already, give or take one word. Punctuation at the borders is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator

from coindex.quizbowl.ground import NOUNS
from coindex.quizbowl.levels import Place
from coindex.quizbowl.tokens import phrase_borders
from coindex.quizbowl.view import OUTSIDE, View

_PRONOUNS = frozenset({"PRP", "PRP$"})
_PARTS = frozenset({"compound", "amod", "nmod", "npadvmod"})
_NAMED = frozenset(
    {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "WORK_OF_ART", "EVENT"}
)


def mentions(view: View) -> list[Place]:
    """The mentions of a document, in reading order."""
    left, right = phrase_borders(view)
    found: set[Place] = set()
    for at, tag in enumerate(view.tags):
        if tag in _PRONOUNS:
            found.add((at, at + 1))
        elif tag in NOUNS and view.deps[at] not in _PARTS:
            start, end = _trimmed(view, left[at], right[at] + 1)
            if start < end:
                found.add((start, end))
    phrases = frozenset(found)
    for start, end in _named(view):
        if not any(a <= start and end <= b and b - a <= end - start + 1 for a, b in phrases):
            found.add((start, end))
    return sorted(found)


def _named(view: View) -> Iterator[Place]:
    start = 0
    for at in range(1, len(view) + 1):
        if at == len(view) or view.names[at] != view.names[start]:
            if view.names[start] in _NAMED and view.names[start] != OUTSIDE:
                yield start, at
            start = at


def _trimmed(view: View, start: int, end: int) -> Place:
    while start < end and not any(map(str.isalnum, view.tokens[start])):
        start += 1
    while start < end and not any(map(str.isalnum, view.tokens[end - 1])):
        end -= 1
    return start, end
