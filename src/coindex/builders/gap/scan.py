"""The sentences that can still contain an example, determined on the raw text.

A pronoun's example is within its sentence and the one before. The scan drops a sentence only for
reasons for which the rules on the parse would drop it too: names are at most the runs of
capitalised words, pronouns are recognised by their spelling, and a pronoun of the same gender
between the three is an intruder. So it requires, for one pronoun, one of

    final    two names before it, and no such pronoun between, or two in the sentence before
    medial   a name in the sentence before and one after it
    initial  two names after it

with different last words, at least one of them known (a listed given name, or a name of the
page). For the last two patterns the sentence must begin with a word that can open a clause or a
phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coindex.builders.gap.names import (
    Pronoun,
    capital_runs,
    gap_gender,
    gendered_pronouns,
    is_known_person,
    is_not_person,
    may_agree,
    may_contain_known_person,
    may_contain_plausible_person,
    within_quotes,
)
from coindex.builders.gap.rules import GapRules
from coindex.text.word_lists import labels, words
from coindex.types.span import Chars

_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\W_a-z])")
_LAST = re.compile(r"([\w.]+)[.]\Z")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_FIRST = re.compile(r"\w+")
_FAR = 1 << 30
_ENDINGS = ("ing", "ed", "en", "ly")


@dataclass(frozen=True, slots=True)
class _Name:
    """A run of capitalised words: its offset, its last word, its gender.

    may_be_known  whether it is a known name or may contain one
    known         whether it is a known name
    """

    start: int
    last: str
    gender: str
    may_be_known: bool
    known: bool


@dataclass(frozen=True, slots=True)
class _Window:
    """The names and pronouns of a sentence and of the one before."""

    own: tuple[_Name, ...]
    others: tuple[_Name, ...]
    pronouns: tuple[Pronoun, ...]
    earlier_pronouns: tuple[Pronoun, ...]


def paragraph_sentences(text: str, start: int, end: int) -> list[Chars]:
    """The sentences of a paragraph; a full stop after an abbreviation or initial is not an end."""
    sentences: list[Chars] = []
    first = start
    for stop in _END.finditer(text, start, end):
        if not _abbreviation(text, first, stop.start() + 1):
            sentences.append(Chars(first, len(text[first : stop.end()].rstrip()) + first))
            first = stop.end()
    rest = len(text[first:end].rstrip())
    if rest:
        sentences.append(Chars(first, first + rest))
    return sentences


def _abbreviation(text: str, start: int, end: int) -> bool:
    last = _LAST.search(text, max(start, end - 15), end)
    if last is None:
        return False
    word = last[1]
    return (len(word) == 1 and word.isupper()) or word.casefold() in words("abbreviations")


def count_tokens(text: str) -> int:
    """The approximate number of words and punctuation marks of a text."""
    return len(_TOKEN.findall(text))


BOTH, ALONE = "with the sentence before", "alone"
"""Whether to parse a pronoun's sentence together with the one before."""


def scan_sentence(
    before: str,
    sentence: str,
    pronouns: Sequence[Pronoun],
    rules: GapRules,
    known: Mapping[str, str],
) -> str:
    """`BOTH` or `ALONE` if a pronoun of a sentence can be in an example, otherwise the reason."""
    if count_tokens(sentence) > rules.longest_sentence:
        return "long sentence"
    own, others = (_names(text, rules, known) for text in (sentence, before))
    if len({name.last for name in (*own, *others)}) < 2:
        return "fewer than two names"
    if not any(name.may_be_known for name in (*own, *others)):
        return "no known name"
    window = _Window(own, others, tuple(pronouns), tuple(gendered_pronouns(before, rules)))
    opens = _may_open(sentence)
    fits = {
        fit for at, kind, target in pronouns if target for fit in _fits(window, at, kind, opens)
    }
    return BOTH if BOTH in fits else ALONE if fits else "no pattern"


def _names(text: str, rules: GapRules, known: Mapping[str, str]) -> tuple[_Name, ...]:
    names = []
    for run in capital_runs(text, rules):
        if within_quotes(text, run.start, run.end):
            continue
        known_person = is_known_person(run.words, rules, known)
        may_be_known = known_person or may_contain_known_person(run.words, rules, known)
        if may_be_known or (
            may_contain_plausible_person(run.words, rules) and not is_not_person(text, run)
        ):
            gender = gap_gender(run.words, rules, known)
            names.append(_Name(run.start, run.last, gender, may_be_known, known_person))
    return tuple(names)


def _fits(window: _Window, at: int, kind: str, opens: bool) -> Iterator[str]:
    """For each pattern whose names are in the required positions, the sentences that have them."""
    same = [start for start, other, _ in window.pronouns if other == kind and start != at]
    left = max((start for start in same if start < at), default=-1)
    right = min((start for start in same if start > at), default=_FAR)
    last = max((start for start, other, _ in window.earlier_pronouns if other == kind), default=-1)
    own = [name for name in window.own if may_agree(name.gender, kind)]
    follow = [name for name in own if at < name.start < right]
    if _pair(name for name in own if left < name.start < at) or (opens and _pair(follow)):
        yield ALONE
    if left >= 0 or any(name.known and name.start < at for name in own):
        return  # a mention in the pronoun's sentence is between them
    ahead = [n for n in window.others if n.start > last and may_agree(n.gender, kind)]
    if _pair(ahead) or (opens and ahead and follow and _pair((*ahead, *follow))):
        yield BOTH


def _pair(names: Iterable[_Name]) -> bool:
    """Whether two of some names can be in an example: different, and one of them known."""
    every = tuple(names)
    return len({name.last for name in every}) > 1 and any(name.may_be_known for name in every)


def _may_open(sentence: str) -> bool:
    """Whether a sentence can begin with a subordinate clause or a prepositional phrase."""
    first = _FIRST.search(sentence)
    if first is None:
        return False
    word = first.group().lower()
    opens = labels("gap_openers").get(word)
    if opens is not None:
        return opens == "yes"
    return word in labels("function_words") or word.endswith(_ENDINGS) or word.isdigit()
