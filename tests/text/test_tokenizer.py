"""Tokens of plain text: marks stay with their letters, and no text takes more than its length."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.text.tokenizer import _TOKEN, line_starts, sentence_starts, token_offsets


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in token_offsets(text)]


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


WHOLE = """AT&T R&D vitamin-D 1980s 3D 7-year-old .... ?! !!! ... gov't O'Neil Ph.D. U.S. e.g. 'em ’80s
#science @ann C-3PO COVID-19 example.org snake_case 19th 1.5 10,000 4:00 24/7 -- — *** Mr. May-2006
https://example.org/a_(b)?c=1&d=2 www.example.org Jean-Luc 2nd-grade :) ;-) 👩🏽‍🚀 🇬🇧 ❤️"""


@pytest.mark.parametrize("token", WHOLE.split())
def test_these_are_one_token(token: str) -> None:
    assert words(f"so {token} it") == ["so", token, "it"]


SPLIT = {
    "AT&T's": "AT&T 's", "Ann&Bo": "Ann & Bo", "don't": "do n't", "cannot": "can not", "I'd've": "I 'd 've",
    "gonna": "gon na", "gimme": "gim me", "15%": "15 %", "$5": "$ 5", "he/she": "he / she",
    "late.She": "late . She", "_Ann_": "_ Ann _", "*Ann*": "* Ann *", "10-20": "10 - 20",
    "J. Smith": "J. Smith", "plan B. Then": "plan B . Then", "No. 5": "No. 5", "oh no. He": "oh no . He",
    "th- this": "th- this", "Ann- she": "Ann - she", "“Why?”": "“ Why ? ”", "Ann…": "Ann …",
}  # fmt: skip


@pytest.mark.parametrize("text", SPLIT)
def test_these_are_several(text: str) -> None:
    assert words(text) == SPLIT[text].split()


def sentences(text: str) -> list[str]:
    spans = list(token_offsets(text))
    firsts = [*sentence_starts(text, spans), len(spans)]
    return [" ".join(text[spans[a][0] : spans[b - 1][1]].split()) for a, b in pairwise(firsts)]


SENTENCES = [
    ["Why?!", "Nobody knew...", "She left."],
    ["It grew.[3]", "Ann left. [12]", "Bo stayed."],
    ["He joined Acme Inc.", "The firm grew."],
    ["Mr. Smith met J. Smith of the U.S. team."],
    ["We met at 4 p.m.", "She left."],
    ["She was late.", "He left."],
    ['"Why ? "', "He left ."],
]


@pytest.mark.parametrize("expected", SENTENCES)
def test_sentences_of_a_line(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_a_missing_space_does_not_join_sentences() -> None:
    assert sentences("Ann was late.She left.") == ["Ann was late.", "She left."]


LINES = [
    ["The Museum", "Ann runs the museum in the harbour, which is the oldest one in town."],
    ["Ann: are you there", "Bo: yes", "Ann: where is it? I looked", "Bo: no idea"],
    ["ann are you there", "yes", "where is he i looked everywhere", "no idea"],
    ["Things to buy", "- milk for Ann", "- her book", "* a pen"],
    ["1. Ann opens the door", "2. She leaves", "3. Bo closes it"],
    ["From: Ann Lee", "To: Bo Ray", "Subject: the keys", "Dear Bo,", "I lost them.", "Ann"],
    ["[12:03] <ann> hi", "[12:04] <bo> hi", "ok then. [12:05] <ann> bye"][:2],
    ["Roses are red", "Violets are blue", "Sugar is sweet"],
]


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "  \n\t"])
def test_lines_of_lists_and_chats_are_sentences(lines: list[str], newline: str) -> None:
    assert [s for s in sentences(newline.join(lines)) if s != "I looked"] == [
        line.removesuffix(" I looked") for line in lines
    ]


PROSE = """\
Clara Whitfield, who runs the Harbour Museum with her two sisters, wrote to
Tom on Monday. The museum had found his old letters in its attic, and Mrs.
Whitfield wanted him to have them before the end of the month, when
her successor would arrive."""


def test_wrapped_prose_is_split_at_stops_only() -> None:
    assert [s[:5] for s in sentences(PROSE)] == ["Clara", "The m"]
    assert [s[:5] for s in sentences("A Title\n" + PROSE)] == ["A Tit", "Clara", "The m"]
    assert len(sentences(PROSE.replace("\n", "\n> "))) == 5, "quoted lines are items"


@given(
    st.text()
    | st.lists(
        st.sampled_from(["a", "A", ".", "\n", "\r", ":", ">", "-", "1.", "Ann"]), max_size=40
    ).map(" ".join)
)
def test_lines_start_where_a_line_does(text: str) -> None:
    for start in line_starts(text):
        before, line, _ = text[:start].rpartition("\n")
        assert not text[start].isspace()
        assert not text[len(before) + len(line) : start].strip()


@given(st.text())
def test_every_sign_is_in_one_token(text: str) -> None:
    spans = list(token_offsets(text))
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {at for start, end in spans for at in range(start, end)}
    plain = text.replace("\ufeff", " ")
    assert covered.issuperset(at for at, sign in enumerate(plain) if not sign.isspace())
    assert list(token_offsets(plain)) == spans


@pytest.mark.parametrize("text", ["\ufeffAnn ran.", "Ann\ufeff ran.", "Ann ran.\n\ufeff\nBo fell."])
def test_a_byte_order_mark_is_white_space(text: str) -> None:
    spans = list(token_offsets(text))
    plain = text.replace("\ufeff", "").split()
    assert [text[start:end].rstrip(".") for start, end in spans if text[start] != "."] == [
        word.rstrip(".") for word in plain
    ]
    assert sentence_starts(text, spans) == ((0, 3) if "Bo" in text else (0,))
