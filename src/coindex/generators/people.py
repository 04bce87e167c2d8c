"""The persons of an annotated document, their names, and new names for them.

A person is an entity with a name that is written like a person's, and with a pronoun of one
gender, a title or a known given name. A name is split into titles, given names and last name.
New names are a mapping of words that holds for the whole document, so a family keeps a common
last name and every variant of a name changes alike. As no new word occurs in the document,
whatever was annotated before is right afterwards.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from coindex.text.mention_classes import KINDS, kind_of, pronoun_group
from coindex.text.noun_phrase import core_span
from coindex.text.person_names import GENDERS, first_name_gender, is_title, title_gender
from coindex.text.word_lists import labels, words
from coindex.transform.edit import TokenEdit
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

_PERSON_KINDS = frozenset({"person", "per"})
_INITIALS = re.compile(r"(?:[A-Z]\.?)+")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class PersonName:
    """The words of a name: `given` and `last` are empty where there are none.

    turned  whether the last name comes first, before a comma
    """

    titles: tuple[str, ...]
    given: tuple[str, ...]
    last: tuple[str, ...]
    turned: bool = False


@dataclass(slots=True)
class Person:
    """A person of a document: the index of the entity, the gender, and the words of the names.

    first  the different first words of given names: two if there is a nickname
    """

    entity: int
    gender: str | None
    first: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    last: set[str] = field(default_factory=set)


def given_name_gender(word: str) -> str | None:
    """The gender of a given name, by the census or by biographies; None if unknown."""
    census = first_name_gender(word)
    return census or labels("wiki_given_names").get(word.capitalize()) or None


def pronoun_gender_of(document: Document, entity: Entity) -> str | None:
    """`masculine` or `feminine` by an entity's pronouns; empty if they differ, None without any."""
    groups = {pronoun_group(document, mention) for mention in entity.mentions}
    genders = [gender for gender in GENDERS if gender in groups]
    return genders[0] if len(genders) == 1 else "" if genders else None


def split_name(tokens: Sequence[str]) -> PersonName | None:
    """The parts of a name of capitalised words; None if it is not written like a person's.

    One word is a last name after a title and a given name otherwise. `Lee , Ann` is turned.
    """
    plain = [token for token in tokens if token.rstrip(".").lower() not in words("name_suffixes")]
    turned = "," in plain
    if turned:
        at = plain.index(",")
        plain = [*plain[at + 1 :], *plain[:at]]
    lead = 0
    while lead < len(plain) and is_title(plain[lead]):
        lead += 1
    bare = [token for token in plain[lead:] if token not in words("name_particles")]
    if not bare or not all(_is_name_word(token) for token in bare):
        return None
    names = [token for token in bare if not _INITIALS.fullmatch(token) and token != "-"]
    if not names or len(names) > 4:
        return None
    titles = tuple(plain[:lead])
    if len(bare) == 1:
        return PersonName(titles, (), tuple(names)) if lead else PersonName((), tuple(names), ())
    cut = len(names) - (2 if len(bare) > 2 and bare[-2] == "-" else 1)
    return PersonName(titles, tuple(names[:cut]), tuple(names[cut:]), turned)


def _is_name_word(token: str) -> bool:
    if token == "-" or _INITIALS.fullmatch(token):
        return True
    return token[0].isupper() and _WORD.fullmatch(token) is not None


def person_name(document: Document, mention: Mention) -> PersonName | None:
    """The name that a mention is, if it is one of a person."""
    tokens = document.tokens[mention.start : mention.end]
    if mention.discontinuous or kind_of(document, mention) != "name" or tokens[0] == "the":
        return None
    if "," not in tokens or len(tokens) > 5:
        core = core_span(document, mention, named=True)
        tokens = document.tokens[core.start : core.end]
    return split_name(tokens)


def find_people(document: Document) -> list[Person]:
    """The persons of a document that have a name."""
    named = [
        []
        if is_thing(document, entity)
        else [name for mention in entity.mentions if (name := person_name(document, mention))]
        for entity in document.entities
    ]
    genders = [pronoun_gender_of(document, entity) for entity in document.entities]
    speak = [_speaks(document, entity) for entity in document.entities]
    people = [
        person
        for number, names in enumerate(named)
        if names and (person := _person(number, names, genders[number], speak[number]))
    ]
    full = {word for person in people for word in person.last}
    given = {name.given[0] for names in named for name in names if name.given and name.last}
    for person in people:  # `Lee` alone, of Ann Lee, is no given name
        single = person.first - given
        moved = {w for w in single if w in full or (not person.last and _is_last_name(w))}
        person.last |= moved
        person.first -= moved
        person.given -= moved
    return people


def entity_type(mention: Mention) -> str | None:
    """The type that the corpus gives a mention: `person`, `place`; None if it gives none.

    Resolvers label mentions as pronouns, names and nominals, which says nothing of the type.
    LitBank's labels have both: `PROP_PER`.
    """
    return None if mention.kind in (None, *KINDS) else mention.kind.rpartition("_")[2]


def is_thing(document: Document, entity: Entity) -> bool:
    """Whether the corpus, a pronoun or a name shows that an entity is no person."""
    for mention in entity.mentions:
        if (type := entity_type(mention)) is not None and type.lower() not in _PERSON_KINDS:
            return True
        last = document.tokens[mention.end - 1].rstrip(".").lower()
        if last in words("organisation_words") or pronoun_group(document, mention) == "neuter":
            return True
    return False


def _speaks(document: Document, entity: Entity) -> bool:
    """Whether an entity is `I` or `you` somewhere."""
    groups = (pronoun_group(document, mention) for mention in entity.mentions)
    return any(group in ("first", "second") for group in groups)


