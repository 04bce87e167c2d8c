"""The part of a premise that was copied into a hypothesis.

A hypothesis repeats the part of the premise around a pronoun, with the pronoun
replaced by a candidate. It is compared with the premise around each pronoun, word by
word, ignoring case and punctuation. The pronoun is the one with the most words copied
before and after it; the candidate consists of the words between them.

    Ann called Mary, but she did not answer.  ->  [Mary] did not answer.

For reworded hypotheses, the candidate and the pronoun are those that make hypothesis
and premise most similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from coindex.formats.phrase_offsets import find
from coindex.text.word_classes import is_third_person_pronoun
from coindex.text.word_lists import labels, words
from coindex.types.span import Chars

_WORD = re.compile(r"\w+(?:-\w+)*|['’]\w+")
_POSSESSIVE = re.compile(r"(?:['’]s|['’])\Z")
_LONGEST = 60
_PHRASE = 6


@dataclass(frozen=True, slots=True)
class HypothesisAlignment:
    """The offsets of the pronoun in the premise, the candidate, and whether both are certain."""

    target: Chars
    candidate: str
    exact: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text in lower case, and their offsets."""

    text: str
    words: list[str]
    offsets: list[Chars]

    @classmethod
    def of(cls, text: str) -> _Words:
        matches = list(_WORD.finditer(text))
        lower = [match[0].lower().replace("’", "'") for match in matches]
        return cls(text, lower, [Chars(*match.span()) for match in matches])

    def pronouns(self) -> list[int]:
        """The indices of third-person pronouns, or else of any pronouns."""
        strict = [index for index, word in enumerate(self.words) if is_third_person_pronoun(word)]
        known = labels("pronouns")
        return strict or [index for index, word in enumerate(self.words) if word in known]

    def phrase(self, start: int, end: int) -> str:
        """Some of the words, without a possessive mark."""
        text = self.text[self.offsets[start].start : self.offsets[end - 1].end]
        return _POSSESSIVE.sub("", text).strip()


@lru_cache(maxsize=1024)
def align_hypothesis(premise: str, hypothesis: str) -> HypothesisAlignment | None:
    """The pronoun and the candidate that replaced it; None if there is no pronoun."""
    whole, part = _Words.of(premise), _Words.of(hypothesis)
    best = max(_copies(whole, part), key=lambda copy: copy[0], default=None)
    return best[1] if best else _alike(whole, part)


def _copies(whole: _Words, part: _Words) -> Iterator[tuple[tuple[int, ...], HypothesisAlignment]]:
    """For each pronoun: the number of words copied around it, and its replacement."""
    count = len(part.words)
    for at in whole.pronouns():
        after = _run(whole.words[at + 1 : at + count], part.words, count - 1)
        before = _run(whole.words[:at][::-1], part.words[::-1], count - 1 - after)
        if not before + after:
            continue
        phrase = part.phrase(before, count - after)
        exact = find(whole.text, phrase) is not None or (
            before + after > 1
            and ((before > 0 and after > 0) or _nominal(part.words[before : count - after]))
        )
        if not exact:
            phrase = _trimmed(whole.text, part, before, count - after)
        if phrase:
            yield (
                (before + after, exact, after, -at),
                HypothesisAlignment(whole.offsets[at], phrase, exact),
            )


def _nominal(words: Sequence[str]) -> bool:
    """Whether words can be one phrase, without pronouns and verbs."""
    known = labels("function_words")
    kinds = [known.get(word, "") for word in words if word not in ("'s", "and")]
    return bool(kinds) and (
        not {"verb", "other"} & set(kinds)
        and kinds[0] != "preposition"
        and kinds[-1] in ("", "adjective")
        and words[0] != "that"
        and not any(is_third_person_pronoun(word) for word in words[1:])
        and not any(word.endswith("ed") for word in words[2:])
    )


def _trimmed(premise: str, part: _Words, start: int, end: int) -> str:
    """The longest phrase of the premise that ends the remaining words."""
    for first in range(max(start, end - _PHRASE), end) if start == 0 else ():
        phrase = part.phrase(first, end)
        if _nominal(part.words[first:end]) and find(premise, phrase) is not None:
            return phrase
    return ""


def _run(around: list[str], words: list[str], most: int) -> int:
    """How many of the last words equal the first words next to the pronoun."""
    for length in range(min(most, len(around)), 0, -1):
        if around[:length] == words[-length:]:
            return length
    return 0


def _alike(whole: _Words, part: _Words) -> HypothesisAlignment | None:
    """The best guess for a reworded hypothesis; phrases in the premise are preferred."""
    best, guess = 0.0, None
    count = len(part.words)
    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    for start, end in _phrases(part):
        phrase = part.phrase(start, end)
        chars = find(whole.text, phrase)
        bonus = -0.5 if chars is None else 0.01 * (end - start)
        for at in whole.pronouns()[:_LONGEST]:
            if chars and chars.end > whole.offsets[at].start:
                continue
            near = whole.words[max(0, at - start - 2) : at + count - end + 3]
            matcher.set_seqs(near, [*part.words[:start], whole.words[at], *part.words[end:]])
            score = 1 + bonus + matcher.ratio()
            if score > best:
                best, guess = score, HypothesisAlignment(whole.offsets[at], phrase, False)
    return guess


def _phrases(part: _Words) -> Iterator[tuple[int, int]]:
    """The possible candidates in a hypothesis: first word, and one past the last."""
    count = min(len(part.words), _LONGEST)
    for start in range(count):
        for end in range(start + 1, min(count, start + _PHRASE) + 1):
            if _nominal(part.words[start:end]):
                yield start, end


_NOUN_WORD = re.compile(r"\w+(?:-\w+)*")
_ENDS = re.compile(r"[.!?]")
_OPENERS = frozenset({"determiner", "preposition"})
_JOINERS = frozenset({"and", "or"})
_ARTICLES = frozenset({"a", "an", "the", "my", "your", "his", "its", "our", "their"})


@dataclass(slots=True)
class _Run:
    """The words of the current noun."""

    offsets: list[Chars] = field(default_factory=list)
    name: bool = False
    open: bool = True

    def taken(self) -> Iterator[Chars]:
        """The noun, if there is one; empties the run."""
        if self.offsets and (self.open or self.name):
            yield Chars(self.offsets[0].start, self.offsets[-1].end)
        self.offsets, self.name = [], False


def find_nouns(text: str) -> Iterator[Chars]:
    """The offsets of the nouns in a passage, in order."""
    run = _Run()
    end = 0
    first = True
    last = ""
    for match in _NOUN_WORD.finditer(text):
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
            was_noun = bool(run.offsets) and (run.open or run.name)
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
        and bool(run.offsets)
        and run.offsets[-1].of(text).lower() in words("abbreviations")
    )


def _kind(word: str, gap: str) -> str:
    """The label of a word that is not a noun; empty for a possible noun."""
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


def _extend(run: _Run, word: str, chars: Chars, first: bool) -> Iterator[Chars]:
    """Add a word to the run, or begin a new run if a name begins or ends."""
    name = word[0].isupper() and word != "I"
    if run.offsets and run.name != name:
        was_name = run.name
        yield from run.taken()
        run.open = run.open and not was_name
    run.offsets.append(chars)
    run.name = name
    run.open = run.open or first
