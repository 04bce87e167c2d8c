"""Single mentions: taken from the scheme that has them, without a change to any other entity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

import coindex
from coindex import formats
from coindex.types.document import Document
from coindex.types.mention import Entity
from strategies import odd_texts

DOCS = Path(__file__).resolve().parents[3] / "docs"
TEXTS = (
    "Alice saw Bob. He was in Leeds.",
    "Anna Smith bought a red car in Leeds on Monday. She paid the dealer, and the dealer smiled.",
    "Hi Tom,\n\nthe printer on the second floor is broken. Could you call the technician?\n\nMia",
    "",
    "Yes.",
)


@cache
def plain() -> coindex.Resolver:
    return coindex.load(threads=1)


@cache
def singles() -> coindex.Resolver:
    return coindex.load(threads=1, singletons=True)


def spans(entity: Entity) -> tuple[tuple[int, int], ...]:
    return tuple((mention.start, mention.end) for mention in entity.mentions)


def several(document: Document) -> list[tuple[tuple[int, int], ...]]:
    return [spans(entity) for entity in document.entities if len(entity) > 1]


def words_of(document: Document) -> list[str]:
    return [
        " ".join(document.tokens[each.start : each.end])
        for entity in document.entities
        if len(entity) == 1
        for each in entity.mentions
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_entities_of_several_mentions_are_the_same(text: str) -> None:
    assert several(singles().resolve(text)) == several(plain().resolve(text))


@given(odd_texts)
@settings(max_examples=25, deadline=None)
def test_no_phrase_is_a_mention_twice_in_any_text(text: str) -> None:
    document = singles().resolve(text)
    assert several(document) == several(plain().resolve(text))
    every = [span for entity in document.entities for span in spans(entity)]
    assert len(set(every)) == len(every)
    starts = [entity.mentions[0].start for entity in document.entities]
    assert all(one <= two for one, two in pairwise(starts))


def test_things_and_places_of_short_texts_are_found() -> None:
    found = words_of(singles().resolve(TEXTS[1]))
    assert {"a red car", "Leeds"} <= set(found)
    assert words_of(plain().resolve(TEXTS[1])) == []


def test_single_mentions_have_a_confidence_and_a_kind() -> None:
    document = singles().resolve(TEXTS[0])
    (place,) = [e.mentions[0] for e in document.entities if spans(e) == ((7, 8),)]
    assert 0 < float(dict(place.attrs)["confidence"]) <= 1
    assert place.kind


def test_texts_are_resolved_as_they_come() -> None:
    asked = []

    def texts() -> Iterator[str]:
        for number in range(200):
            asked.append(number)
            yield TEXTS[number % len(TEXTS)]

    found = singles().resolve_all(texts())
    first = next(found)
    assert spans(first.entities[0]) == spans(singles().resolve(TEXTS[0]).entities[0])
    assert len(asked) < 100
    assert [d.text for d in [first, *found]] == [TEXTS[n % len(TEXTS)] for n in range(200)]


def test_a_scheme_that_is_named_is_followed_as_it_is() -> None:
    gum = coindex.load(threads=1, scheme="gum")
    assert words_of(gum.resolve(TEXTS[0])) == ["Alice", "Leeds"]


def test_what_somebody_owns_is_not_its_owner() -> None:
    text = "Ann lost her keys in Leeds. She was late for work. Her boss shouted at her."
    assert words_of(singles().resolve(text)) == ["her keys", "Leeds", "work", "Her boss"]


def test_a_phrase_within_another_one_has_another_head() -> None:
    found = words_of(singles().resolve(TEXTS[2]))
    assert "the second floor" in found
    assert "the printer" not in found


def test_no_mention_crosses_another_one_in_long_text() -> None:
    (tale,) = formats.read(DOCS / "examples" / "tales" / "tale-01.conll")
    assert isinstance(tale, Document)
    document = singles().resolve(tale)
    every = [span for entity in document.entities for span in spans(entity)]
    added = {spans(entity)[0] for entity in document.entities if len(entity) == 1}
    assert added
    for one in added:
        assert not any(one[0] < two[0] < one[1] < two[1] for two in every)


def test_the_default_scheme_by_its_name_has_them_too() -> None:
    named = coindex.load(threads=1, scheme="general", singletons=True)
    assert words_of(named.resolve(TEXTS[0])) == words_of(singles().resolve(TEXTS[0]))
