"""What a mention says about its entity: gender, number, person, name, modifiers.

Only what the words themselves say: `he`, `her mother`, `Mrs Lee`, `the two boys`, `the red car`.
Unknown is an empty value, which agrees with everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from coindex.text.name_variants import Name, parse_name
from coindex.text.person_names import first_name_gender
from coindex.text.word_classes import POSSESSIVE_MARKS, normalize
from coindex.text.word_lists import labels, words

MASCULINE, FEMININE, NEUTER = "masculine", "feminine", "neuter"
SINGULAR, PLURAL = "singular", "plural"

_PERSONS = {"first": 1, "second": 2}
_PLURAL_PRONOUNS = frozenset({"we", "us", "our", "ours", "ourselves", "yourselves"})
_GENDERS = frozenset({MASCULINE, FEMININE, NEUTER})
_PLURAL_STARTS = frozenset(
    {"these", "those", "both", "several", "many", "few", "two", "three", "four", "five"}
)
_SINGULAR_STARTS = frozenset({"a", "an", "this", "that", "another", "each", "every", "one"})
_COMPLEMENTS = frozenset({"of", "from", "at", "in", "for"})
_UNTOLD = frozenset({"the", "a", "an", "and", "'s", "’s"}) | _COMPLEMENTS
_NOT_PLURAL = ("ss", "us", "is", "ics", "ies", "ness")
_PERSON_ENDINGS = (
    "er", "or", "ist", "ian", "ant", "ent", "ee", "eer", "ess", "man", "woman", "men", "women", "person",
    "people", "ster", "smith", "kid", "child", "boy", "girl", "folk", "one", "self",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Traits:
    """What a mention says.

    pronoun        its group, such as "feminine", "first", "plural"; "" for names and nominals
    person         1, 2 or 3
    gender         that pronoun, title or noun state
    likely_gender  that the given name suggests
    number         SINGULAR or PLURAL
    neopronoun     the set of a neopronoun, such as "xe"
    name           the parts of a name; None for others
    head           the head noun, in lower case
    modifiers      the words before the head, in lower case
    owner          the possessive pronoun that it begins with
    indefinite     whether it begins with `a`, `another` and the like
    group          whether its head is a noun for a group or an organisation
    definite       whether it begins with `the`
    person_noun    whether its head is a noun for a person
    time           whether it is a day, a month or another time
    thing          whether its head is a noun for neither a person, an animal nor a group
    """

    pronoun: str = ""
    person: int = 3
    gender: str = ""
    likely_gender: str = ""
    number: str = ""
    neopronoun: str = ""
    name: Name | None = None
    head: str = ""
    modifiers: frozenset[str] = frozenset()
    owner: str = ""
    indefinite: bool = False
    group: bool = False
    definite: bool = False
    person_noun: bool = False
    time: bool = False
    thing: bool = False
    complement: frozenset[str] = frozenset()


@lru_cache(maxsize=1 << 11)
def mention_traits(tokens: tuple[str, ...], head: int, named: bool) -> Traits:
    """The traits of a mention: its tokens, the index of its head, whether it is a name."""
    if len(tokens) == 1 and not (named and len(tokens[0]) > 3):
        pronoun = _pronoun_traits(normalize(tokens[0]))
        if pronoun is not None:
            return pronoun
    return _name_traits(tokens, head) if named else _nominal_traits(tokens, head)


@lru_cache(maxsize=1 << 10)
def _pronoun_traits(word: str) -> Traits | None:
    if word in words("neopronouns"):
        return Traits("neopronoun", 3, number=SINGULAR, neopronoun=labels("neopronouns")[word])
    group = labels("pronouns").get(word)
    if group is None:
        return None
    person = _PERSONS.get(group, 3)
    gender = group if group in _GENDERS else ""
    number = PLURAL if word in _PLURAL_PRONOUNS or group == "plural" else ""
    if gender or (person == 1 and not number) or word in ("yourself", "myself"):
        number = SINGULAR
    if word in ("these", "those"):
        number = PLURAL
    if word == "themself":
        number = ""
    return Traits(group, person, gender, number=number)


def _name_traits(tokens: tuple[str, ...], head: int) -> Traits:
    core = tokens[: head + 1]
    cut = next(
        (at + 1 for at in range(len(core) - 1) if core[at].lower() in POSSESSIVE_MARKS | {"’s"}), 0
    )
    name = parse_name(core[cut:])
    likely = first_name_gender(name.words[0]) if name.person and name.words else None
    if name.titled and len(name.words) == 1:
        likely = None
    coordinated = any(token.lower() == "and" for token in tokens[1:-1]) and not name.organisation
    name = replace(name, complement=_complement(tokens[head + 1 :]))
    several = coordinated and name.person  # `Ann Lee and Bo`, not a name of Ann Lee
    return Traits(
        gender="" if several else name.gender,
        likely_gender="" if several else name.gender or likely or "",
        number=PLURAL if several else "",
        name=None if several else name,
        head=normalize(core[-1]),
        group=name.organisation,
        time=_is_time(core),
    )


def _nominal_traits(tokens: tuple[str, ...], head: int) -> Traits:
    low = [normalize(token) for token in tokens]
    noun = low[head]
    singular = _singular_form(noun)
    gender = labels("noun_genders").get(noun, "") or labels("noun_genders").get(singular, "")
    starts = labels("mention_starts").get(low[0], "")
    unknown = len(tokens) == 1 and not tokens[0].islower()  # it may be a name: `Tomás`
    return Traits(
        gender=gender,
        number="" if unknown else _number(low, head, singular),
        head=noun,
        modifiers=frozenset(low[:head]),
        owner=low[0] if starts == "owned" else "",
        indefinite=starts == "indefinite" and low[0] != "no",
        group=noun in words("group_nouns") or singular in words("group_nouns"),
        definite=starts == "definite",
        person_noun=noun in words("person_nouns") or noun in words("noun_genders"),
        time=_is_time(tokens[: head + 1]),
        thing=not (gender or unknown) and _is_thing(noun) and _is_thing(singular),
        complement=_named_complement(tokens[head + 1 :]),
    )


def _complement(rest: Sequence[str]) -> tuple[str, ...]:
    """The words after `of`, `from` and the like, up to the next mark or clause: `of England`."""
    if not rest or rest[0].lower() not in _COMPLEMENTS:
        return ()
    stops = words("mention_tails") - _COMPLEMENTS - {"and"}
    low = [normalize(token) for token in rest[1:]]
    end = next((at for at, word in enumerate(low) if word in stops), len(low))
    return tuple(word for word in low[:end] if word not in _UNTOLD)


def _named_complement(rest: Sequence[str]) -> frozenset[str]:
    found = _complement(rest)
    named = any(token[:1].isupper() and normalize(token) in found for token in rest)
    return frozenset(found) if named else frozenset()


@lru_cache(maxsize=1 << 12)
def _is_thing(noun: str) -> bool:
    """Whether a noun is no person, animal or group, nor ends as many nouns for persons do."""
    listed = ("person_nouns", "noun_genders", "animal_nouns", "group_nouns", "quantifiers")
    return (
        noun.isalpha()
        and not noun.endswith(_PERSON_ENDINGS)
        and not any(noun in words(name) for name in listed)
    )


def _is_time(tokens: Sequence[str]) -> bool:
    """Whether the head is a time, and all before it determine it: `last night`, `3 May`."""
    low = [normalize(token) for token in tokens]
    known = labels("time_words")
    if known.get(low[-1]) == "time":
        return all(word in known or word[:1].isdigit() for word in low)
    if known.get(low[-1]) == "period":
        return len(low) == 2 and known.get(low[0]) == "which"
    return low[-1].isdigit() and any(known.get(word) == "time" for word in low[:-1])


def _number(low: Sequence[str], head: int, singular: str) -> str:
    noun = low[head]
    if head and any(word == "and" for word in low[:head]):
        return PLURAL
    if len(low) > head + 1 and low[head + 1] == "and":
        return PLURAL
    if noun in words("irregular_plurals") or (head and low[0] in _PLURAL_STARTS):
        return PLURAL
    if head and low[0] in _SINGULAR_STARTS:
        return SINGULAR
    if singular != noun:
        return PLURAL
    return "" if noun in words("group_nouns") else SINGULAR


@lru_cache(maxsize=1 << 12)
def _singular_form(noun: str) -> str:
    """The singular of a regular plural; the word itself otherwise."""
    if len(noun) > 3 and noun.endswith("ies"):
        return noun[:-3] + "y"
    if (
        len(noun) > 3
        and noun.endswith("s")
        and not noun.endswith(("ss", "us", "is", "ics", "'s", "news"))
    ):
        return noun[:-2] if noun.endswith(("ches", "shes", "xes", "sses")) else noun[:-1]
    return noun


def exclusive(first: frozenset[str], second: frozenset[str]) -> str:
    """The two modifiers that exclude each other, as text; empty if there are none."""
    scales = _scales()
    mine = {scale: word for word in first - second for scale in scales.get(word, ())}
    for word in second - first:
        for scale in scales.get(word, ()):
            if scale in mine:
                return f"{mine[scale]} and {word}"
    numbers = [{word for word in group if word[:1].isdigit()} for group in (first, second)]
    if all(numbers) and numbers[0].isdisjoint(numbers[1]):
        return f"{min(numbers[0])} and {min(numbers[1])}"
    return ""


@cache
def _scales() -> Mapping[str, tuple[str, ...]]:
    return {word: tuple(scale.split()) for word, scale in labels("exclusive_modifiers").items()}
