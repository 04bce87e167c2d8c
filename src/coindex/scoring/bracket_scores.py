"""Labelled brackets: how well trees agree, by the rules of the field's program, evalb.

    recall     brackets of both trees / brackets of the key
    precision  brackets of both trees / brackets of the response

A bracket is a phrase: its tag, where it starts and where it ends. The rules are those of the
parameter file that is used for English (Collins'):

- words with the tags `, : . `` ''`, and traces (`-NONE-`), are removed from both trees, by the
  key's tags;
- phrases without other words, and the root, are no brackets;
- functions of phrases are dropped (`NP-SBJ` is NP), and PRT is the same as ADVP;
- the same phrase twice over the same words is two brackets.

evalb takes each tree's own tags of punctuation and refuses sentences where they differ; here
both have the words of one text, so no sentence is refused. A word's tag is right if it equals
the key's; tags of all words are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.types.document import Document
from coindex.types.tree import bare_tag

REMOVED_TAGS = frozenset({",", ":", ".", "``", "''", "-NONE-"})
REMOVED_PHRASES = frozenset({"TOP", "ROOT", "S1", ""})
EQUAL = {"PRT": "ADVP"}
_OPENING = re.compile(r"\(([^()*\s]*)")

Bracket = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class BracketCounts:
    """The counts of some sentences, which add up.

    both, key, response   brackets
    exact                 sentences whose trees have the same brackets
    tags                  words whose tags agree
    """

    both: int = 0
    key: int = 0
    response: int = 0
    sentences: int = 0
    exact: int = 0
    words: int = 0
    tags: int = 0

    def __add__(self, other: BracketCounts) -> BracketCounts:
        pairs = zip(_values(self), _values(other), strict=True)
        return BracketCounts(*(one + two for one, two in pairs))

    @property
    def recall(self) -> float:
        """In percent; 100 if there is nothing to find."""
        return _percent(self.both, self.key)

    @property
    def precision(self) -> float:
        """In percent; 100 if nothing was found."""
        return _percent(self.both, self.response)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision, in percent."""
        return _percent(2 * self.both, self.key + self.response)

    @property
    def exact_match(self) -> float:
        """The share of sentences with all brackets right, in percent."""
        return _percent(self.exact, self.sentences)

    @property
    def tag_accuracy(self) -> float:
        """The share of words with the right tag, in percent."""
        return _percent(self.tags, self.words)


def _values(counts: BracketCounts) -> tuple[int, ...]:
    return (counts.both, counts.key, counts.response, counts.sentences, counts.exact,
            counts.words, counts.tags)  # fmt: skip


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 100.0


def brackets(fragments: Sequence[str], tags: Sequence[str]) -> Counter[Bracket]:
    """The brackets of a sentence's tree, without what the tags remove.

    >>> sorted(brackets(["(TOP(S(NP*)", "(VP*)", "*))"], ["PRP", "VBD", "."]))
    [('NP', 0, 1), ('S', 0, 2), ('VP', 1, 2)]
    """
    found: Counter[Bracket] = Counter()
    stack: list[tuple[str, int]] = []
    position = 0
    for fragment, tag in zip(fragments, tags, strict=True):
        stack += [(bare_tag(name), position) for name in _OPENING.findall(fragment)]
        position += tag not in REMOVED_TAGS
        for _ in range(min(fragment.count(")"), len(stack))):
            _close(found, *stack.pop(), position)
    while stack:
        _close(found, *stack.pop(), position)
    return found


def _close(found: Counter[Bracket], name: str, start: int, end: int) -> None:
    if start < end and name not in REMOVED_PHRASES:
        found[EQUAL.get(name, name), start, end] += 1


def count_brackets(key: Document, response: Document) -> BracketCounts:
    """The counts of a document whose two versions have the same words."""
    if key.parse is None or key.pos is None or response.parse is None:
        raise InvalidValue(f"{key.key}: brackets need trees on both sides, and tags in the key")
    if len(key) != len(response):
        raise InvalidValue(
            f"{key.key}: expected trees over {len(key)} words, found {len(response)}"
        )
    total = BracketCounts()
    for span in key.sentence_spans():
        part = slice(span.start, span.end)
        tags = key.pos[part]
        one, two = brackets(key.parse[part], tags), brackets(response.parse[part], tags)
        given = response.pos[part] if response.pos is not None else ("",) * len(tags)
        right = sum(a == b for a, b in zip(tags, given, strict=True))
        total += BracketCounts(
            (one & two).total(), one.total(), two.total(), 1, int(one == two), len(tags), right
        )
    return total


def bracket_scores(counts: Iterable[BracketCounts]) -> dict[str, float]:
    """The scores of summed counts, in percent."""
    total = sum(counts, BracketCounts())
    names = ("recall", "precision", "f1", "exact_match", "tag_accuracy")
    return {name: round(float(getattr(total, name)), 2) for name in names}
