"""Which part of a premise was copied into a hypothesis.

A hypothesis repeats the part of the premise around a pronoun, with a candidate
in the pronoun's place. So it is compared with the premise around each pronoun,
word by word without case and punctuation: the pronoun is the one with the most
words copied before and after it, and the candidate is what is left in between.

    Ann called Mary, but she did not answer.  ->  [Mary] did not answer.

Some hypotheses were reworded. There the candidate is the phrase of the
hypothesis, and the pronoun the one of the premise, that make the two most alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from coindex.core.span import Chars
from coindex.core.words import labels
from coindex.formats._problem_places import find, is_pronoun

_WORD = re.compile(r"\w+(?:-\w+)*|['’]\w+")
_POSSESSIVE = re.compile(r"(?:['’]s|['’])\Z")
_LONGEST = 60
_PHRASE = 6


@dataclass(frozen=True, slots=True)
class Copy:
    """The pronoun's place in the premise, the candidate, and whether both are sure."""

    target: Chars
    candidate: str
    exact: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text in lower case, and their places."""

    text: str
    words: list[str]
    spots: list[Chars]

    @classmethod
    def of(cls, text: str) -> _Words:
        matches = list(_WORD.finditer(text))
        lower = [match[0].lower().replace("’", "'") for match in matches]
        return cls(text, lower, [Chars(*match.span()) for match in matches])

    def pronouns(self) -> list[int]:
        """Where the pronouns are: those of the third person, else any at all."""
        strict = [index for index, word in enumerate(self.words) if is_pronoun(word)]
        known = labels("pronouns")
        return strict or [index for index, word in enumerate(self.words) if word in known]

    def phrase(self, start: int, end: int) -> str:
        """Some of the words, without the mark of a possessive."""
        text = self.text[self.spots[start].start : self.spots[end - 1].end]
        return _POSSESSIVE.sub("", text).strip()


@lru_cache(maxsize=1024)
def copied(premise: str, hypothesis: str) -> Copy | None:
    """The pronoun and the candidate that took its place; None if there is no pronoun."""
    whole, part = _Words.of(premise), _Words.of(hypothesis)
    best = max(_copies(whole, part), key=lambda found: found[0], default=None)
    return best[1] if best else _alike(whole, part)


def _copies(whole: _Words, part: _Words) -> Iterator[tuple[tuple[int, ...], Copy]]:
    """For each pronoun: how much was copied around it, and what stands in its place."""
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
            yield (before + after, exact, after, -at), Copy(whole.spots[at], phrase, exact)


def _nominal(words: Sequence[str]) -> bool:
    """Whether words can be one phrase: no pronoun or verb in it, no loose end."""
    known = labels("function_words")
    kinds = [known.get(word, "") for word in words if word not in ("'s", "and")]
    return bool(kinds) and (
        not {"verb", "other"} & set(kinds)
        and kinds[0] != "preposition"
        and kinds[-1] in ("", "adjective")
        and words[0] != "that"
        and not any(is_pronoun(word) for word in words[1:])
        and not any(word.endswith("ed") for word in words[2:])
    )


def _trimmed(premise: str, part: _Words, start: int, end: int) -> str:
    """The longest phrase at the copied end of what is left that is in the premise."""
    for first in range(max(start, end - _PHRASE), end) if start == 0 else ():
        phrase = part.phrase(first, end)
        if _nominal(part.words[first:end]) and find(premise, phrase) is not None:
            return phrase
    return ""


def _run(around: list[str], words: list[str], most: int) -> int:
    """How many of the last words are the first of those around the pronoun."""
    for length in range(min(most, len(around)), 0, -1):
        if around[:length] == words[-length:]:
            return length
    return 0


def _alike(whole: _Words, part: _Words) -> Copy | None:
    """The best guess for a reworded hypothesis; better if its phrase is in the premise."""
    best, found = 0.0, None
    count = len(part.words)
    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    for start, end in _phrases(part):
        phrase = part.phrase(start, end)
        place = find(whole.text, phrase)
        bonus = -0.5 if place is None else 0.01 * (end - start)
        for at in whole.pronouns()[:_LONGEST]:
            if place and place.end > whole.spots[at].start:
                continue
            near = whole.words[max(0, at - start - 2) : at + count - end + 3]
            matcher.set_seqs(near, [*part.words[:start], whole.words[at], *part.words[end:]])
            score = 1 + bonus + matcher.ratio()
            if score > best:
                best, found = score, Copy(whole.spots[at], phrase, False)
    return found


def _phrases(part: _Words) -> Iterator[tuple[int, int]]:
    """What may be a candidate in a hypothesis, by its first word and one past its last."""
    count = min(len(part.words), _LONGEST)
    for start in range(count):
        for end in range(start + 1, min(count, start + _PHRASE) + 1):
            if _nominal(part.words[start:end]):
                yield start, end
