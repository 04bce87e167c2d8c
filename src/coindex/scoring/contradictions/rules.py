"""The rules of the checker: each returns two mentions of an entity that cannot be the same."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from coindex.scoring.contradictions.features import (
    MentionFeatures,
    is_given_name,
    name_gender,
    word_rows,
    word_table,
)
from coindex.types.document import Document

Features = Sequence[MentionFeatures]
_OPPOSITE = {"masculine": "feminine", "feminine": "masculine"}
_ALTERNATIVES = frozenset({"or", "/"})
_ARTICLES = frozenset({"the", "a", "an"})
_WORDS_OF_A_NAME = (2, 4)
_SAME_START = 3


@dataclass(frozen=True, slots=True)
class Clash:
    """Two mentions that contradict each other, and why."""

    one: MentionFeatures
    two: MentionFeatures
    reason: str


Rule = Callable[[Document, Features], Clash | None]


def gender(document: Document, features: Features) -> Clash | None:
    """Masculine and feminine pronouns, unless somewhere they are alternatives: `he or she`."""
    men, women = (_third(features, each) for each in _OPPOSITE)
    if not men or not women or _alternatives(document, men, women):
        return None
    return Clash(men[0], women[0], "masculine and feminine")


def person(document: Document, features: Features) -> Clash | None:
    """First and second person singular in one turn, or in one sentence where nobody speaks."""
    for one, two in product(_persons(features, "first"), _persons(features, "second")):
        if one.pronoun and one.pronoun.number == "singular" and _same_voice(document, one, two):
            return Clash(one, two, "speaker and addressee")
    return None


def speaker(document: Document, features: Features) -> Clash | None:
    """First persons singular of two known speakers."""
    said = [
        each
        for each in _persons(features, "first")
        if each.speaker and not each.quotation
        if each.pronoun and each.pronoun.number == "singular"
    ]
    for one, two in combinations(said, 2):
        if one.speaker != two.speaker:
            return Clash(one, two, f"said by {one.speaker} and by {two.speaker}")
    return None


def given_name(document: Document, features: Features) -> Clash | None:
    """Full names with one surname and different given names; not `Bob Lee` and `Robert Lee`."""
    for one, two in combinations(_full_names(features), 2):
        known = is_given_name(one.name[0]) or is_given_name(two.name[0])
        same = one.name[-1] == two.name[-1]
        if known and same and not _any_variant(one.name[:-1], two.name[:-1]):
            return Clash(one, two, "different given names")
    return None


def full_name(document: Document, features: Features) -> Clash | None:
    """Full names of persons that share no word, nor forms of one given name."""
    persons = [each for each in _full_names(features) if is_given_name(each.name[0])]
    for one, two in combinations(persons, 2):
        if not _any_variant(one.name, two.name):
            return Clash(one, two, "different full names")
    return None


def noun(document: Document, features: Features) -> Clash | None:
    """A title, a given name or a noun of one gender with a pronoun of the other."""
    men, women = (_third(features, each) for each in _OPPOSITE)
    if men and women:
        return None  # this is the kind `gender`
    for each in features:
        known = _gender_of(document, each)
        against = {"masculine": women, "feminine": men}.get(known or "", [])
        if against:
            return Clash(each, against[0], f"{known} and {_OPPOSITE[known or '']}")
    return None


def number(document: Document, features: Features) -> Clash | None:
    """He, she or it with they or we; groups and persons of unknown gender are both."""
    third = [each for each in _persons(features, "third") if each.pronoun]
    single = [each for each in third if each.pronoun and each.pronoun.number == "singular"]
    many = [
        each
        for each in (*third, *_persons(features, "first"))
        if each.pronoun and each.pronoun.number == "plural"
    ]
    if not single or not many or any(map(_explains_number, features)):
        return None
    humans = [each for each in single if each.pronoun and each.pronoun.gender != "neuter"]
    if not humans and any(each.name for each in features):
        return None  # a firm or a country: it and they
    return Clash((humans or single)[0], many[0], "one and several")


def modifier(document: Document, features: Features) -> Clash | None:
    """Modifiers that exclude each other on one noun."""
    for one, two in combinations([each for each in features if each.noun], 2):
        if one.noun != two.noun:
            continue
        for exclusive in _exclusive():
            first, second = one.modifiers & exclusive, two.modifiers & exclusive
            if len(first) == len(second) == 1 and first != second:
                return Clash(one, two, f"{min(first)} and {min(second)}")
    return None


RULES: dict[str, Rule] = {
    "gender": gender,
    "person": person,
    "speaker": speaker,
    "given-name": given_name,
    "full-name": full_name,
    "noun": noun,
    "number": number,
    "modifier": modifier,
}
KINDS = tuple(RULES)


def _third(features: Features, wanted: str) -> list[MentionFeatures]:
    return [each for each in features if each.pronoun and each.pronoun.gender == wanted]


def _persons(features: Features, wanted: str) -> list[MentionFeatures]:
    return [each for each in features if each.pronoun and each.pronoun.person == wanted]


def _alternatives(document: Document, men: Features, women: Features) -> bool:
    """Whether two pronouns stand beside each other, as in `he or she` and `his/her`."""
    for one, two in product(men, women):
        first, second = sorted((one.mention.start, two.mention.start))
        if second - first == 2 and document.tokens[first + 1].lower() in _ALTERNATIVES:
            return True
    return False


def _same_voice(document: Document, one: MentionFeatures, two: MentionFeatures) -> bool:
    """Whether two pronouns are said in one turn, or written in one sentence, by the same."""
    if one.quotation != two.quotation or (one.speaker, one.turn) != (two.speaker, two.turn):
        return False
    if one.speaker:
        return not one.quotation
    first, second = sorted((one.mention.start, two.mention.start))
    sentence = bisect_right(document.sentences, first)
    between = document.text[document.starts[first] : document.starts[second]]
    return sentence == bisect_right(document.sentences, second) and "\n" not in between


def _full_names(features: Features) -> list[MentionFeatures]:
    """The mentions that may be full names of persons: no article, no place at their end."""
    low, high = _WORDS_OF_A_NAME
    return [
        each
        for each in features
        if low <= len(each.name) <= high
        and len(each.name[-1]) > 1
        and each.name[-1].lower() not in word_table("not_surnames")
        and each.text.split()[0].lower() not in _ARTICLES
    ]


def _any_variant(one: Sequence[str], two: Sequence[str]) -> bool:
    return any(_is_variant(a.lower(), b.lower()) for a, b in product(one, two))


def _is_variant(one: str, two: str) -> bool:
    """Whether two given names may be forms of one: an initial, a short form, a nickname."""
    short, long = sorted((one.rstrip("."), two.rstrip(".")), key=len)
    if long.startswith(short) or long[:_SAME_START] == short[:_SAME_START]:
        return True
    forms = {form for each in _nicknames() if long in each for form in each}
    return short in forms or (len(short) == 1 and any(form[0] == short for form in forms))


@cache
def _nicknames() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(row.split()) for row in word_rows("nicknames"))


@cache
def _exclusive() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(row.split()) for row in word_rows("exclusive_modifiers"))


def _gender_of(document: Document, each: MentionFeatures) -> str | None:
    """The gender that a title, a name or a noun tells."""
    if each.title:
        return each.title
    if each.noun:
        labels = word_table("gendered_words").get(each.noun, ())
        return labels[0] if labels and labels[0] != "any" else None
    if len(each.name) > 1:
        return name_gender(each.name[0])
    if each.name and not _is_surname(document, each.name[0]):
        return name_gender(each.name[0])
    return None


def _is_surname(document: Document, word: str) -> bool:
    """Whether a word follows another name in the document: `James` after `William`."""
    tokens = document.tokens
    return any(
        token == word and at and tokens[at - 1][:1].isupper() and tokens[at - 1] != word
        for at, token in enumerate(tokens)
    )


def _explains_number(each: MentionFeatures) -> bool:
    """Whether a mention is a group, or one whom they means."""
    if each.pronoun:
        return each.pronoun.gender == "neo"
    words: Iterator[str] = iter({each.noun, *(word.lower() for word in each.text.split())})
    return any(word in word_table("number_words") for word in words)
