"""The nouns of a passage, found with word lists alone.

A stand-in for a tagger, the same on every machine: names (words that begin with
a capital within a sentence), and the words after a determiner, a preposition or
`and`, up to a word of a closed class, a verb or a punctuation mark. A noun may
be several words: `school bus`. It finds most nouns and some that are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from coindex.core.span import Chars
from coindex.core.words import labels, words

_WORD = re.compile(r"\w+(?:-\w+)*")
_ENDS = re.compile(r"[.!?]")
_OPENERS = frozenset({"determiner", "preposition"})
_JOINERS = frozenset({"and", "or"})
_ARTICLES = frozenset({"a", "an", "the", "my", "your", "his", "its", "our", "their"})


@dataclass(slots=True)
class _Run:
    """The words of the noun being read."""

    spots: list[Chars] = field(default_factory=list)
    name: bool = False
    open: bool = True

    def taken(self) -> Iterator[Chars]:
        """The noun, if it is one; the run is empty afterwards."""
        if self.spots and (self.open or self.name):
            yield Chars(self.spots[0].start, self.spots[-1].end)
        self.spots, self.name = [], False


def find_nouns(text: str) -> list[Chars]:
    """The places of the nouns in a passage, in order."""
    return list(_nouns(text))


def _nouns(text: str) -> Iterator[Chars]:
    run = _Run()
    end = 0
    first = True
    last = ""
    for match in _WORD.finditer(text):
        word, gap = match[0], text[end : match.start()]
        end = match.end()
        broken = bool(gap.strip())
        if broken and not _abbreviated(text, run, gap):
            yield from run.taken()
            first = first or bool(_ENDS.search(gap))
            run.open = first or (run.open and gap.strip() == ",")
        kind = _kind(word, gap)
        if kind == "verb" and last in _ARTICLES:
            kind = ""
        if kind == "adjective":
            yield from run.taken()
        elif kind:
            was_noun = bool(run.spots) and (run.open or run.name)
            yield from run.taken()
            run.open = kind in _OPENERS or (was_noun and word.lower() in _JOINERS)
        else:
            yield from _extend(run, word, Chars(*match.span()), first)
        first = False
        last = word.lower()
    yield from run.taken()


def _abbreviated(text: str, run: _Run, gap: str) -> bool:
    """Whether the full stop in a gap belongs to a title: `Mr. Gray`."""
    return (
        gap.strip() == "."
        and bool(run.spots)
        and run.spots[-1].of(text).lower() in words("abbreviations")
    )


def _kind(word: str, gap: str) -> str:
    """The label of a word that is no noun; empty for one that may be."""
    if gap.endswith(("'", "’")):
        return "determiner" if word == "s" else "other"
    if word.isdigit():
        return "other"
    label = labels("function_words").get(word.lower(), "")
    if label:
        return label
    lower = word.islower() and len(word) > 4
    if lower and word.endswith(("ed", "ing")):
        return "verb"
    return "other" if lower and word.endswith("ly") else ""


def _extend(run: _Run, word: str, spot: Chars, first: bool) -> Iterator[Chars]:
    """Add a word to the run, or begin a new one where a name begins or ends."""
    name = word[0].isupper() and word != "I"
    if run.spots and run.name != name:
        was_name = run.name
        yield from run.taken()
        run.open = run.open and not was_name
    run.spots.append(spot)
    run.name = name
    run.open = run.open or first
