"""Where a phrase stands in a passage, by a rule that readers and writers share.

Corpora name the pronoun and the candidates by their words only. A phrase is
looked for as it is written, then in any case, always on word borders and with
any white space between its words; then without the determiner it begins with.
The pronoun is the first one after the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from coindex.core.span import Chars
from coindex.core.words import labels

_WORD_BEFORE = re.compile(r"(\w+)\s+\Z")
_GENDERS = frozenset({"masculine", "feminine", "neuter", "plural"})


@cache
def determiners() -> frozenset[str]:
    """Articles, demonstratives and possessives, in lower case."""
    found = labels("function_words").items()
    return frozenset(word for word, label in found if label == "determiner")


def group_of(pronoun: str) -> str | None:
    """The gender of a personal pronoun, or None for any other word."""
    label = labels("pronouns").get(pronoun.lower())
    return label if label in _GENDERS else None


def is_pronoun(word: str) -> bool:
    """Whether a word is a personal pronoun of the third person."""
    return group_of(word) is not None


def places(text: str, phrase: str) -> list[Chars]:
    """Every place of a phrase: as it is written, or else in any case."""
    return _places(text, phrase, 0) or _places(text, phrase, re.IGNORECASE)


def _places(text: str, phrase: str, flags: int) -> list[Chars]:
    words = phrase.split()
    if not words:
        return []
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return [Chars(*match.span()) for match in re.finditer(pattern, text, flags)]


def find(text: str, phrase: str) -> Chars | None:
    """The first place of a phrase, with or without its determiner."""
    found = places(text, phrase)
    if found:
        return found[0]
    words = phrase.split()
    if len(words) < 2 or words[0].lower() not in determiners():
        return None
    found = places(text, " ".join(words[1:]))
    return with_determiner(text, found[0]) if found else None


def with_determiner(text: str, place: Chars) -> Chars:
    """A place, and the determiner before it if there is one."""
    before = _WORD_BEFORE.search(text[max(0, place.start - 40) : place.start])
    if before and before[1].lower() in determiners():
        return Chars(place.start - len(before[0]), place.end)
    return place


def find_pronoun(text: str, pronoun: str, others: Sequence[Chars | None]) -> Chars | None:
    """The first place of the pronoun after the candidates, or after most of them."""
    taken = [place for place in others if place is not None]
    found = places(text, pronoun)
    free = [
        place
        for place in found
        if not any(place.start < other.end and other.start < place.end for other in taken)
    ]
    for end in sorted((place.end for place in taken), reverse=True):
        for place in free:
            if place.start >= end:
                return place
    return next(iter(free or found), None)
