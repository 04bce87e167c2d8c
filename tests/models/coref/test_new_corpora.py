"""Corpora of other schemes in recipes: partial documents, what training is without, real files."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import training_samples as samples
from coindex import Document, Entity, Mention, Span, generators
from coindex.errors import InputError
from coindex.generators.run import RunOptions, SourceCorpus, generate, new_account
from coindex.models.coref.recipe import Corpus, Recipe, parse_recipe
from coindex.models.coref.train.clues import Clue
from coindex.models.coref.train.corpora import (
    CorpusItems,
    build_corpus,
    is_without,
    read_corpus,
)
from coindex.models.coref.train.examples import ExampleBuilder

NAMES = Document.of(
    "names",
    [["Ann", "Lee", "saw", "Rome", "."], ["Lee", "left", "Rome", "for", "Lee", "."]],
    [
        Entity((Mention.at(0, 2), Mention.at(5, 6)), "1"),
        Entity((Mention.at(3, 4), Mention.at(7, 8)), "2"),
        Entity((Mention.at(9, 10),), "3"),
    ],
)


@pytest.fixture(scope="module")
def builder(tiny: Path) -> ExampleBuilder:
    from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer

    return ExampleBuilder(SubwordTokenizer(load_tokenizer(str(tiny))), size=64, overlap=16)


def test_links_of_a_partial_document(builder: ExampleBuilder) -> None:
    example = builder.links(NAMES, 0)
    assert example is not None
    assert not len(example.spans)
    assert example.clues.each == (
        Clue((3, 4), (), ((0, 2),), link=True),
        Clue((5, 6), ((0, 2),), ((3, 4),), link=True),
        Clue((7, 8), ((3, 4),), ((0, 2), (5, 6)), link=True),
        Clue((9, 10), (), ((0, 2), (3, 4), (7, 8)), link=True),  # the other Lee is left open
    )
    alone = Document.of("alone", [["Ann", "saw", "Rome"]], [Entity((Mention.at(0, 1),), "1")])
    assert builder.links(alone, 0) is None


def test_links_give_no_loss_for_mentions(builder: ExampleBuilder, tiny: Path) -> None:
    import torch

    from coindex.models.coref.network import Model
    from coindex.models.coref.train.step import encode, losses
    from coindex.models.coref.weights import new_model

    recipe = Recipe(str(tiny), (Corpus(("a",), "a"),), hidden=8, span=8, window=64, overlap=16)
    model: Model = new_model(recipe)
    example = builder.links(NAMES, 0)
    assert example is not None
    (vectors,) = encode(model, [example], torch.device("cpu"))
    found = losses(model.head, example, vectors)
    assert found.mention.item() == 0.0
    assert found.mentions == 0
    assert found.clue.item() > 0.0
    assert found.clues == 4
    found.total(0.5).backward()  # type: ignore[no-untyped-call]


def test_a_corpus_of_partial_documents(builder: ExampleBuilder) -> None:
    corpus = Corpus(("x",), "a", partial=True)
    recipe = Recipe("e", (Corpus(("a",), "a"), corpus))
    alone = Document.of("alone", [["Ann", "saw", "Rome"]], [Entity((Mention.at(0, 1),), "1")])
    items = CorpusItems(corpus, (NAMES, alone), (), ())
    made = build_corpus(items, recipe, builder, split=True)
    assert len(made.examples) == 1
    assert made.remarks[1:] == ("left out: 1 documents without two mentions of an entity",)
    with pytest.raises(InputError, match="x: partial documents cannot be scored"):
        build_corpus(items, recipe, builder, split=False)


def test_mentions_are_left_out_by_reason(builder: ExampleBuilder) -> None:
    odd = Document.of(
        "odd", [["a"] * 40, ["b"] * 4],
        [
            Entity((*(Mention.at(at, at + 1) for at in (0, 2, 8)), Mention.at(0, 35)), "large"),
            Entity((Mention.at(0, 1), Mention((Span(4, 5), Span(6, 7))), Mention.at(39, 41)), "2"),
        ],
    )  # fmt: skip
    assert Counter(builder.unusable_mentions(odd)) == {
        "of more than 30 words": 1, "of a larger entity too": 1, "with gaps": 1,
        "across sentences": 1,
    }  # fmt: skip
    example = builder.document(odd, 0)
    assert example.spans.tolist() == [[0, 1], [2, 3], [8, 9]]
    assert len(set(example.entities.tolist())) == 1  # the span of two entities: the largest


@pytest.mark.parametrize(
    ("origin", "without", "expected"),
    [
        ("email/allen_p_1", ("email",), True),
        ("email2/allen_p_1", ("email",), False),
        ("gum/GUM_news_x part 0", ("*/GUM_news_*",), True),
        ("gum/GUM_bio_x", ("*/GUM_news_*", "ontogum"), False),
        ("gum/GUM_bio_x", (), False),
    ],
)
def test_without(origin: str, without: tuple[str, ...], expected: bool) -> None:
    assert is_without(origin, without) == expected


def test_all_that_was_generated_from_a_corpus_is_left_out(tmp_path: Path) -> None:
    stories = samples.stories(4)
    written = [
        document
        for corpus in ("email", "gum")
        for options in (RunOptions("surface", settings={"form": "upper"}), RunOptions("names"))
        for document in generate([SourceCorpus(corpus, stories)], options, new_account(options))
    ]
    assert {dict(document.meta)["corpus"] for document in written} == {"email", "gum"}
    file = samples.write(tmp_path / "made.jsonl", written, "document-jsonl")
    found = read_corpus(Corpus((str(file),)), ("email",), training=True)
    assert {dict(document.meta)["corpus"] for document in found.documents} == {"gum"}
    assert found.unseen == len(written) - len(found.documents) > 0
    assert not len(read_corpus(Corpus((str(file),)), ("email", "gum")))
    some = read_corpus(Corpus((str(file),)), ("gum/story-0[12]", "email"))
    assert {dict(d.meta)["document"] for d in some.documents} <= {"story-00", "story-03"}


def test_without_is_a_setting_of_a_recipe() -> None:
    values = {"encoder": "e", "train": [{"files": ["a"]}]}
    assert "without" not in parse_recipe(values).as_json()
    recipe = parse_recipe({**values, "without": ["email", "*/GUM_news_*"]})
    assert recipe.without == ("email", "*/GUM_news_*")
    assert parse_recipe(recipe.as_json()) == recipe


def test_a_corpus_for_scoring_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", os.fspath(data))
    scenes = data / "character-identification" / "character-identification.dev.jsonl.xz"
    for name in ("character-identification:dev", str(scenes)):
        with pytest.raises(InputError, match="found character-identification, which is for scor"):
            read_corpus(Corpus((name,)), training=True)
        assert len(read_corpus(Corpus((name,)))) == 121


REAL = {  # documents, and the mentions that are left out
    "email:train": (36, {"of a larger entity too": 287}),
    "meantime": (106, {"with gaps": 7, "of more than 30 words": 4, "of a larger entity too": 1}),
    "craft:train": (39, {"with gaps": 2709, "across sentences": 339, "of more than 30 words": 51}),
}


@pytest.mark.parametrize("name", sorted(REAL))
def test_real_corpora(
    name: str, data: Path, builder: ExampleBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", os.fspath(data))
    found = read_corpus(Corpus((name,), name.partition(":")[0]), training=True)
    count, left_out = REAL[name]
    assert len(found.documents) == count
    reasons = Counter(why for each in found.documents for why in builder.unusable_mentions(each))
    assert reasons == left_out


def test_real_links(data: Path, builder: ExampleBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", os.fspath(data))
    corpus = Corpus(("redocred:dev",), "a", partial=True)
    items = read_corpus(corpus, training=True)
    assert len(items.documents) == 499
    some = CorpusItems(corpus, items.documents[:60], (), ())
    made = build_corpus(some, Recipe("e", (Corpus(("a",), "a"), corpus)), builder, split=True)
    assert len(made.examples) > 50
    assert all(clue.link for example in made.examples for clue in example.clues)


def test_every_generator_is_a_plugin_with_a_summary() -> None:
    for name in generators.names():
        assert generators.load(name).UNIT.endswith("s")
