"""Variants of names: whether two names can mean the same person or thing.

    equal      Ann Lee / Ms Ann Lee / the Ann Lee's
    variant    Ann Lee / Lee / A. Lee / Annie Lee;  IBM / International Business Machines;
               Acme Ltd / Acme
    different  Ann Lee / Bob Lee / Ann Kim;  Mr Lee / Ms Lee;  the Bank of England / the Bank of Japan
    partial    one word of two, which may be a variant or not: Wanjiru / Wanjiru Kimani, Lumo / Lumo One
    unknown    nothing that the words themselves decide: Paris / the capital city

Names are compared without articles, titles, possessive marks and legal forms (`Inc.`). Nicknames
are listed in `text/data/nicknames.txt`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from coindex.text.person_names import first_name_gender, title_gender
from coindex.text.word_lists import labels, words

EQUAL, VARIANT, PARTIAL, DIFFERENT, UNKNOWN = "equal", "variant", "partial", "different", "unknown"

_SMALL = frozenset({"of", "the", "and", "for", "de", "in", "on", "&"})
_MARKS = frozenset("\"'“”‘’`()[],;:*_")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in parts, in lower case.

    words     without articles, titles, generation and legal form
    gender    that the title states, or ""
    titled    whether there is a title
    suffix    the generation: "jr", "sr", "iii" or ""
    acronym   the name if it is written in capitals only, else ""
    person    whether a title or the first word says that it is a person's name
    organisation  whether one of the words says that it is an organisation's name
    complement  the words after `of`, `from` and the like: England of `the Bank of England`
    """

    words: tuple[str, ...]
    gender: str = ""
    titled: bool = False
    suffix: str = ""
    acronym: str = ""
    person: bool = False
    organisation: bool = False
    complement: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """Whether it is a given name (or an initial) and a surname."""
        return self.person and len(self.words) > 1


@lru_cache(maxsize=1 << 11)
def parse_name(tokens: tuple[str, ...]) -> Name:
    """The parts of a name."""
    plain = [token for token in tokens if token not in _MARKS and token.lower() not in ("'s", "’s")]
    plain = plain or list(tokens)
    while len(plain) > 1 and plain[0].lower() in ("the", "a", "an", "this", "that"):
        plain = plain[1:]
    lead = 0
    while lead < len(plain) and (_is_title(plain[lead]) or _is_role(plain[lead:])):
        lead += 1
    genders = [gender for token in plain[:lead] if (gender := title_gender(token))]
    bare = [token.rstrip(".’'").lower() or token for token in plain[lead:]] or [
        token.rstrip(".").lower() for token in plain
    ]
    suffix = bare[-1] if len(bare) > 1 and bare[-1] in words("name_suffixes") else ""
    legal = {word for word, label in labels("organisation_markers").items() if label == "legal"}
    organisation = not words("organisation_markers").isdisjoint(bare)
    suffix = "" if suffix in legal else suffix
    kept = [word for word in bare if word != suffix or len(bare) == 1]
    short = [word for word in kept if word not in legal] or kept
    upper = "".join(plain).replace(".", "")
    return Name(
        tuple(short),
        genders[0] if genders else "",
        lead > 0,
        suffix,
        upper.lower() if len(plain) == 1 and upper.isupper() and len(upper) > 1 else "",
        not organisation and (lead > 0 or _is_given(short) or _has_initial(plain)),
        organisation,
    )


def _is_title(token: str) -> bool:
    plain = token.rstrip(".").lower()
    return (
        plain in words("titles") or plain in words("honorifics") or title_gender(token) is not None
    )


def _is_role(parts: Sequence[str]) -> bool:
    """Whether a name begins with a role before a title or two names: Deputy Mayor, Coach Ann Lee."""
    first = parts[0].lower()
    if first not in words("person_nouns") or first in words("first_names"):
        return False
    return len(parts) > 1 and (_is_title(parts[1]) or (len(parts) > 2 and _is_given_word(parts[1])))


def _is_given_word(word: str) -> bool:
    return _is_given((word.lower(),))


def _is_given(parts: Sequence[str]) -> bool:
    first = parts[0] if parts else ""
    known = (
        first in words("first_names")
        or first in words("wiki_given_names")
        or first in _short_forms()
    )
    return known and (len(parts) == 1 or not words("not_people").intersection(parts[1:]))


def _has_initial(tokens: Sequence[str]) -> bool:
    """Whether a name begins with an initial: `A. Lee`."""
    first = tokens[0] if len(tokens) > 1 else ""
    return len(first) == 2 and first[0].isupper() and first[1] == "."


@cache
def _short_forms() -> dict[str, frozenset[str]]:
    """For each short form the given names that it stands for."""
    forms: dict[str, set[str]] = {}
    for name, short in labels("nicknames").items():
        for form in short.split():
            forms.setdefault(form, set()).add(name)
    return {form: frozenset(names) for form, names in forms.items()}


