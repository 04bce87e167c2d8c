"""Views, mentions as arrays, pair features, link rules."""

from __future__ import annotations

import numpy as np
import pytest

import quizbowl_samples as samples
from coindex.core.document import Document
from coindex.errors import FormatError, InputError, InvalidValue, UnknownName, UsageError
from coindex.parsing.parse import Parse
from coindex.quizbowl import link, pairs, rules, vectors
from coindex.quizbowl.config import FAMILIES, Config, config
from coindex.quizbowl.featured import Store
from coindex.quizbowl.ground import GENDERS, GROUPS, string_hash
from coindex.quizbowl.options import changed
from coindex.quizbowl.pairs import Pairs
from coindex.quizbowl.spans import NAME, NOMINAL, spans
from coindex.quizbowl.tokens import features, shape
from coindex.quizbowl.view import view


@pytest.fixture
def part():
    return samples.learner().store.of([samples.story(0)])[0]


def test_tokens_take_the_labels_of_what_they_stand_on() -> None:
    """`ill-bred` is three tokens to the parser; its governor is the one outside the word."""
    document = Document.of("d", [["an", "ill-bred", "man"]])
    parse = Parse(
        (0, 3, 6, 7, 12), (2, 6, 7, 11, 15), ("DT", "RB", "HYPH", "VBN", "NN"), ("X",) * 5,
        ("det", "advmod", "punct", "amod", "ROOT"), (4, 3, 3, 4, 4), (0,) * 5, ((4, 5, "PERSON"),),
    )  # fmt: skip
    found = view(document, parse)
    assert found.tags == ("DT", "VBN", "NN")
    assert found.heads == (2, 2, 2)
    assert found.names == ("O", "O", "PERSON")


def test_the_papers_features_of_a_token(part) -> None:
    first = features(part.view, "paper")[0]
    name = part.document.tokens[0].lower()
    assert first == ["b", f"w={name}", "p=NNP", "e=PERSON", "d=nsubj|met"]
    more = features(part.view, "tree")[0]
    assert more[:5] == first
    assert f"[w={name}" in more
    assert "-1" in more, "nothing stands before the first word"


@pytest.mark.parametrize(("word", "found"), [("Ann", "Xx"), ("U.S.", "X.X."), ("1847", "d")])
def test_shapes(word: str, found: str) -> None:
    assert shape(word) == found


def test_mentions_have_heads_classes_and_genders(part) -> None:
    places = [(0, 1), (4, 5), (7, 9), (12, 14), (15, 17)]
    found = spans(part.ground, places)
    assert found.heads.tolist() == [0, 4, 8, 13, 16]
    expected = [NAME, GROUPS.index("feminine"), NOMINAL + 2, NOMINAL + 1, NOMINAL + 4]
    assert found.classes.tolist() == expected
    assert GENDERS[found.genders[0]] == "feminine"
    assert found.strings[2] == found.strings[3], "articles in front do not count"


def test_pairs_are_those_in_reach_and_those_that_share_a_noun(part) -> None:
    places = [(0, 1), (2, 3), (4, 5), (7, 9), (10, 11), (12, 14)]
    members = spans(part.ground, places)
    found = pairs.candidates(part.ground, members, 1)
    assert set(zip(found.earlier.tolist(), found.later.tolist(), strict=True)) == {
        (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (3, 5),
    }  # fmt: skip


def test_scoring_is_the_dot_product_with_the_rows(part) -> None:
    places = list(part.gold)
    members = spans(part.ground, places)
    looked_at = pairs.candidates(part.ground, members, 50)
    weights = np.random.default_rng(1).normal(size=1 << samples.CONFIG.bits)
    whole = pairs.rows(part.ground, members, looked_at, samples.CONFIG)
    quick = pairs.scores(part.ground, members, looked_at, samples.CONFIG, weights)
    assert whole.shape[0] == len(looked_at) == len(quick)
    np.testing.assert_allclose(whole @ weights, quick, atol=1e-4)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "cosine"])
def test_every_family_adds_features(part, family: str) -> None:
    settings = Config(families=(family,), bits=14)
    members = spans(part.ground, list(part.gold))
    looked_at = pairs.candidates(part.ground, members, 50)
    assert pairs.rows(part.ground, members, looked_at, settings).nnz >= len(looked_at)


def test_hashes_are_the_same_on_every_machine() -> None:
    assert string_hash("ann") == 11957940740637538957
    assert pairs._mix("gap", np.array([0, 1])).tolist() == [
        12431957765115407349,
        5385928524261841284,
    ]


def test_rule_based_mentions(part) -> None:
    found = rules.mentions(part.view)
    assert {(0, 1), (2, 3), (7, 9), (12, 14), (15, 16), (15, 17), (18, 19)} <= set(found)


LINKS = Pairs(np.array([0, 0, 1, 1, 2]), np.array([1, 2, 2, 3, 3]))
CHANCES = np.array([0.9, 0.8, 0.6, 0.7, 0.55])


