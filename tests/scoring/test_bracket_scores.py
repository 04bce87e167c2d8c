"""Labelled brackets by evalb's rules, by hand and by properties."""

from __future__ import annotations

import pytest

from coindex.errors import InvalidValue
from coindex.scoring.bracket_scores import (
    BracketCounts,
    bracket_scores,
    brackets,
    count_brackets,
)
from coindex.types.document import Document

WORDS = ("The", "dog", ",", "Rex", ",", "ran", "off", ".")
TAGS = ("DT", "NN", ",", "NNP", ",", "VBD", "RP", ".")
KEY = ("(TOP(S(NP(NP*", "*)", "*", "(NP*)", "*)", "(VP*", "(PRT*))", "*))")


def document(parse: tuple[str, ...], pos: tuple[str, ...] = TAGS) -> Document:
    return Document.of("d", [WORDS], pos=pos, parse=parse)


def test_brackets_by_hand() -> None:
    # without the commas and the stop: The dog Rex ran off = 0 1 2 3 4
    assert brackets(KEY, TAGS) == {
        ("S", 0, 5): 1, ("NP", 0, 3): 1, ("NP", 0, 2): 1, ("NP", 2, 3): 1,
        ("VP", 3, 5): 1, ("ADVP", 4, 5): 1,
    }  # fmt: skip


def test_a_tree_equals_itself() -> None:
    counts = count_brackets(document(KEY), document(KEY))
    assert counts == BracketCounts(6, 6, 6, 1, 1, 8, 8)
    assert bracket_scores([counts]) == {
        "recall": 100, "precision": 100, "f1": 100, "exact_match": 100, "tag_accuracy": 100,
    }  # fmt: skip


def test_a_wrong_tree_by_hand() -> None:
    # one phrase too few (NP 2-3), one with another border (VP 3-4), ADVP for PRT
    response = ("(TOP(S(NP(NP*", "*)", "*", "*", "*)", "(VP*)", "(ADVP*)", "*))")
    counts = count_brackets(document(KEY), document(response))
    assert (counts.both, counts.key, counts.response, counts.exact) == (4, 6, 5, 0)
    assert counts.recall == pytest.approx(66.6667)
    assert counts.precision == 80
    assert counts.f1 == pytest.approx(100 * 8 / 11)


@pytest.mark.parametrize("response", [
    ("(TOP(S(NP(NP*", "*", "*)", "(NP*", "*))", "(VP*", "(PRT*)", "*)))"),
    ("(TOP(S-1(NP-SBJ(NP*", "*)", "*", "(NP*)", "*)", "(VP=2*", "(PRT*))", "*))"),
    ("(ROOT(S(NP(NP*", "*)", "(X*)", "(NP*)", "*)", "(VP*", "(ADVP*))", "*))"),
])  # fmt: skip
def test_what_does_not_count(response: tuple[str, ...]) -> None:
    """Where punctuation hangs, functions, the root, phrases of punctuation, PRT or ADVP."""
    assert count_brackets(document(KEY), document(response)).exact == 1


def test_the_same_phrase_twice_counts_twice() -> None:
    twice = brackets(["(TOP(NP(NP*))", "*)"], ["NN", "."])
    assert twice == {("NP", 0, 1): 2}
    one = Document.of("d", [["it"]], pos=("PRP",), parse=("(TOP(NP(NP*)))",))
    two = Document.of("d", [["it"]], pos=("PRP",), parse=("(TOP(NP*))",))
    assert count_brackets(one, two).recall == 50
    assert count_brackets(two, one).precision == 50


def test_counts_add_up_and_empty_is_perfect() -> None:
    one, two = BracketCounts(1, 2, 3, 4, 5, 6, 7), BracketCounts(1, 1, 1, 1, 1, 1, 1)
    assert one + two == BracketCounts(2, 3, 4, 5, 6, 7, 8)
    assert bracket_scores([])["f1"] == 100


