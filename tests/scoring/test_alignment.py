"""Bad input is explained: missing documents, other tokens, trees that do not fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coindex import Document, Entity, Mention, score
from coindex.errors import UnknownName, UsageError
from coindex.scoring.alignment import Mismatch, align
from coindex.scoring.external_trees import add_penn_trees
from coindex.scoring.metrics import expand
from coindex.scoring.scorer import ScoringOptions


def document(id: str, words: str = "Ann fed her dog", *spans: tuple[int, int]) -> Document:
    entities = [Entity(tuple(Mention.at(*span) for span in spans), "1")] if spans else []
    return Document.of(id, [words.split()], entities)


def test_missing_documents_are_named() -> None:
    key = [document(id) for id in "abc"]
    with pytest.raises(Mismatch, match=r"sys: .* found 2 missing: b, c \(--missing empty"):
        list(align(key, [document("a")], name="sys"))
    with pytest.raises(Mismatch, match=r"key: .* found 1 missing: d"):
        list(align(key, [document(id) for id in "abcd"]))
    extra = document("d", "Ann fed her dog", (0, 1))
    found = align(key, [document("a", "Ann fed her dog", (0, 1)), extra], missing="empty")
    assert [len(response.entities) for _, response in found] == [1, 0, 0, 1]
    assert [len(key.entities) for key, _ in found] == [0, 0, 0, 0]
    assert found.absent == (2, 1)


def parts(*names: str) -> list[Document]:
    """Documents by their ids, with a part after a colon if they have one."""
    made = []
    for name in names:
        id, _, part = name.partition(":")
        made.append(replace(document(id), part=int(part) if part else None))
    return made


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (parts("a:0", "b:0"), parts("b", "a")),
        (parts("a:0", "a:1"), parts("a_1", "a_0")),
        (parts("a_0", "b_0"), parts("b:0", "a:0")),
        (parts("a", "b"), parts("a:2", "b")),
        (parts("a:0", "a:1", "b:0"), parts("a:0", "a:1", "b")),
    ],
)
def test_documents_that_only_lack_a_part_are_paired(
    key: list[Document], response: list[Document]
) -> None:
    """Most formats have no parts, and `doc_key` ends with them."""
    found = align(key, response)
    assert [one.key for one, _ in found] == [each.key for each in key]
    assert [other.key for _, other in found] == [each.key for each in key]


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (parts("a:0", "a:1"), parts("a", "a_1")),
        (parts("a:0", "b:0"), parts("a:1", "b:1")),
        (parts("a:0", "b:0"), parts("a", "a_0", "b")),
    ],
)
def test_documents_are_not_paired_by_guess(key: list[Document], response: list[Document]) -> None:
    with pytest.raises(Mismatch, match="expected the same documents on both sides"):
        align(key, response)


def test_missing_documents_stand_in_the_signature_and_cost_what_they_hold() -> None:
    a, b = (document(id, "Ann fed her dog", (0, 1), (2, 3)) for id in "ab")
    result = score([a], [a, b], missing="empty", metrics="b3")
    assert "missing-empty:0+1" in result.signature
    assert (result.scores["b3"].recall, result.scores["b3"].precision) == (100, 50)
    result = score([a, b], [a], missing="empty", metrics="b3")
    assert "missing-empty:1+0" in result.signature
    assert (result.scores["b3"].recall, result.scores["b3"].precision) == (50, 100)


def test_the_first_different_token_is_shown() -> None:
    message = r"sys: a: token 1: expected 'fed', found 'feeds' \(5 tokens, not the 4 of the key\)"
    with pytest.raises(Mismatch, match=message):
        list(align([document("a")], [document("a", "Ann feeds her dog now")], name="sys"))
    with pytest.raises(Mismatch, match="expected 'dog', found the end after 3 tokens"):
        list(align([document("a")], [document("a", "Ann fed her")]))


def test_other_words_at_the_same_places_are_scored_and_noted() -> None:
    found = align([document("a")], [document("a", "Ann fed his dog")])
    assert found.notes == (
        "response: a: token 2: expected 'her', found 'his' (1 word differs; scored by position)",
    )
    with pytest.warns(UserWarning, match="expected 'her', found 'his'"):
        score(document("a", "Ann fed her dog", (0, 1)), document("a", "Ann fed his dog", (0, 1)))


def test_files_without_words_fit_any_words() -> None:
    assert not align([document("a", "_ _ _ _")], [document("a")]).notes


def test_one_document_on_each_side_needs_no_common_name() -> None:
    assert len(list(align([document("a")], [document("b")]))) == 1


def test_parts_are_documents_of_their_own() -> None:
    parts = [replace(document("a"), part=number) for number in (0, 1)]
    assert len(list(align(parts, parts))) == 2
    with pytest.raises(Mismatch, match="expected each document once, found 'a' again"):
        list(align([document("a")] * 2, [document("a")]))
    with pytest.raises(Mismatch, match="expected documents, found none"):
        list(align([], [document("a")]))


def test_zeros_may_be_dropped() -> None:
    whole = Document("a", "x y", ("x", "_", "y"), (0, 1, 2), (1, 1, 3), (0,),
                     (Entity((Mention.at(1, 2), Mention.at(2, 3)), "1"),), zeros=(1,))  # fmt: skip
    bare = Document.of("a", [["x", "y"]], [Entity((Mention.at(1, 2),), "1")])
    kept = score(whole, bare, metrics="b3").scores["b3"]
    assert (kept.recall, kept.precision) == (25, 100), "the zero is a mention that was missed"
    result = score(whole, bare, zeros="drop", metrics="b3")
    assert result.scores["b3"].f1 == 100
    assert "zeros:drop" in result.signature


def test_trees_are_laid_over_sentences() -> None:
    key = document("a")
    (found,) = add_penn_trees([key], "(S (NN Ann) (VP (VBD fed) (NP (PRP her) (NN dog))))", "t.mrg")
    assert found.parse == ("(S*", "(VP*", "(NP*", "*)))")
    assert found.pos == ("NN", "VBD", "PRP", "NN")
    for tree, message in [
        ("(S (NN Ann))", "sentence 1: expected a tree of 4 words .* found 1: 'Ann'"),
        (
            "(S (NN Bo) (VP (VBD fed) (NP (PRP her) (NN dog))))",
            "expected a tree over 'Ann', found 'Bo'",
        ),
        ("(S (NN Ann) (VBD fed) (PRP her) (NN dog)) (S (NN x))", "found 1 more"),
    ]:
        with pytest.raises(Mismatch, match=f"t.mrg: .*{message}"):
            list(add_penn_trees([key], tree, "t.mrg"))
    with pytest.raises(Mismatch, match=r"^t.mrg:1: 1 bracket"):
        list(add_penn_trees([key], "(S (NN x)", "t.mrg"))


def test_traces_of_treebanks_are_left_out_of_trees() -> None:
    key = document("a", "Ann fed her")
    tree = """( (S (NP-SBJ-1 (NNP Ann))
        (VP (VBD fed) (NP (PRP her)) (SBAR (-NONE- 0) (S (NP (-NONE- *T*-1)))) (-NONE- *U*))))"""
    (found,) = add_penn_trees([key], tree, "t.mrg")
    assert found.parse == ("(TOP(S(NP-SBJ-1*)", "(VP*", "(NP*))))")
    (kept,) = add_penn_trees([document("a", "Ann *T*-1")], "(S (NN Ann) (-NONE- *T*-1))", "t.mrg")
    assert kept.parse == ("(S*", "*)"), "the document has a word for it"


def test_empty_responses_and_singletons_are_defined() -> None:
    key = document("a", "Ann fed her dog", (0, 1), (2, 3))
    empty = document("a")
    result = score(key, empty, metrics="all")
    assert all(s.f1 == 0 for s in result.scores.values())
    alone = Document.of(
        "a", [["x", "y"]], [Entity((Mention.at(i, i + 1),), str(i)) for i in (0, 1)]
    )
    scores = score(alone, alone, metrics="all").scores
    assert scores["muc"].f1 == 0, "no link to find: 0/0 is 0"
    assert scores["b3"].f1 == scores["ceafe"].f1 == scores["lea"].f1 == scores["blanc"].f1 == 100
    assert score(alone, alone, metrics="b3", singletons="drop").scores["b3"].f1 == 0


def test_repeats_are_scored_and_told() -> None:
    twice = Document.of(
        "a", [["x", "y", "z"]],
        [Entity((Mention.at(0, 1), Mention.at(1, 2)), "1"), Entity((Mention.at(0, 1), Mention.at(2, 3)), "2")],
    )  # fmt: skip
    result = score(twice, twice, metrics="all")
    assert "repeats-once:1+1" in result.signature
    assert result.scores["conll"].f1 == 100


def test_names_of_metrics_and_options() -> None:
    assert expand("conll") == ("muc", "b3", "ceafe", "conll")
    assert expand("lea, bcub,lea") == ("lea", "b3")
    with pytest.raises(UnknownName, match="unknown metric 'f1'; expected one of: b3, blanc"):
        expand("f1")
    with pytest.raises(UsageError):
        expand([])
    with pytest.raises(UsageError, match="expected keep or drop"):
        ScoringOptions(singletons="maybe")
    with pytest.raises(UnknownName, match="exact"):
        score(document("a"), document("a"), match="fuzzy")
    with pytest.raises(UsageError, match="match exactly only"):
        score([{1}], [{1}], match="mina")


def test_the_signature_holds_all_that_matters() -> None:
    key = document("a", "Ann fed her dog", (0, 1), (2, 3))
    signature = score(key, key, metrics="lea", singletons="drop").signature
    assert signature.startswith("lea|match:exact|singletons:drop|zeros:keep|docs:1|v:")


def test_trees_pass_over_zeros_and_treebank_brackets() -> None:
    zero = Document("a", "( y", ("(", "_", "y"), (0, 1, 2), (1, 1, 3), (0,), zeros=(1,))
    (found,) = add_penn_trees([zero], "(S (-LRB- -LRB-) (NN y))", "t")
    assert found.parse == ("(S*", "", "*)")
    ((one, other),) = align([found], [Document.of("a", [["(", "y"]])])
    assert one.tokens == other.tokens == ("(", "_", "y"), "the response gets the zeros of the key"
    assert one.zeros == other.zeros == (1,)


def test_rules_that_merge_mentions_say_so() -> None:
    tokens = [["the", "dog", "of", "the", "king"]]
    parse = ("(NP(NP*", "*)", "(PP*", "(NP*", "*)))")
    tags = ("DT", "NN", "IN", "DT", "NN")
    entities = [Entity((Mention.at(0, 5),), "1"), Entity((Mention.at(0, 2),), "2")]
    key = Document.of("a", tokens, entities, pos=tags, parse=parse)
    assert "merged:1+1" in score(key, key, match="mina").signature
    assert "merged" not in score(key, key, match="head").signature, "heads match one to one"
    assert "repeats" not in score(key, key, match="mina").signature


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("a.conll", "found a str"),
        ({"a": [1]}, "found a dict"),
        (3, "found a int"),
        ([3], "found a int"),
    ],
)
def test_what_cannot_be_scored_is_refused(key: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        score(key, key)  # type: ignore[arg-type]


def test_plain_entities_of_any_shape() -> None:
    assert score([], []).scores["conll"].f1 == 0
    clusters = [[[0, 1], [3, 4]], [[5, 6]]]  # as JSON has them
    assert score(clusters, clusters).scores["conll"].f1 == pytest.approx(100)
    assert score(({1, 2} for _ in range(1)), [[1, 2]]).scores["muc"].f1 == 100
    with pytest.raises(UsageError, match="found one of each"):
        score([document("a")], [[1]])
    with pytest.raises(UsageError, match="missing: expected error or empty"):
        score([[1]], [[1]], missing="eror")
    assert expand(["all"]) == expand("all,lea")