def _person(
    number: int, names: Sequence[PersonName], pronouns: str | None, speaks: bool
) -> Person | None:
    if pronouns == "":
        return None
    first = {name.given[0] for name in names if name.given}
    by_name = {gender for word in first if (gender := given_name_gender(word))}
    titles = [word for name in names for word in name.titles]
    by_title = {gender for word in titles if (gender := title_gender(word))}
    known = [{pronouns} if pronouns else set(), by_title, by_name]
    gender = next((next(iter(each)) for each in known if len(each) == 1), None)
    titled = any(name.titles for name in names)
    shown = pronouns is not None or titled or (speaks and by_name)
    if not shown and not any(map(_is_known_name, names)):
        return None  # perhaps a place
    given = {word for name in names for word in name.given}
    return Person(number, gender, first, given, {word for name in names for word in name.last})


def _is_known_name(name: PersonName) -> bool:
    """Whether a name has a known given name, and a known last name or one before a comma."""
    known = words("last_names") | words("wiki_surnames")
    given = any(given_name_gender(word) for word in name.given)
    return given and (name.turned or any(word.lower() in known for word in name.last))


def _is_last_name(word: str) -> bool:
    low = word.lower()
    listed = low in words("last_names") or low in words("wiki_surnames")
    return listed and given_name_gender(word) is None


@cache
def given_names(gender: str) -> tuple[str, ...]:
    """Given names of a gender that are no other words, sorted."""
    census = (
        name.capitalize() for name in words("first_names") if first_name_gender(name) == gender
    )
    wiki = (name for name, each in labels("wiki_given_names").items() if each == gender)
    return tuple(sorted(filter(_is_plain_name, {*census, *wiki})))


@cache
def last_names() -> tuple[str, ...]:
    """Last names that are no other words, sorted."""
    every = {name.capitalize() for name in (*words("last_names"), *words("wiki_surnames"))}
    return tuple(sorted(filter(_is_plain_name, every)))


def _is_plain_name(name: str) -> bool:
    known = name.lower() in words("names_not_drawn")
    return len(name) > 2 and name.isalpha() and not known and not is_common_word(name)


def is_common_word(name: str) -> bool:
    """Whether a name is also a word of the language: `Will`, `Rose`."""
    low = name.lower()
    return any(low in words(each) for each in ("vocabulary", "function_words", "not_people"))


@dataclass(slots=True)
class NewNames:
    """New words for the words of names, and the persons whose names stay, by reason."""

    mapping: dict[str, str] = field(default_factory=dict)
    changed: list[Person] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


def draw_names(
    document: Document, people: Iterable[Person], rng: random.Random, *, flip: bool = False
) -> NewNames:
    """New names for persons; with `flip`, given names of the other gender and no new last names."""
    new = NewNames()
    taken = {token.lower() for token in document.tokens}
    small = {token for token in document.tokens if token.islower()}
    genders: dict[str, str | None] = {}
    for person in people:
        changing = person.given if flip else person.given | person.last
        reason = _why_not(person, changing, small, genders)
        if reason:
            new.refused[reason] += 1
            continue
        genders.update(dict.fromkeys(person.given, person.gender))
        new.changed.append(person)
        for word in sorted(person.given):
            gender = person.gender or "masculine"
            chosen = GENDERS[1 - GENDERS.index(gender)] if flip else gender
            _draw(word, given_names(chosen), new.mapping, taken, rng)
        for word in () if flip else sorted(person.last):
            _draw(word, last_names(), new.mapping, taken, rng)
    return new


def _why_not(
    person: Person, changing: set[str], small: set[str], genders: Mapping[str, str | None]
) -> str:
    if len(person.first) > 1:
        return "two given names of one person"
    if person.given and person.gender is None:
        return "a given name of unknown gender"
    if any(genders.get(word, person.gender) != person.gender for word in person.given):
        return "a given name of two genders"
    if any(is_common_word(word) or word.lower() in small for word in changing):
        return "a name that is also a word"
    return ""


def _draw(
    word: str, pool: Sequence[str], mapping: dict[str, str], taken: set[str], rng: random.Random
) -> None:
    while word not in mapping:
        new = rng.choice(pool)
        if new.lower() not in taken:
            mapping[word] = new
            taken.add(new.lower())


def name_edits(document: Document, mapping: Mapping[str, str]) -> Iterator[TokenEdit]:
    """The edits that exchange the words of names wherever they occur, plurals and capitals too."""
    every = {**{f"{old}s": _plural(new) for old, new in mapping.items()}, **mapping}
    every |= {old.upper(): new.upper() for old, new in every.items() if len(old) > 2}
    for index, token in enumerate(document.tokens):
        if token in every:
            yield TokenEdit(index, index + 1, (every[token],))


def rename_speakers(document: Document, mapping: Mapping[str, str]) -> Document:
    """The document with the new names in the names of its speakers: `HughMcGuire`."""
    if document.speakers is None or not mapping:
        return document
    pattern = re.compile("|".join(sorted(map(re.escape, mapping), key=len, reverse=True)))
    names = {
        name: pattern.sub(lambda match: mapping[match[0]], name) for name in set(document.speakers)
    }
    return replace(document, speakers=tuple(names[name] for name in document.speakers))


def longest_mentions(document: Document) -> dict[int, int]:
    """The end of the longest mention that begins with each token."""
    longest: dict[int, int] = {}
    for mention in document.mentions:
        longest[mention.start] = max(mention.end, longest.get(mention.start, 0))
    return longest


def cased_like(word: str, old: str) -> str:
    """A word in the case of the one it replaces: `She` for `He`, `SHE` for `HE`."""
    if old.isupper() and len(old) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if old[0].isupper() else word


def _plural(name: str) -> str:
    return f"{name}es" if name.endswith(("s", "x", "z", "ch", "sh")) else f"{name}s"