def test_tags_and_open_phrases() -> None:
    tags = ("DT", "NN", ",", "NNP", ",", "VBD", "IN", ".")
    assert count_brackets(document(KEY), document(KEY, tags)).tag_accuracy == 100 * 7 / 8
    assert brackets(["(S(NP*", "*"], ["DT", "NN"]) == {("S", 0, 2): 1, ("NP", 0, 2): 1}
    bare = Document.of("d", [WORDS], parse=KEY)
    assert count_brackets(document(KEY), bare).tags == 0


def test_what_cannot_be_compared() -> None:
    with pytest.raises(InvalidValue, match="d: brackets need trees on both sides"):
        count_brackets(document(KEY), Document.of("d", [WORDS]))
    short = Document.of("d", [WORDS[:1]], pos=TAGS[:1], parse=("(TOP*)",))
    with pytest.raises(InvalidValue, match="d: expected trees over 8 words, found 1"):
        count_brackets(document(KEY), short)


SHORT = ("NP", "VBD", "DT", "NN")
GOLD = ("(TOP(S(NP*)", "(VP*", "(NP*", "*))))")
EVALB = {  # a response to GOLD, and the brackets in both and in the response, counted by hand
    "the same": (GOLD, 4, 4),
    "another label": (("(TOP(S(NP*)", "(VP*", "(PP*", "*))))"), 3, 4),
    "another border": (("(TOP(S(NP*)", "(VP*", "*", "(NP*))))"), 3, 4),
    "attached elsewhere": (("(TOP(S(NP*", "*)", "(NP*", "*)))"), 2, 3),
    "flat": (("(TOP(S*", "*", "*", "*))"), 1, 1),
    "a unary chain": (("(TOP(S(NP(NP*))", "(VP*", "(NP*", "*))))"), 4, 5),
    "the chain in another order": (("(TOP(S(NP*)", "(VP*", "(ADJP(NP*", "*)))))"), 4, 5),
    "no root": (("(S(NP*)", "(VP*", "(NP*", "*)))"), 4, 4),
    "functions": (("(TOP(S-IMP(NP-SBJ-1*)", "(VP*", "(NP=2*", "*))))"), 4, 4),
}


@pytest.mark.parametrize("name", EVALB)
def test_evalb_counts_by_hand(name: str) -> None:
    response, both, total = EVALB[name]
    words = [["Ann", "saw", "the", "sea"]]
    one, two = (Document.of("d", words, pos=SHORT, parse=each) for each in (GOLD, response))
    counts = count_brackets(one, two)
    assert (counts.both, counts.key, counts.response) == (both, 4, total)


def test_traces_are_removed_with_the_phrases_that_hold_nothing_else() -> None:
    # what Ann saw *T*: without the trace its NP is empty, and S and VP end with the verb
    tags = ("WP", "NNP", "VBD", "-NONE-")
    trace = ("(SBAR(WHNP-1*)", "(S(NP*)", "(VP*", "(NP*))))")
    assert brackets(trace, tags) == {
        ("SBAR", 0, 3): 1, ("WHNP", 0, 1): 1, ("S", 1, 3): 1, ("NP", 1, 2): 1, ("VP", 2, 3): 1,
    }  # fmt: skip


def test_all_that_is_removed_and_made_equal() -> None:
    tags = ("``", "RB", ":", "RP", "''", ",", "-LRB-", "NN", "-RRB-", ".")
    parse = ("(S*", "(ADVP*)", "*", "(PRT*)", "*", "*", "(PRN*", "(NP*)", "*)", "*)")
    # "away : off '' , -LRB- word -RRB-": brackets are words, other punctuation is not
    assert brackets(parse, tags) == {
        ("S", 0, 5): 1, ("ADVP", 0, 1): 1, ("ADVP", 1, 2): 1, ("PRN", 2, 5): 1, ("NP", 3, 4): 1,
    }  # fmt: skip