@pytest.mark.parametrize(
    ("rule", "threshold", "expected"),
    [
        ("closest-first", 0.5, [(0, 1), (1, 2), (2, 3)]),
        ("best-first", 0.5, [(0, 1), (0, 2), (1, 3)]),
        ("transitive", 0.5, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]),
        ("best-first", 0.75, [(0, 1), (0, 2)]),
        ("closest-first", 0.95, []),
    ],
)
def test_link_rules(rule: str, threshold: float, expected: list[tuple[int, int]]) -> None:
    assert link.links(LINKS, CHANCES, rule, threshold) == expected


def test_of_equally_likely_antecedents_the_nearest_wins() -> None:
    equal = Pairs(np.array([0, 1]), np.array([2, 2]))
    assert link.links(equal, np.array([0.7, 0.7]), "best-first", 0.5) == [(1, 2)]


def test_links_connect() -> None:
    assert link.groups(5, [(0, 2), (2, 4), (1, 3)]) == [[0, 2, 4], [1, 3]]
    assert link.groups(2, []) == [[0], [1]]


def test_settings_are_checked() -> None:
    with pytest.raises(UnknownName, match="closest-first"):
        Config(rule="nearest")
    with pytest.raises(UnknownName, match="match"):
        Config(families=("stars",))
    with pytest.raises(InvalidValue, match="threshold"):
        Config(threshold=1.0)
    with pytest.raises(InvalidValue, match="reach"):
        Config(reach=0)
    with pytest.raises(UnknownName, match="unknown setting 'speed'"):
        config({"speed": 1})
    assert changed(["rule=transitive", "rounds=3", "families=tokens, match"]) == Config(
        rule="transitive", rounds=3, families=("tokens", "match")
    )
    for wrong in ("rounds", "rounds=many", "threshold=x"):
        with pytest.raises(UsageError):
            changed([wrong])


def test_vectors_are_read_and_averaged(tmp_path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("2 2\nmary 1 0\nshe 0.8 0.6\n", encoding="utf-8")
    found = vectors.load(str(file))
    assert found is not None
    assert found.facts.size == 2
    assert found.lookup(["mary", "nobody"]).tolist() == [[1, 0], [0, 0]]
    document = Document.of("d", [["Mary", "slept"], ["She", "woke"]])
    parse = samples.WordParser().batch([document.text])[0]
    from coindex.quizbowl.ground import ground

    members = spans(ground(view(document, parse), [found.lookup]), [(0, 1), (2, 3)])
    assert members.averages[0] @ members.averages[0].T == pytest.approx(
        np.array([[1, 0.8], [0.8, 1]])
    )


def test_the_cosine_is_a_feature_for_each_source_of_vectors(tmp_path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("she 1 0\nhe 0 1\n", encoding="utf-8")
    found = vectors.read(file)
    settings = Config(families=("cosine",), bits=14)
    (part,) = Store(samples.WordParser(), settings, (found, found)).of([samples.story(0)])  # type: ignore[arg-type]
    members = spans(part.ground, [(4, 5), (10, 11), (12, 14)])
    looked_at = pairs.candidates(part.ground, members, 50)
    columns = pairs.together(part.ground, members, looked_at, settings)
    assert columns.shape == (3, 2)
    assert len(set(columns[:, 0].tolist())) == 1, (
        "she and he are at a right angle, so is the unknown"
    )
    same = pairs.together(part.ground, members, Pairs(np.array([0]), np.array([0])), settings)
    assert same[0, 0] != columns[0, 0]


@pytest.mark.parametrize("text", ["a 1 2\nb 1\n", "a 1 x\n", ""])
def test_vectors_that_are_none(text: str, tmp_path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"vectors\.txt"):
        vectors.load(str(file))


@pytest.mark.parametrize("kind", ["exported", "small"])
def test_an_encoders_embeddings_are_vectors(kind: str, request, monkeypatch) -> None:
    """A tiny network, in floating point and in eight bits."""
    folder = request.getfixturevalue(kind)
    found = vectors.load(str(folder))
    assert found is not None
    one, again, other = found.lookup(["ann", "ann", "slept"])
    assert one.tolist() == again.tolist() != other.tolist()
    assert 0 < np.abs(one).max() < 10
    monkeypatch.setattr(vectors, "SHIPPED", folder)
    shipped = vectors.load("encoder")
    assert shipped is not None
    assert (shipped.facts.source, shipped.facts.sha256) == ("encoder", found.facts.sha256)
    monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    assert vectors.load("encoder") is None, "nothing to read it with"


def test_where_vectors_are_looked_for(tmp_path, monkeypatch) -> None:
    assert vectors.load("none") is None
    monkeypatch.setattr(vectors, "SHIPPED", tmp_path)
    assert vectors.load("encoder") is None, "no model is shipped: no vectors"
    with pytest.raises(InputError, match=r"encoder\.onnx"):
        vectors.load(str(tmp_path))
    with pytest.raises(InputError, match="found none of them"):
        vectors.load("/nowhere/at-all.txt")


def test_words_of_vectors_may_have_spaces(tmp_path) -> None:
    file = tmp_path / "v.txt"
    file.write_text("mary 1 0\n. . . 0.5 2\n", encoding="utf-8")
    assert vectors.read(file).lookup([". . ."]).tolist() == [[0.5, 2.0]]
