"""Span lengths, shared minimum spans and annotated minimums, by hand and on GUM."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from coindex import formats
from coindex.errors import UsageError
from coindex.scoring.alignment import Mismatch
from coindex.scoring.external_trees import add_document_trees, add_penn_trees
from coindex.scoring.matching.builtin.mina import minimum_span
from coindex.scoring.span_statistics import SpanStatistics, describe, histogram, measure_spans
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

SHOP = "(S (NP (NP (DT the) (NN owner)) (PP (IN of) (NP (DT the) (NN shop)))) (VP (VBD saw) (NP (PRP it))))"
PETS = "(NP (NP (DT the) (NN man)) (CC and) (NP (DT the) (NN dog)))"
UNDER = "(PP (IN under) (NP (DT the) (NNS bleachers)))"
ILL = "(S (NP (PRP she)) (VP (VBD was) (ADJP (RB very) (JJ ill))))"


def document(trees: str, *entities: list[tuple[int, int] | Mention]) -> Document:
    """A document of one tree a line, with entities of token ranges."""
    rows = [[w.rstrip(")") for w in t.split() if not w.startswith("(")] for t in trees.split("\n")]
    made = [
        Entity(tuple(m if isinstance(m, Mention) else Mention.at(*m) for m in mentions))
        for mentions in entities
    ]
    return next(add_penn_trees([Document.of("d", rows, made)], trees, "trees"))


def test_lengths_by_hand() -> None:
    counts = measure_spans(document(SHOP, [(0, 5)], [(3, 5), (6, 7)]))
    assert counts.maximum == Counter({5: 1, 2: 1, 1: 1})
    assert counts.mina == Counter({2: 2, 1: 1})
    assert (counts.overlapping, counts.shared, counts.whole, counts.dummy) == (1, (), 0, 0)
    told = describe(counts)
    assert told["mean length"] == {"maximum": 8 / 3, "mina": 5 / 3, "head": 1.0}
    assert told["minimum contained, %"] == {"mina": None, "head": None}


def test_histogram_ends_with_all_the_longer_ones() -> None:
    assert histogram(Counter({1: 5, 3: 2, 4: 1, 9: 2})) == {"1": 5, "2": 0, "3": 2, ">=4": 3}
    assert histogram(Counter()) == {"1": 0, "2": 0, "3": 0, ">=4": 0}


def test_a_head_is_shared_where_a_minimum_span_is_not() -> None:
    counts = measure_spans(document(PETS, [(0, 5)], [(0, 2)], [(3, 5)]))
    (pair,) = counts.shared
    assert (pair.rule, pair.first, pair.second, pair.minimum) == (
        "head",
        (0, 1),
        tuple(range(5)),
        (1,),
    )
    assert pair.words == ("the man", "the man and the dog", "man")
    assert not pair.same_entity
    assert counts.overlapping == 2


def test_a_minimum_span_that_is_shared_is_listed() -> None:
    counts = measure_spans(document(SHOP, [(0, 5), (0, 2)]))
    pairs = {pair.rule: pair for pair in counts.shared}
    assert pairs["mina"].minimum == (0, 1)
    assert pairs["mina"].words == ("the owner", "the owner of the shop", "the owner")
    assert pairs["mina"].same_entity
    assert describe(counts)["of these in one entity"] == {"mina": 1, "head": 1}


def test_a_prepositional_phrase_has_the_minimum_span_of_its_noun_phrase() -> None:
    counts = measure_spans(document(UNDER, [(0, 3), (1, 3)]))
    pairs = {pair.rule: pair for pair in counts.shared}
    assert pairs["mina"].words == ("under the bleachers", "the bleachers", "the bleachers")
    assert counts.whole == 0


def test_what_is_kept_whole_and_what_is_no_phrase() -> None:
    counts = measure_spans(document("(NP (DT the) (CC and))", [(0, 2)]))
    assert (counts.whole, counts.dummy) == (1, 0)
    counts = measure_spans(document(ILL, [(0, 1), (2, 4)]))
    assert (counts.whole, counts.dummy) == (0, 0)
    counts = measure_spans(document(SHOP, [(4, 6)]))  # "shop saw"
    assert counts.dummy == 1


def test_a_mention_of_several_entities_is_one_mention() -> None:
    counts = measure_spans(document(SHOP, [(0, 5)], [(0, 5), (6, 7)]))
    assert counts.mentions == 2
    assert counts.shared == ()


def test_discontinuous_mentions_keep_their_words() -> None:
    apart = Mention((Span(0, 2), Span(3, 5)))
    counts = measure_spans(document(PETS, [apart], [Mention.at(2, 3)], [(1, 2)]))
    assert (counts.discontinuous, counts.mina[4], counts.whole) == (1, 1, 0)
    assert counts.overlapping == 1  # the gap is not part of it


@pytest.mark.parametrize(
    ("value", "annotated", "unreadable", "mina", "head"),
    [
        ("2", 1, 0, 1, 1),
        ("1,2", 1, 0, 1, 0),
        ("5", 1, 0, 0, 0),
        ("6", 0, 1, 0, 0),
        ("0", 0, 1, 0, 0),
        ("owner", 0, 1, 0, 0),
        ("", 0, 0, 0, 0),
    ],
)
@pytest.mark.parametrize("name", ["minspan", "min"])
def test_annotated_minimums(
    name: str, value: str, annotated: int, unreadable: int, mina: int, head: int
) -> None:
    counts = measure_spans(document(SHOP, [Mention((Span(0, 5),), attrs=((name, value),))]))
    assert (counts.annotated, counts.unreadable) == (annotated, unreadable)
    assert (counts.contained["mina"], counts.contained["head"]) == (mina, head)


def test_counts_add_up() -> None:
    one, two = (
        measure_spans(document(PETS, [(0, 5)], [(0, 2)])),
        measure_spans(document(UNDER, [(0, 3), (1, 3)])),
    )
    total = sum((one, two), SpanStatistics())
    assert total.mentions == 4
    assert total.maximum == one.maximum + two.maximum
    assert total.shared == one.shared + two.shared
    assert describe(SpanStatistics())["mean length"] == {
        "maximum": None,
        "mina": None,
        "head": None,
    }


def test_without_trees_the_error_says_what_to_supply() -> None:
    with pytest.raises(UsageError, match="--trees"):
        measure_spans(Document.of("d", [["she", "slept"]], [Entity((Mention.at(0, 1),))]))


def test_trees_are_laid_over_documents() -> None:
    tree = replace(document(SHOP), part=0)
    plain = Document.of("d", [tree.tokens], [Entity((Mention.at(0, 5),))])
    (laid,) = add_document_trees([plain], [tree], "other")
    assert (laid.parse, laid.pos, laid.entities) == (tree.parse, tree.pos, plain.entities)
    zero = Document.of("d", [(*tree.tokens, "_")], plain.entities, zeros=(7,))
    (laid,) = add_document_trees([zero], [tree], "other")
    assert laid.parse == (*(tree.parse or ()), ""), "a zero stands in no tree"
    with pytest.raises(Mismatch, match=r"other: expected trees for 'e', found none"):
        list(add_document_trees([replace(plain, id="e")], [tree], "other"))
    for words in (["a", *tree.tokens[1:]], [*tree.tokens, "again"]):
        with pytest.raises(Mismatch, match="other: d: expected a tree o"):
            list(add_document_trees([Document.of("d", [words])], [tree], "other"))


def _documents(path: Path) -> list[Document]:
    return [item for item in formats.read(path) if isinstance(item, Document)]


SHARED = {  # distinct overlapping mentions that have the same minimum span, and those of one head
    "dev": (
        [
            ("their", "their normal environment , activity level"),
            ("under the bleachers", "the bleachers"),
            ("shortly before her death", "her death"),
            ("why the House passed Articles", "the House"),
        ],
        18,
    ),
    "test": (
        [
            ("Lewis et al. , 2014 eds.", "Lewis et al. , 2014 eds. )"),
            ("Brahms", "Brahms and the prominent critic Eduard Hanslick"),
            ("Melvin Dobson", "Melvin Dobson arriving at the scene to the rescue of his daughter"),
            ("Kennedy", "Kennedy versus Washington"),
            ("no one", "no one picked for their side"),
            ("The largest of the trainers", "The largest of the trainers ,"),
            ("the elements copper", "oxygen"),
            ("how I 'm mapping this out", "I"),
        ],
        13,
    ),
}


@pytest.mark.data
@pytest.mark.parametrize("split", SHARED)
def test_ontogum_lengths_and_shared_spans(data: Path, split: str) -> None:
    documents = _documents(data / "gum" / f"ontogum.{split}.gold_conll.xz")
    counts = sum(map(measure_spans, documents), SpanStatistics())
    mean = describe(counts)["mean length"]
    assert isinstance(mean, dict)
    assert 1 < mean["mina"] < 0.75 * mean["maximum"]
    by_key = {document.key: document for document in documents}
    shared = {rule: [p for p in counts.shared if p.rule == rule] for rule in ("mina", "head")}
    listed, heads = SHARED[split]
    assert (len(shared["mina"]), len(shared["head"])) == (len(listed), heads)
    for pair, (one, other) in zip(shared["mina"], listed, strict=True):
        assert pair.words[0].startswith(one)
        assert pair.words[1].startswith(other)
        assert pair.first != pair.second
        assert set(pair.first) & set(pair.second)
        for tokens in (pair.first, pair.second):
            assert all(b == a + 1 for a, b in pairwise(tokens))
            found = minimum_span(by_key[pair.document], tokens[0], tokens[-1] + 1)
            assert found == pair.minimum


@pytest.mark.data
def test_gum_minimums_are_contained(data: Path) -> None:
    documents = _documents(data / "corefud" / "en_gum-ud-dev.conllu")
    trees = _documents(data / "gum" / "gum.dev.gold_conll.xz")
    counts = sum(
        map(measure_spans, add_document_trees(documents, trees, "gum.dev")), SpanStatistics()
    )
    assert counts.annotated == counts.mentions == 7897
    assert counts.unreadable == 0
    shares = {rule: counts.contained[rule] / counts.annotated for rule in ("mina", "head")}
    assert shares["mina"] == pytest.approx(0.94985, abs=1e-5)
    assert 0.85 < shares["head"] < shares["mina"]
