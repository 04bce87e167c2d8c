"""What mentions say about gender, number, person and modifiers."""

from __future__ import annotations

import pytest

from coindex.text.agreement import Traits, exclusive, mention_traits


def traits(text: str, named: bool = False, head: int | None = None) -> Traits:
    tokens = tuple(text.split())
    return mention_traits(tokens, len(tokens) - 1 if head is None else head, named)


@pytest.mark.parametrize(
    ("text", "gender", "number", "person"),
    [
        ("she", "feminine", "singular", 3),
        ("him", "masculine", "singular", 3),
        ("its", "neuter", "singular", 3),
        ("they", "", "plural", 3),
        ("themself", "", "", 3),
        ("I", "", "singular", 1),
        ("us", "", "plural", 1),
        ("you", "", "", 2),
        ("her mother", "feminine", "singular", 3),
        ("the boys", "masculine", "plural", 3),
        ("the company", "", "", 3),
        ("these people", "", "plural", 3),
        ("a nurse", "", "singular", 3),
    ],
)
def test_words_state_gender_number_and_person(
    text: str, gender: str, number: str, person: int
) -> None:
    found = traits(text)
    assert (found.gender, found.number, found.person) == (gender, number, person)


def test_titles_state_a_gender_and_given_names_suggest_one() -> None:
    assert traits("Mrs. Lee", named=True).gender == "feminine"
    assert traits("James Lee", named=True).gender == ""
    assert traits("James Lee", named=True).likely_gender == "masculine"


def test_neopronouns_belong_to_their_set() -> None:
    assert traits("xem").neopronoun == traits("xyr").neopronoun == "xe"
    assert traits("faer").neopronoun == "fae"
    assert not traits("them").neopronoun


@pytest.mark.parametrize(
    ("first", "second", "excluded"),
    [
        ("red", "blue", True),
        ("first", "second", True),
        ("red", "old", False),
        ("red", "red", False),
    ],
)
def test_modifiers_of_one_scale_exclude_each_other(first: str, second: str, excluded: bool) -> None:
    assert bool(exclusive(frozenset({"the", first}), frozenset({"the", second}))) == excluded


def test_different_numbers_exclude_each_other() -> None:
    assert exclusive(frozenset({"2010"}), frozenset({"2014"}))
    assert not exclusive(frozenset({"2010"}), frozenset({"the"}))
