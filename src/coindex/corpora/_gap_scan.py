"""Which sentences can still hold an example, decided on the raw text.

A pronoun's example lies within its sentence and the one before. The scan drops a
sentence only for what the rules on the tree would drop too: names are at most the runs
of capitals, pronouns are told by their letters, and a pronoun of the same gender between
the three is an intruder. So it needs, for one pronoun, one of

    final    two names before it, and no such pronoun between, or two in the sentence before
    medial   a name in the sentence before and one after it
    initial  two names after it

with different last words, at least one of them known (a given name of the list, or a name of
the page), where for the last two the sentence must begin with something that can open a
clause or a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from coindex.core.words import labels, words
from coindex.corpora._gap_names import (
    elsewhere,
    evident,
    gender,
    may_be,
    may_be_credible,
    may_be_evident,
    runs,
    within_quotes,
)
from coindex.corpora._gap_rules import Rules

_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\W_a-z])")
_LAST = re.compile(r"([\w.]+)[.]\Z")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_FIRST = re.compile(r"\w+")
_FAR = 1 << 30
_ENDINGS = ("ing", "ed", "en", "ly")

Found = tuple[int, str, bool]
"""Where a pronoun stands, its gender, and whether it may be a target."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A run of capitals: where it begins, its last word, its gender.

    known  whether it may be a known name, or hold one
    sure   whether it is one as it stands
    """

    start: int
    last: str
    gender: str
    known: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class _Window:
    """The names and pronouns of a sentence and of the one before."""

    own: tuple[_Name, ...]
    others: tuple[_Name, ...]
    found: tuple[Found, ...]
    earlier: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a paragraph, as characters of the page."""

    start: int
    end: int


def sentences(text: str, start: int, end: int) -> list[Sentence]:
    """The sentences of one paragraph, by full stops that end no abbreviation or initial."""
    found: list[Sentence] = []
    first = start
    for stop in _END.finditer(text, start, end):
        if not _abbreviation(text, first, stop.start() + 1):
            found.append(Sentence(first, len(text[first : stop.end()].rstrip()) + first))
            first = stop.end()
    rest = len(text[first:end].rstrip())
    if rest:
        found.append(Sentence(first, first + rest))
    return found


def _abbreviation(text: str, start: int, end: int) -> bool:
    last = _LAST.search(text, max(start, end - 15), end)
    if last is None:
        return False
    word = last[1]
    return (len(word) == 1 and word.isupper()) or word.casefold() in words("abbreviations")


@cache
def _pronoun(every: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(every)})\b", re.IGNORECASE)


def pronouns(text: str, rules: Rules) -> list[Found]:
    """The gendered pronouns of a text."""
    every = {**rules.pronouns, **rules.others}
    found = []
    for match in _pronoun(tuple(every)).finditer(text):
        word = match.group().lower()
        found.append((match.start(), every[word], word in rules.pronouns))
    return found


def tokens(text: str) -> int:
    """How many words and marks a text has, about."""
    return len(_TOKEN.findall(text))


BOTH, ALONE = "with the sentence before", "alone"
"""What to parse of a pronoun's sentence and the one before."""


def verdict(
    before: str, sentence: str, found: Sequence[Found], rules: Rules, known: Mapping[str, str]
) -> str:
    """`BOTH` or `ALONE` if a pronoun of a sentence can be in an example, else why none can."""
    if tokens(sentence) > rules.longest_sentence:
        return "long sentence"
    own, others = (_names(text, rules, known) for text in (sentence, before))
    if len({name.last for name in (*own, *others)}) < 2:
        return "fewer than two names"
    if not any(name.known for name in (*own, *others)):
        return "no known name"
    window = _Window(own, others, tuple(found), tuple(pronouns(before, rules)))
    opens = _may_open(sentence)
    fits = {fit for at, kind, target in found if target for fit in _fits(window, at, kind, opens)}
    return BOTH if BOTH in fits else ALONE if fits else "no pattern"


def _names(text: str, rules: Rules, known: Mapping[str, str]) -> tuple[_Name, ...]:
    found = []
    for run in runs(text, rules):
        if within_quotes(text, run.start, run.end):
            continue
        sure = evident(run.words, rules, known)
        maybe = sure or may_be_evident(run.words, rules, known)
        if maybe or (may_be_credible(run.words, rules) and not elsewhere(text, run)):
            told = gender(run.words, rules, known)
            found.append(_Name(run.start, run.last, told, maybe, sure))
    return tuple(found)


def _fits(window: _Window, at: int, kind: str, opens: bool) -> Iterator[str]:
    """For each pattern that has names where it asks for them, the sentences that hold them."""
    same = [place for place, other, _ in window.found if other == kind and place != at]
    left = max((place for place in same if place < at), default=-1)
    right = min((place for place in same if place > at), default=_FAR)
    last = max((place for place, other, _ in window.earlier if other == kind), default=-1)
    mine = [name for name in window.own if may_be(name.gender, kind)]
    follow = [name for name in mine if at < name.start < right]
    if _pair(name for name in mine if left < name.start < at) or (opens and _pair(follow)):
        yield ALONE
    if left >= 0 or any(name.sure and name.start < at for name in mine):
        return  # what stands before the pronoun in its sentence comes between
    ahead = [n for n in window.others if n.start > last and may_be(n.gender, kind)]
    if _pair(ahead) or (opens and ahead and follow and _pair((*ahead, *follow))):
        yield BOTH


def _pair(names: Iterable[_Name]) -> bool:
    """Whether two of some names can be an example: different, and one of them known."""
    found = tuple(names)
    return len({name.last for name in found}) > 1 and any(name.known for name in found)


def _may_open(sentence: str) -> bool:
    """Whether a sentence can begin with a subordinate clause or a prepositional phrase."""
    first = _FIRST.search(sentence)
    if first is None:
        return False
    word = first.group().lower()
    told = labels("gap_openers").get(word)
    if told is not None:
        return told == "yes"
    return word in labels("function_words") or word.endswith(_ENDINGS) or word.isdigit()
