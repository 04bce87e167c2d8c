"""Tokens of plain text: marks stay with their letters, and no text takes more than its length."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.core.tokenize import _TOKEN, tokens


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(text)]


@pytest.mark.parametrize("text", ["José García", "Björn’s Änne", "Renée-Élise", "Ångström"])
def test_composed_or_not_the_words_are_the_same(text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert words(apart) == [unicodedata.normalize("NFD", word) for word in words(text)]


def test_joiners_and_soft_hyphens_are_inside_of_words() -> None:
    assert words("co\u00adop می\u200cخواهم हिन्दी .") == [
        "co\u00adop", "می\u200cخواهم", "हिन्दी", ".",
    ]  # fmt: skip


def test_a_mail_address_is_one_token() -> None:
    assert words("to ann.lee+x@mail.example.org .") == ["to", "ann.lee+x@mail.example.org", "."]


def test_no_part_of_the_pattern_looks_ahead_without_end() -> None:
    """What follows a name of a mailbox is looked for 64 signs far, not to the end of the text."""
    assert "{1,64}@" in _TOKEN.pattern
    assert len(words("a+" * 20_000)) == 40_000


@given(st.text())
def test_every_sign_is_in_one_token(text: str) -> None:
    spans = list(tokens(text))
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(at in covered for at, sign in enumerate(text) if not sign.isspace())
