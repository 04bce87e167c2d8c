"""Errors on probes: lenient spans, then each kind of error worked out by hand."""

from __future__ import annotations

import pytest

from coindex.benchmarks.probe_score import ProbeErrors, score_probe
from coindex.benchmarks.probe_spans import matched_mentions
from coindex.errors import InvalidValue
from coindex.types.document import Document
from coindex.types.span import Chars
from probe_samples import Words, place, probe, resolved


@pytest.mark.parametrize(
    ("marked", "words", "entity"),
    [
        ("⟦3:⟦1:her⟧ brother⟧ left", "her", "1"),
        ("⟦3:⟦1:her⟧ brother⟧ left", "her brother", "3"),
        ("⟦1:Dr. Ann Lee⟧'s dog", "Ann Lee's", "1"),
        ("⟦1:the firm⟧ left", "firm", "1"),
        ("“⟦1:Moby Dick⟧” sank", "“Moby Dick”", "1"),
        ("⟦1:Acme Ltd.⟧ sank", "Acme", "1"),
        ("⟦1:Ann Lee⟧ left", "Lee", "1"),
        ("⟦1:Ann Lee⟧ left", "Ann", None),
        ("⟦1:the firm⟧ based in Oslo", "the firm based in Oslo", "1"),
        ("⟦1:the old building⟧ in Oslo", "the old building in Oslo", "1"),
        ("⟦1:the big, red car⟧", "car", "1"),
        ("⟦1:Ann Lee⟧, the mayor, left", "Ann Lee, the mayor", "1"),
        ("⟦1:Acme⟧'s head left", "Acme's head", None),
        ("⟦1:⟦2:Acme⟧'s head⟧ left", "Acme's", "2"),
        ("⟦1:the head of ⟦2:the firm⟧⟧ left", "the firm", "2"),
        ("⟦5:⟦1:Ann⟧ and ⟦2:Bo⟧⟧ left", "Ann and Bo", "5"),
        ("⟦5:Ann and Bo⟧ left", "Ann", None),
        ("⟦5:Ann and Bo⟧ left", "Bo", None),
        ("⟦5:Ann and Bo⟧, who sang, left", "Ann and Bo, who sang", "5"),
        ("⟦1:All of ⟦2:them⟧⟧ left", "them", "2"),
        ("⟦1:I⟧'m here", "I", "1"),
        ("⟦1:They⟧ both left", "They both", "1"),
        ("⟦1:all the men⟧ left", "the men", "1"),
        ("⟦1:all of ⟦2:the men⟧⟧ left", "the men", "2"),
        ("⟦1:all of the men⟧ left", "the men", None),
        ("⟦1:All⟧ left", "All", "1"),
        ("<b>⟦1:Mr&nbsp;Reid⟧</b> left", "Reid", "1"),
        ("<b>⟦1:Ann⟧</b> left", "<b>Ann</b>", "1"),
        ("⟦1:Zentaril 20 mg⟧ helps", "Zentaril", "1"),
        ("⟦1:Ann Dorn the Elder⟧ left", "Ann Dorn", "1"),
        ("⟦1:his wife Ada⟧ left", "his wife", "1"),
        ("⟦1:his wife Ada⟧ left", "Ada", "1"),
        ("⟦1:the school trip⟧ began", "school", None),
        ("⟦1:Petersen Toys⟧ closed", "Petersen", None),
        ("⟦1:Ann⟧ left. Ann sang", ("Ann", 1), None),
    ],
)
def test_which_marked_mention_is_meant(marked: str, words: Words, entity: str | None) -> None:
    each = probe(marked)
    found = matched_mentions(each.text, Chars(*place(each.text, words)), each.mentions)
    assert (found[0].entity if found else None) == entity


TWO = probe(
    "⟦1:Ann⟧ met ⟦2:Bo⟧, ⟦2?:a cook⟧, near ⟦3:the mill⟧. ⟦1:She⟧ saw that it rained."
    " ⟦2:He⟧ took ⟦2:his⟧ hat, and the hat flew off the roof of the house."
)
RIGHT: tuple[list[Words], ...] = (["Ann", "She"], ["Bo", "He", "his"])


def errors(*clusters: list[Words]) -> ProbeErrors:
    return score_probe(TWO, resolved(TWO.text, *clusters))


def counts(found: ProbeErrors) -> tuple[int, int, int, int, int]:
    return found.missing, found.merged, found.split, found.spurious, found.doubles


