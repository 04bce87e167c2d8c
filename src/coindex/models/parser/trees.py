"""Trees as labelled spans, which a chart can hold, and back.

A phrase is a span of words with a label. Phrases over the same words, one directly within the
other, are one span whose label is the chain of their tags: `S+VP`. The root `TOP` is in every
tree and is left out. So a tree is a set of spans of which no two cross, each with one label;
words that no phrase combines need no label at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coindex.types.tree import bare_tag

ROOT = "TOP"
CHAIN = "+"
_OPENING = re.compile(r"\(([^()*\s]*)")


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """Words `start` up to `end` of a sentence, with the chain of tags of their phrases."""

    start: int
    end: int
    label: str


def labelled_spans(fragments: Sequence[str]) -> list[LabelledSpan]:
    """The spans of a sentence's tree, outer ones first; functions of phrases are dropped.

    >>> [(s.start, s.end, s.label) for s in labelled_spans(["(TOP(S(NP*)", "(VP*)))"])]
    [(0, 2, 'S'), (0, 1, 'NP'), (1, 2, 'VP')]
    """
    stack: list[tuple[str, int]] = []
    chains: dict[tuple[int, int], list[str]] = {}
    for at, fragment in enumerate(fragments):
        stack += [(bare_tag(tag), at) for tag in _OPENING.findall(fragment)]
        for _ in range(min(fragment.count(")"), len(stack))):
            tag, start = stack.pop()
            if tag != ROOT:
                chains.setdefault((start, at + 1), []).append(tag)
    for tag, start in reversed(stack):  # phrases that are never closed end with the sentence
        if tag != ROOT:
            chains.setdefault((start, len(fragments)), []).append(tag)
    spans = (
        LabelledSpan(start, end, CHAIN.join(reversed(tags)))
        for (start, end), tags in chains.items()
    )
    return sorted(spans, key=lambda span: (span.start, -span.end))


def to_fragments(count: int, spans: Iterable[LabelledSpan]) -> tuple[str, ...]:
    """The tree of `count` words as CoNLL-2012 fragments, with its root.

    >>> to_fragments(2, [LabelledSpan(0, 2, "S"), LabelledSpan(1, 2, "VP")])
    ('(TOP(S*', '(VP*)))')
    """
    if not count:
        return ()
    opening, closing = [""] * count, [""] * count
    opening[0], closing[-1] = f"({ROOT}", ")"
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        tags = span.label.split(CHAIN)
        opening[span.start] += "".join(f"({tag}" for tag in tags)
        closing[span.end - 1] += ")" * len(tags)
    return tuple(f"{left}*{right}" for left, right in zip(opening, closing, strict=True))


def known_label(label: str, known: Iterable[str]) -> str:
    """The label, or the longest beginning of its chain that is known; empty if there is none."""
    tags = label.split(CHAIN)
    names = frozenset(known)
    chains = (CHAIN.join(tags[:length]) for length in range(len(tags), 0, -1))
    return next((chain for chain in chains if chain in names), "")
