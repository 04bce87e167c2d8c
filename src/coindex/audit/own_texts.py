"""Counterfactual copies of the user's own texts.

A text is divided into passages of whole sentences, of about `WORDS` words, which are resolved on
their own. Who is a person, and of which gender, is known by the clusters of the resolver that is
audited and by lists of names; what cannot be exchanged safely is left out and counted (see
`coindex.generators`). Every exchange replaces single words by single words, so that the tokens of
both copies correspond.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from coindex import generators
from coindex.audit.fillings import BASE_ORIGIN, names_of, origins
from coindex.audit.templates import Passage
from coindex.generators.people import (
    Person,
    find_people,
    is_common_word,
    name_edits,
    pronoun_gender_of,
    rename_speakers,
)
from coindex.generators.protocol import Generated
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.transform.edit import replace_tokens
from coindex.types.document import Document

WORDS = 120
"""After how many words a passage ends, with its sentence."""


@dataclass(frozen=True, slots=True)
class ChangedTexts:
    """Pairs of a passage and its changed copy, and how many passages have none, by reason."""

    pairs: tuple[tuple[Passage, Passage], ...]
    refused: Counter[str]


def own_passages(documents: Iterable[Document]) -> tuple[Passage, ...]:
    """The passages of texts, in their order; ids are those of the texts with a number."""
    return tuple(
        Passage(f"{document.key}-{number}", "own", text, (), ())
        for document in documents
        for number, text in enumerate(_pieces(document.text), 1)
    )


def _pieces(text: str) -> Iterator[str]:
    spans = list(token_offsets(text))
    starts = [*sentence_starts(text, spans), len(spans)]
    first = 0
    for end in starts[1:]:
        if end - first >= WORDS or end == len(spans):
            yield text[spans[first][0] : spans[end - 1][1]]
            first = end


def changed_texts(
    passages: Sequence[Passage], resolved: Sequence[Document | None], change: str, label: str
) -> ChangedTexts:
    """The passages with a change: `genders`, `names`, or the pronouns `they` or `neo`."""
    pairs, refused = [], Counter[str]()
    for number, (passage, document) in enumerate(zip(passages, resolved, strict=True)):
        if document is None:
            refused["no clusters"] += 1
            continue
        made = _changed(document, change, number)
        if isinstance(made, str):
            refused[made] += 1
            continue
        copy = replace(passage, id=f"{passage.id}/{label}", text=made.text)
        if len(list(token_offsets(copy.text))) != len(list(token_offsets(passage.text))):
            refused["other tokens after the change"] += 1
        else:
            pairs.append((passage, copy))
    return ChangedTexts(tuple(pairs), refused)


def _changed(document: Document, change: str, number: int) -> Document | str:
    """The changed document, or why it cannot be changed."""
    rng = random.Random(f"{change} {document.text}")
    if change == "names":
        return _with_other_origin(document, number)
    if change == "genders":
        return _first(generators.load("genders").generator([document])(document, rng))
    persons = [each for each in document.entities if pronoun_gender_of(document, each)]
    if not persons:
        return "nobody with a pronoun of one gender"
    main = max(persons, key=len)
    alone = replace(document, entities=(main,))
    make = generators.load("pronouns").generator([alone], set=change)
    return _first(make(alone, rng))


def _first(generated: Generated) -> Document | str:
    return generated.variants[0].document if generated.variants else generated.why_none


def _with_other_origin(document: Document, number: int) -> Document | str:
    """The names of all persons exchanged for those of one origin, another one for each passage."""
    others = [each for each in origins() if each != BASE_ORIGIN]
    origin = others[number % len(others)]
    small = {token for token in document.tokens if token.islower()}
    mapping: dict[str, str] = {}
    for at, person in enumerate(find_people(document)):
        if _is_safe(person, small):
            _map(sorted(person.given), names_of(origin, person.gender or ""), at, mapping)
            _map(sorted(person.last), names_of(origin, "last"), at, mapping)
    if not mapping:
        return "no name of a person that can be exchanged"
    return rename_speakers(replace_tokens(document, name_edits(document, mapping)), mapping)


def _is_safe(person: Person, small: set[str]) -> bool:
    every = person.given | person.last
    known = person.gender is not None and len(person.first) < 2
    return known and not any(is_common_word(word) or word.lower() in small for word in every)


def _map(old: Sequence[str], pool: tuple[str, ...], at: int, mapping: dict[str, str]) -> None:
    """New words for old ones; two old words never become one."""
    for word in old:
        if word not in mapping:
            free = [each for each in pool[at:] + pool[:at] if each not in mapping.values()]
            if free:
                mapping[word] = free[0]
