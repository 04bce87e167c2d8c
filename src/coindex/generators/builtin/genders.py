"""Genders exchanged: every `he` becomes `she`, with names, titles and nouns, in the whole document.

    John Smith and his wife came . Mr. Smith said he was tired .
    Joan Smith and her husband came . Ms. Smith said she was tired .

What one gender showed about who is meant, the other shows now, so a model learns to use gender
and not that doctors are men. A document is left alone if a person has both a pronoun of one
gender and a given name that cannot be changed, or if it has a gendered noun without a
counterpart (`gender_pairs`): half an exchange would contradict itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from coindex.generators.people import (
    cased_like,
    draw_names,
    find_people,
    given_name_gender,
    longest_mentions,
    name_edits,
    person_name,
    pronoun_gender_of,
    rename_speakers,
)
from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.noun_phrase import PRONOUN_CASES, pronoun_case
from coindex.text.person_names import opposite_title
from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document
from coindex.types.mention import Entity

UNIT = "words"
OPTIONS: Mapping[str, tuple[str, ...]] = {}

_NEUTRAL = frozenset(
    {"guys", "count", "counts", "god", "gods", "host", "steward", "maid", "priest"}
)


def generator(documents: Sequence[Document]) -> Make:
    """Exchanges the genders of a document."""
    return _make


def _make(document: Document, rng: random.Random) -> Generated:
    if not any(pronoun_gender_of(document, entity) for entity in document.entities):
        return Generated.none("nobody with a pronoun of one gender")
    new = draw_names(document, find_people(document), rng, flip=True)
    edits = list(_word_edits(document))
    edited = {edit.start for edit in edits}
    edits += [e for e in name_edits(document, new.mapping) if e.start not in edited]
    reason = _why_not(document, set(new.mapping))
    if reason:
        generated = Generated.none(reason)
        generated.refused[reason] += len(edits)
        return generated
    changed = rename_speakers(replace_tokens(document, edits), new.mapping)
    return Generated([Variant(changed, "genders exchanged", len(edits))])


def _why_not(document: Document, changed: set[str]) -> str:
    pairs = labels("gender_pairs")
    for token in document.tokens:
        low = normalize(token)
        if low in words("gendered_nouns") and low not in pairs and low not in _NEUTRAL:
            return "a gendered noun without a counterpart"
    given = {person.entity: person.given for person in find_people(document)}
    for number, entity in enumerate(document.entities):
        if pronoun_gender_of(document, entity):
            names = given[number] if number in given else set(_gendered_names(document, entity))
            if not names <= changed:
                return "a given name that cannot be changed"
    return ""


def _gendered_names(document: Document, entity: Entity) -> Iterator[str]:
    """The given names of one gender by which an entity that is no person is called."""
    for mention in entity.mentions:
        name = person_name(document, mention)
        if name is not None and name.given and given_name_gender(name.given[0]):
            yield name.given[0]


def _word_edits(document: Document) -> Iterator[TokenEdit]:
    """The edits of pronouns, titles and nouns."""
    longest = longest_mentions(document)
    sets = {name: row.split() for name, row in labels("pronoun_sets").items()}
    for index, token in enumerate(document.tokens):
        case = pronoun_case(document, index, longest.get(index, index))
        low = normalize(token)
        if case is not None:
            other = sets["she" if low.startswith("h") and low[:3] != "her" else "he"]
            new: str | None = other[PRONOUN_CASES.index(case)]
        elif token[0].isupper() and _name_follows(document, index):
            new = opposite_title(token) or labels("gender_pairs").get(low)
        else:
            new = labels("gender_pairs").get(low) if low not in _NEUTRAL else None
        if new is not None:
            yield TokenEdit(index, index + 1, (cased_like(new, token),))


def _name_follows(document: Document, index: int) -> bool:
    after = document.tokens[index + 1 : index + 2]
    return bool(after) and after[0][0].isupper() and after[0].lower() not in words("function_words")