def test_all_is_right() -> None:
    assert errors(*RIGHT) == ProbeErrors()
    assert errors(*RIGHT).right


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        # nothing: five required mentions of two clusters
        ([], (5, 0, 0, 0, 0)),
        # the pronoun of the first entity is alone, so both are
        ([["Bo", "He", "his"]], (2, 0, 0, 0, 0)),
        ([["Ann"], ["She"], ["Bo", "He", "his"]], (2, 0, 0, 0, 0)),
        ([["Ann", "She"], ["Bo", "He"]], (1, 0, 0, 0, 0)),
        # two entities in one cluster
        ([["Ann", "She", "Bo", "He", "his"]], (0, 1, 0, 0, 0)),
        ([["Ann", "She", "the mill"], ["Bo", "He", "his"]], (0, 1, 0, 0, 0)),
        # an optional mention: in its own entity, and in another
        ([["Ann", "She"], ["Bo", "a cook", "He", "his"]], (0, 0, 0, 0, 0)),
        ([["Ann", "She", "a cook"], ["Bo", "He", "his"]], (0, 1, 0, 0, 0)),
        # merged and split at once: `his` is with Ann
        ([["Ann", "She", "his"], ["Bo", "He"]], (0, 1, 1, 0, 0)),
        # one entity in two clusters, through an unmarked noun
        ([["Ann", "She"], ["Bo", "He"], ["his", "the house"]], (0, 0, 1, 1, 0)),
        # unmarked: a noun in a marked cluster, a pronoun in any
        ([["Ann", "She", "the roof of the house"], ["Bo", "He", "his"]], (0, 0, 0, 1, 0)),
        ([*RIGHT, ["it", "the house"]], (0, 0, 0, 1, 0)),
        # further clusters of nouns, and entities of one mention
        ([*RIGHT, ["hat", "the hat"], ["the house"]], (0, 0, 0, 0, 0)),
        # a distractor with an unmarked noun
        ([*RIGHT, ["the mill", "the house"]], (0, 0, 0, 1, 0)),
    ],
)
def test_each_kind_of_error(clusters: list[list[Words]], expected: tuple[int, ...]) -> None:
    found = errors(*clusters)
    assert counts(found) == expected
    assert len(found.reasons) == sum(expected)
    assert found.right == (sum(expected[:4]) == 0)


def test_two_mentions_of_one_place_count_as_one() -> None:
    each = probe("⟦1:Dr. Lee⟧'s dog bit ⟦1:her⟧.")
    found = score_probe(each, resolved(each.text, ["Dr. Lee's", "Lee", "her"]))
    assert counts(found) == (0, 0, 0, 0, 1)
    assert found.right
    alone = score_probe(each, resolved(each.text, ["Dr. Lee's", "Lee"]))
    assert counts(alone) == (2, 0, 0, 0, 1), "what is left is one mention"


def test_one_of_two_marks_of_one_place_is_enough() -> None:
    each = probe("⟦2:⟦1:Her⟧ cousin ⟦2?:Pavel⟧⟧ said ⟦2:he⟧ saw ⟦1:her⟧.")
    whole, short = "Her cousin Pavel", "Pavel"
    for words in ([whole], [short], [whole, short]):
        found = score_probe(each, resolved(each.text, [*words, "he"], ["Her", "her"]))
        assert counts(found) == (0, 0, 0, 0, 0)
    alone = score_probe(each, resolved(each.text, ["he", "said"], ["Her", "her"]))
    assert counts(alone) == (1, 0, 0, 1, 0)


def test_reasons_are_words() -> None:
    found = errors(["Ann", "She", "Bo", "He"], ["his", "it"])
    assert found.reasons == (
        "merged: “Ann” @0, “She” @35 (entity 1) with “Bo” @8, “He” @59 (entity 2)",
        "split: entity 2: “Bo” @8, “He” @59 | “his” @67",
        "spurious: “it” @48 is in the cluster of entity 2 “his” @67",
    )


def test_capitals_and_relative_pronouns() -> None:
    each = probe("⟦1:ANN⟧ SAYS IT RAINS IN A TOWN THAT ⟦1:SHE⟧ LEFT")
    it = score_probe(each, resolved(each.text, ["ANN", "SHE"], ["IT", "A TOWN"]))
    that = score_probe(each, resolved(each.text, ["ANN", "SHE"], ["A TOWN", "THAT"]))
    assert (it.spurious, that.spurious) == (1, 0)
    named = probe("⟦1:Ann⟧ left the US, and ⟦1:she⟧ likes the US.")
    country: list[Words] = ["US", ("US", 1)]
    assert score_probe(named, resolved(named.text, ["Ann", "she"], country)).right


def test_white_space_and_tokens_may_differ() -> None:
    sentences = [TWO.text.replace(",", " ,").replace(".", " .").split()]
    bare = Document.of("x", sentences)
    again = resolved(bare.text, *RIGHT)
    assert score_probe(TWO, again).right
    with pytest.raises(InvalidValue, match="sample-01: expected a document with its text"):
        score_probe(TWO, Document("x", "Another text."))
