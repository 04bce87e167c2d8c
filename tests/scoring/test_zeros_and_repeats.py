"""Hand-made cases of zeros, one-to-one heads and repeated mentions, with their reasoning."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from coindex import Document, Entity, Mention, Span, score
from coindex.errors import UsageError
from coindex.formats.builtin import corefud as read_corefud
from coindex.scoring.alignment import align
from coindex.scoring.matching.one_to_one import best_pairs
from coindex.types.source import Source

HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def corefud(*rows: str) -> Document:
    """A document from rows of token number, DEPS and Entity; a blank row ends a sentence."""
    lines = []
    for row in rows:
        number, deps, entity = (*row.split(), "_", "_")[:3] if row else ("", "", "")
        misc = "_" if entity == "_" else f"Entity={entity}"
        lines.append(
            "\t".join([number, f"w{number}", *["_"] * 4, "0", "_", deps, misc]) if row else ""
        )
    text = HEADER + "\n".join(lines) + "\n"
    (document,) = read_corefud.read(text.splitlines(keepends=True), Source())
    return document


def f1(key: Document, response: Document, metric: str = "lea", **options: str) -> float:
    return score(key, response, metrics=metric, **options).scores[metric].f1


KEY = corefud("1 _ (e1--1-)", "2", "2.1 2:nsubj (e1--1-)", "3", "", "1 _ (e1--1-)")


def test_a_zero_is_found_by_its_word_and_number() -> None:
    same = corefud("1 _ (e1--1-)", "2", "2.1 _ (e1--1-)", "3", "", "1 _ (e1--1-)")
    assert f1(KEY, same) == 100
    elsewhere = corefud("1 _ (e1--1-)", "2", "3", "3.1 _ (e1--1-)", "", "1 _ (e1--1-)")
    found = score(KEY, elsewhere, metrics="mentions").scores["mentions"]
    assert found.counts == (2, 3, 2, 3), "the first and the last match, the zero does not"


def test_zeros_that_one_side_lacks_do_not_shift_the_words_of_the_other() -> None:
    response = corefud("0.1", "1 _ (e1--1-)", "2", "3", "3.1", "", "0.1", "1 _ (e1--1-)")
    ((key, other),) = align([KEY], [response])
    assert key.tokens == other.tokens
    assert [key.tokens[at] for at in key.sentences] == ["w0.1", "w0.1"]
    assert key.sentences == other.sentences == (0, 6)
    assert score(KEY, response, metrics="mentions").scores["mentions"].counts == (2, 3, 2, 2)
    assert f1(KEY, response, zeros="drop") == 100, "without the zero both have the same two"


def test_a_mention_does_not_gain_the_zeros_of_the_other_side() -> None:
    key = corefud("1 _ (e1--1-", "2 _ e1)", "3 _ (e1--1-)")
    response = corefud("1 _ (e1--1-", "1.1", "2 _ e1)", "3 _ (e1--1-)")
    assert f1(key, key) == 100
    assert f1(key, response) == 0, "three tokens are not two"
    assert f1(key, response, match="head") == 100, "they have one head"


def test_dependent_zeros_match_by_parent_and_relation_before_the_place() -> None:
    moved = corefud("1 _ (e1--1-)", "2", "3", "3.1 2:nsubj (e1--1-)", "", "1 _ (e1--1-)")
    assert f1(KEY, moved) < 100
    assert f1(KEY, moved, zero_match="dependent") == 100
    both = corefud("1 _ (e1--1-)", "2", "2.1 2:obj (e2--1-)", "3", "3.1 2:nsubj (e1--1-)", "", "1 _ (e1--1-)")  # fmt: skip
    assert score(KEY, both, metrics="muc", zero_match="dependent").scores["muc"].recall == 100
    assert score(KEY, both, metrics="muc").scores["muc"].recall == 50
    signature = score(KEY, both, zero_match="dependent").signature
    assert "|zeros:keep|zero-match:dependent|" in signature


def test_singletons_go_before_zeros() -> None:
    key = corefud("1 _ (e1--1-)", "1.1 _ (e1--1-)", "2 _ (e2--1-)")
    result = score(key, key, metrics="b3", zeros="drop", singletons="drop")
    assert result.scores["b3"].counts == (1, 1, 1, 1), "e1 had two mentions, e2 only one"


def test_dropped_singletons_take_no_match() -> None:
    def side(*entities: tuple[Mention, ...]) -> Document:
        return Document.of(
            "d", [["the", "old", "dog", "of", "Ann", "saw", "it"]], [Entity(e) for e in entities]
        )

    whole, part, it = (
        Mention((Span(a, b),), head=h) for a, b, h in ((0, 5, 2), (0, 3, 2), (6, 7, 6))
    )
    key = side((whole, it))
    response = side((part, it), (whole,))
    assert f1(key, response, match="head", singletons="drop") == 100
    assert f1(key, response, match="head") < 100, "the singleton has the very words of the key"


def test_heads_match_one_to_one_by_overlap() -> None:
    tokens = [["the", "old", "dog", "of", "Ann", "barked"]]
    long, short, word = (Mention((Span(a, b),), head=2) for a, b in ((0, 5), (1, 3), (2, 3)))
    key = Document.of("d", tokens, [Entity((long,), "1"), Entity((word,), "2")])
    response = Document.of(
        "d", tokens, [Entity((short,), "1"), Entity((Mention((Span(0, 4),), 2),), "2")]
    )
    # overlaps with the long one: 2/5 and 4/5; with the word: 1 and 1
    pairs = score(key, response, metrics="ceafm", match="head").scores["ceafm"]
    assert pairs.counts == (2, 2, 2, 2), "each of the two finds one"
    other = Document.of("d", tokens, [Entity((Mention((Span(0, 3),), head=0),))])
    assert (
        f1(
            Document.of("d", tokens, [Entity((Mention((Span(0, 3),), head=2),))]),
            other,
            match="head",
        )
        == 0
    )


def test_ties_go_to_the_earlier() -> None:
    assert best_pairs({(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.5, (1, 1): 0.5}) == [(0, 0), (1, 1)]
    assert best_pairs({(0, 0): 0.5, (1, 0): 0.5}) == [(0, 0)]
    assert best_pairs({(0, 0): 1.0, (0, 1): 0.9, (1, 0): 0.9}) == [(0, 1), (1, 0)]
    assert best_pairs({}) == []


def test_mention_overlap_by_hand() -> None:
    tokens = [["a", "b", "c", "d", "e", "f"]]
    key = Document.of("d", tokens, [Entity((Mention.at(0, 3), Mention.at(4, 6)))])
    response = Document.of("d", tokens, [Entity((Mention.at(1, 3), Mention.at(2, 5)))])
    # best: (0-2, 1-2) share 2 words, (4-5, 2-4) share 1: 3 of 5 key words, 3 of 5 response words
    assert score(key, response, metrics="mor").scores["mor"].counts == (3, 5, 3, 5)


def test_zero_anaphora_by_hand() -> None:
    key = corefud("1 _ (a--1-)", "1.1 _ (a--1-)", "2 _ (b--1-)", "2.1 _ (a--1-)", "3", "3.1 _ (b--1-)", "4", "4.1 _ (b--1-)", "5")  # fmt: skip
    response = corefud("1 _ (a--1-)", "1.1 _ (a--1-)", "2 _ (b--1-)", "2.1 _ (b--1-)", "3", "4", "4.1 _ (c--1-)", "5 _ (c--1-)", "5.1 _ (c--1-)")  # fmt: skip
    # 1.1 is resolved; 2.1 has a wrong link; 3.1 is not there; 4.1 begins an entity; 5.1 is spurious
    assert score(key, response, metrics="zero-anaphora").scores["zero-anaphora"].counts == (
        1,
        4,
        1,
        3,
    )


def entities(text: str) -> list[list[str]]:
    return [list(word) for word in text.split()]


# x is in two entities of the response. It goes to the larger one (y z x), or to the first (x),
# or it counts in both, and then the key finds it in the last one, (y z x).
KEY_SETS, REPEATED = entities("xa yz"), entities("xa yzx")


@pytest.mark.parametrize(
    ("repeats", "muc", "b3"),
    [
        ("largest", (1, 2, 1, 2), (3, 4, 1 + 5 / 3, 4)),
        ("first", (2, 2, 2, 2), (4, 4, 4, 4)),
        # recall: x and a are apart in the response: 1/2 + 1/2 + 2; precision: 2 + (4 + 1) / 3
        ("all", (1, 2, 2, 3), (3, 4, 2 + 5 / 3, 5)),
    ],
)
def test_repeated_mentions(repeats: str, muc: Iterable[float], b3: Iterable[float]) -> None:
    result = score(KEY_SETS, REPEATED, metrics="all", repeats=repeats)
    assert result.scores["muc"].counts == pytest.approx(tuple(muc))
    assert result.scores["b3"].counts == pytest.approx(tuple(b3))
    expected = "repeats-once:0+1" if repeats == "largest" else f"repeats:{repeats}|repeated:0+1"
    assert f"|{expected}|" in result.signature


def test_whole_entities_are_aligned_if_all_repeats_count() -> None:
    result = score(KEY_SETS, REPEATED, metrics="all", repeats="all")
    assert result.scores["ceafm"].counts == (4, 4, 4, 5)
    assert result.scores["mentions"].counts == (4, 4, 4, 4), "a mention is found once"
    assert score(KEY_SETS, KEY_SETS, repeats="all").signature.count("repeated") == 0


def test_unknown_choices_are_named() -> None:
    with pytest.raises(UsageError, match="repeats: expected largest or first or all, found 'some'"):
        score(KEY_SETS, REPEATED, repeats="some")
    with pytest.raises(UsageError, match="zero_match: expected linear or dependent"):
        score(KEY_SETS, REPEATED, zero_match="near")
