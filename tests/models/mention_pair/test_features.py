"""Views, mentions as arrays, pair features, link rules."""

from __future__ import annotations

import numpy as np
import pytest

import quizbowl_samples as samples
from coindex.errors import InvalidValue, UnknownName, UsageError
from coindex.models.mention_pair import baselines, pair_classifier, pair_features
from coindex.models.mention_pair.feature_store import DocumentFeatures
from coindex.models.mention_pair.mention_arrays import NAME, NOMINAL, encode_mentions
from coindex.models.mention_pair.pair_features import Pairs
from coindex.models.mention_pair.recipe import (
    FAMILIES,
    Config,
    config_from_json,
    config_from_overrides,
)
from coindex.models.mention_pair.token_arrays import GENDERS, GROUPS, parsed_tokens, string_hash
from coindex.models.mention_pair.token_features import features, shape
from coindex.text.parsing.parse import Parse
from coindex.types.document import Document


@pytest.fixture
def part() -> DocumentFeatures:
    return samples.learner().store.features([samples.story(0)])[0]


def test_tokens_take_the_labels_of_what_they_stand_on() -> None:
    """`ill-bred` is three tokens to the parser; its governor is the one outside the word."""
    document = Document.of("d", [["an", "ill-bred", "man"]])
    parse = Parse(
        (0, 3, 6, 7, 12), (2, 6, 7, 11, 15), ("DT", "RB", "HYPH", "VBN", "NN"), ("X",) * 5,
        ("det", "advmod", "punct", "amod", "ROOT"), (4, 3, 3, 4, 4), (0,) * 5, ((4, 5, "PERSON"),),
    )  # fmt: skip
    found = parsed_tokens(document, parse)
    assert found.tags == ("DT", "VBN", "NN")
    assert found.heads == (2, 2, 2)
    assert found.names == ("O", "O", "PERSON")


def test_the_papers_features_of_a_token(part: DocumentFeatures) -> None:
    first = features(part.text.parsed, "paper")[0]
    name = part.document.tokens[0].lower()
    assert first == ["b", f"w={name}", "p=NNP", "e=PERSON", "d=nsubj|met"]
    more = features(part.text.parsed, "tree")[0]
    assert more[:5] == first
    assert f"[w={name}" in more
    assert "-1" in more, "nothing stands before the first word"


@pytest.mark.parametrize(("word", "found"), [("Ann", "Xx"), ("U.S.", "X.X."), ("1847", "d")])
def test_shapes(word: str, found: str) -> None:
    assert shape(word) == found


def test_mentions_have_heads_classes_and_genders(part: DocumentFeatures) -> None:
    places = [(0, 1), (4, 5), (7, 9), (12, 14), (15, 17)]
    found = encode_mentions(part.text.token_arrays, places)
    assert found.heads.tolist() == [0, 4, 8, 13, 16]
    expected = [NAME, GROUPS.index("feminine"), NOMINAL + 2, NOMINAL + 1, NOMINAL + 4]
    assert found.classes.tolist() == expected
    assert GENDERS[found.genders[0]] == "feminine"
    assert found.strings[2] == found.strings[3], "articles in front do not count"


def test_pairs_are_those_in_reach_and_those_that_share_a_noun(part: DocumentFeatures) -> None:
    places = [(0, 1), (2, 3), (4, 5), (7, 9), (10, 11), (12, 14)]
    members = encode_mentions(part.text.token_arrays, places)
    found = pair_features.candidates(part.text.token_arrays, members, 1)
    assert set(zip(found.earlier.tolist(), found.later.tolist(), strict=True)) == {
        (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (3, 5),
    }  # fmt: skip


def test_scoring_is_the_dot_product_with_the_rows(part: DocumentFeatures) -> None:
    places = list(part.gold)
    members = encode_mentions(part.text.token_arrays, places)
    looked_at = pair_features.candidates(part.text.token_arrays, members, 50)
    weights = np.random.default_rng(1).normal(size=1 << samples.CONFIG.bits)
    whole = pair_features.feature_matrix(part.text.token_arrays, members, looked_at, samples.CONFIG)
    quick = pair_features.scores(
        part.text.token_arrays, members, looked_at, samples.CONFIG, weights
    )
    assert whole.shape[0] == len(looked_at) == len(quick)
    np.testing.assert_allclose(whole @ weights, quick, atol=1e-4)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "cosine"])
def test_every_family_adds_features(part: DocumentFeatures, family: str) -> None:
    settings = Config(families=(family,), bits=14)
    members = encode_mentions(part.text.token_arrays, list(part.gold))
    looked_at = pair_features.candidates(part.text.token_arrays, members, 50)
    assert pair_features.feature_matrix(
        part.text.token_arrays, members, looked_at, settings
    ).nnz >= len(looked_at)


def test_hashes_are_the_same_on_every_machine() -> None:
    assert string_hash("ann") == 11957940740637538957
    assert pair_features._mix("gap", np.array([0, 1])).tolist() == [
        12431957765115407349,
        5385928524261841284,
    ]


def test_rule_based_mentions(part: DocumentFeatures) -> None:
    found = baselines.rule_based_mentions(part.text.parsed)
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
    assert pair_classifier.links(LINKS, CHANCES, rule, threshold) == expected


def test_of_equally_likely_antecedents_the_nearest_wins() -> None:
    equal = Pairs(np.array([0, 1]), np.array([2, 2]))
    assert pair_classifier.links(equal, np.array([0.7, 0.7]), "best-first", 0.5) == [(1, 2)]


def test_links_connect() -> None:
    assert pair_classifier.clusters(5, [(0, 2), (2, 4), (1, 3)]) == [[0, 2, 4], [1, 3]]
    assert pair_classifier.clusters(2, []) == [[0], [1]]


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
        config_from_json({"speed": 1})
    assert config_from_overrides(
        ["rule=transitive", "rounds=3", "families=tokens, match"]
    ) == Config(rule="transitive", rounds=3, families=("tokens", "match"))
    for wrong in ("rounds", "rounds=many", "threshold=x"):
        with pytest.raises(UsageError):
            config_from_overrides([wrong])
