"""Roles that a text states of whom it names."""

from __future__ import annotations

import pytest

from coindex.models.coref.infer.stated_roles import can_mean, stated_roles


def nouns(text: str) -> set[str]:
    """The nouns of the roles of the name in brackets."""
    tokens = text.lower().split()
    start, end = tokens.index("["), tokens.index("]") - 1
    plain = [token for token in tokens if token not in ("[", "]")]
    return {noun for noun, _ in stated_roles(plain, start, end)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ Judge Okafor ] left", {"judge"}),
        ("[ Dr. Obi ] left", {"dr", "doctor"}),
        ("[ Deputy Mayor Ann Lee ] left", {"deputy", "mayor"}),
        ("[ Mrs. Lee ] left", set()),
        ("[ Judge ] left", set()),
        ("the economist [ Lindiwe Maseko ] left", {"economist"}),
        ("its chief executive , [ Ingrid Moe ] , left", {"executive"}),
        ("in the kitchen , [ Ingrid Moe ] slept", set()),
        ("[ Karl Brandvold ] , a lawyer from Bergen , left", {"lawyer"}),
        ("[ Karl Brandvold ] , the mayor 's brother , left", set()),
        ("[ The Aurora ] is an old ferry", {"ferry"}),
        ("[ Ann ] is late", set()),
        ("[ Ann ] , who left , slept", set()),
        ("[ Ann ] is the", set()),
        ("[ Ann ]", set()),
    ],
)
def test_roles_are_stated_before_in_and_after_a_name(text: str, expected: set[str]) -> None:
    assert nouns(text) == expected


def test_a_description_says_no_more_than_the_role() -> None:
    role = ("executive", frozenset({"chief"}))
    assert can_mean(role, "executive", frozenset({"the", "chief"}))
    assert can_mean(role, "executive", frozenset({"the"}))
    assert not can_mean(role, "executive", frozenset({"the", "former"}))
    assert not can_mean(role, "director", frozenset({"the"}))