def same_given_name(first: str, second: str) -> bool:
    """Whether two given names are equal, an initial and its name, or a name and its short form."""
    if first == second:
        return True
    if min(len(first), len(second)) == 1:
        return first[0] == second[0]
    forms = _short_forms()
    mine, other = forms.get(first, frozenset()), forms.get(second, frozenset())
    return first in other or second in mine or not mine.isdisjoint(other)


@lru_cache(maxsize=1 << 12)
def compare_names(first: Name, second: Name) -> str:
    """How two names relate: EQUAL, VARIANT, PARTIAL, DIFFERENT or UNKNOWN."""
    if first.gender and second.gender and first.gender != second.gender:
        return DIFFERENT
    if first.suffix and second.suffix and first.suffix != second.suffix:
        return DIFFERENT
    if first.words == second.words:
        return DIFFERENT if differ_in_complement(first, second) else EQUAL
    if _is_acronym(first, second) or _is_acronym(second, first):
        return VARIANT
    if _person_and_organisation(first, second) or _person_and_organisation(second, first):
        return DIFFERENT
    if (first.person and second.person) or _one_surname(first, second):
        return _compare_persons(first, second)
    return _compare_things(first, second)


def differ_in_complement(first: Name, second: Name) -> bool:
    """Whether two equal names are told apart by what follows: Tom from sales, Tom from accounting."""
    mine, other = set(first.complement), set(second.complement)
    return bool(mine and other) and not (mine <= other or other <= mine)


def _person_and_organisation(person: Name, other: Name) -> bool:
    """Whether a full name and an organisation without all of its words: Wilbur Wright, Wright Ltd."""
    return person.full and other.organisation and not set(person.words) <= set(other.words)


def _is_acronym(short: Name, long: Name) -> bool:
    letters = short.acronym
    parts = long.words + long.complement
    if not letters or len(parts) < 2:
        return False
    initials = "".join(word[0] for word in parts)
    strict = "".join(word[0] for word in parts if word not in _SMALL)
    return letters in (initials, strict)


def _one_surname(first: Name, second: Name) -> bool:
    """Whether one is a person's name and the other one word of it, such as the surname."""
    return (first.person and len(second.words) == 1) or (second.person and len(first.words) == 1)


def _compare_persons(first: Name, second: Name) -> str:
    short, long = sorted((first, second), key=lambda name: len(name.words))
    if len(long.words) == 1:
        return VARIANT if same_given_name(short.words[0], long.words[0]) else DIFFERENT
    if len(short.words) == 1:
        return _compare_one_word(short, long)
    if short.words[-1] == long.words[-1] or short.words[-1].replace("-", "") == long.words[-1]:
        return VARIANT if _given_agree(short.words[:-1], long.words[:-1]) else DIFFERENT
    if set(short.words) <= set(long.words):
        return VARIANT
    return DIFFERENT


def _compare_one_word(short: Name, long: Name) -> str:
    word = short.words[0]
    if word == long.words[-1] or word in long.words[1:]:
        given = first_name_gender(long.words[0])
        return DIFFERENT if short.gender and given and given != short.gender else VARIANT
    if short.titled:  # Mr Lee: a surname
        return DIFFERENT
    return VARIANT if len(word) > 1 and same_given_name(word, long.words[0]) else DIFFERENT


def _given_agree(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether given names agree: equal, initials, short forms; middle names may be left out."""
    if same_given_name(first[0], second[0]):
        return True
    return len(first) != len(second) and any(same_given_name(first[0], word) for word in second)


def _compare_things(first: Name, second: Name) -> str:
    short, long = sorted((first, second), key=lambda name: len(name.words))
    if not set(short.words) & set(long.words):
        if short.words[0][0].isdigit() and long.words[0][0].isdigit():
            return DIFFERENT
        return DIFFERENT if first.full and second.full else UNKNOWN
    numbers = (
        {word for word in short.words if word.isdigit()},
        {w for w in long.words if w.isdigit()},
    )
    if all(numbers) and numbers[0] != numbers[1]:
        return DIFFERENT
    begins = long.words[: len(short.words)] == short.words
    rest = long.words[len(short.words) :]
    if begins and all(word in words("organisation_markers") for word in rest):
        return VARIANT
    return _compare_one_of_two(short, long)


def _compare_one_of_two(short: Name, long: Name) -> str:
    """A word and a name of a few words that may be a person's, though no list has it."""
    if len(short.words) > 1 or len(long.words) > 3 or short.words[0].isdigit():
        return UNKNOWN
    ends = short.words[0] == long.words[-1]
    begins = short.words[0] == long.words[0]
    if not (ends or begins) or words("place_words").intersection(long.words):
        return UNKNOWN
    known = words("not_people") | words("organisation_markers") | words("vocabulary")
    return VARIANT if ends and known.isdisjoint(long.words) else PARTIAL


def is_person_word(word: str) -> bool:
    """Whether a word in lower case is a given name and hardly a common word."""
    return (
        word in words("first_names") or word in words("wiki_given_names")
    ) and word not in words("vocabulary")
