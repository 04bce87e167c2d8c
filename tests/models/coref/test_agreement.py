"""Agreement in decoding: contradictions bar, evidence helps, every rule can be switched off."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coindex.errors import InvalidValue, UnknownName
from coindex.models.coref.features import SpanFeaturizer, word_features
from coindex.models.coref.infer.agreement import WEIGHTS, agreement, parse_rules
from coindex.models.coref.infer.decode import EntityDecoder
from coindex.models.coref.infer.relations import RelationFinder
from coindex.types.document import Document

Places = list[tuple[int, int]]


def joined(document: Document, places: Places, score: float = 2.0, rules: str = "all") -> list[int]:
    """The entity of each mention, if the network scores every pair alike."""
    starts, ends = (np.array(column, dtype=np.int64) for column in zip(*places, strict=True))
    spans = SpanFeaturizer(word_features(document)).spans(starts, ends)
    count = len(places)
    scores = np.full((count, count), -np.inf, dtype=np.float32)
    scores[np.tril_indices(count, -1)] = score
    antecedents = np.broadcast_to(np.arange(count), (count, count))
    decoder = EntityDecoder(agreement(document, spans, parse_rules(rules)))
    parents, chances = decoder.add(scores, antecedents, 0.0)
    assert ((chances >= 0) & (chances <= 1)).all()
    entities: list[int] = []
    for parent in parents.tolist():
        entities.append(entities[parent] if parent >= 0 else max(entities, default=-1) + 1)
    return entities


def single(text: str) -> tuple[Document, Places]:
    """A document of which the words in brackets are mentions."""
    tokens: list[str] = []
    places: Places = []
    opened: list[int] = []
    for word in text.split():
        if word == "[":
            opened.append(len(tokens))
        elif word == "]":
            places.append((opened.pop(), len(tokens)))
        else:
            tokens.append(word)
    return Document.of("d", [tokens]), sorted(places)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("[ He ] slept while [ she ] read", "gender"),
        ("[ Mrs. Lee ] slept while [ he ] read", "gender"),
        ("then [ Ann Lee ] met [ Robert Lee ]", "name"),
        ("[ the red car ] left , [ the blue car ] stayed", "modifier"),
        ("[ I ] left and [ you ] stayed", "person"),
        ("[ one ] left , [ the other ] stayed", "contrast"),
        ("[ he ] had never met [ the victim ]", "object"),
        ("[ Ann ] thanked [ the mayor ] after lunch", "object"),
        ("[ the Wright Company ] grew , and [ he ] sold it", "animacy"),
        ("[ [ her ] friend ]", "within"),
    ],
)
def test_what_contradicts_is_not_joined_unless_its_rule_is_off(text: str, rule: str) -> None:
    document, places = single(text)
    assert joined(document, places) == [0, 1]
    assert joined(document, places, rules="none") == [0, 0]
    assert joined(document, places, rules=f"-{rule}") == [0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "then [ Ann Lee ] met [ Lee ]",
        "[ the company ] said [ they ] would pay",
        "[ someone ] left [ their ] coat",
        "[ Rowan ] said [ xe ] was late",
        "[ she ] became [ the mayor ] in May",
        "[ Acme ] said [ the company ] would grow",
        "[ Alex ] said [ they ] were late",
    ],
)
def test_what_agrees_is_joined(text: str) -> None:
    document, places = single(text)
    assert joined(document, places) == [0, 0]


def test_speakers_decide_whom_first_and_second_persons_mean() -> None:
    tokens = ["I", "like", "you", ".", "You", "do", "?", "I", "do", "."]
    speakers = ("Ann",) * 4 + ("Bo",) * 3 + ("Ann",) * 3
    addressees = ("Bo",) * 4 + ("Ann",) * 3 + ("Bo",) * 3
    document = Document.of("d", [tokens], speakers=speakers, layers=(("addressee", addressees),))
    places = [(0, 1), (2, 3), (4, 5), (7, 8)]
    assert joined(document, places) == [0, 1, 0, 0]
    assert joined(document, places, score=-5.0) == [0, 1, 0, 0]  # without the network's help


def test_aliases_in_contracts_and_the_former_are_joined_against_the_network() -> None:
    document, places = single('then [ Hanna Lie ] ( " [ the Artist ] " ) signed')
    assert joined(document, places, score=-3.0) == [0, 0]
    document, places = single("[ Copper ] and [ silver ] shine , but [ the latter ] costs more")
    entities = joined(document, places, score=-3.0)
    assert entities[2] == entities[1] != entities[0]


def test_an_object_is_not_its_subject_but_a_reflexive_is() -> None:
    document, places = single("[ Mehmet ] did not believe [ him ]")
    assert joined(document, places) == [0, 1]
    document, places = single("[ Mehmet ] did not believe [ himself ]")
    assert joined(document, places, score=-1.0) == [0, 0]


def test_a_stated_role_is_taken_up_and_not_by_others() -> None:
    document, places = single("then [ Judge Okafor ] fined [ Bo Lee ] , and [ the judge ] left")
    assert joined(document, places, score=0.5) == [0, 1, 0]
    assert joined(document, places, score=-2.0) == [0, 1, 0]
    assert joined(document, places, score=-2.0, rules="-stated-role") == [0, 1, 2]
    document, places = single("then [ Judge Okafor ] fined [ Bo ] , and [ the old judge ] left")
    assert joined(document, places, score=-2.0)[2] == 2


def test_they_are_neither_who_speaks_nor_who_is_spoken_to() -> None:
    document = Document.of(
        "d", [["I", "saw", "them"]], speakers=("Ann",) * 3, layers=(("addressee", ("Bo",) * 3),)
    )
    assert joined(document, [(0, 1), (2, 3)]) == [0, 1]


def test_a_name_for_a_relative_stands_beside_the_description() -> None:
    text = "[ [ his ] wife ] slept while all of the others {}[ Ann ] read"
    apart, beside = single(text.format("")), single("[ [ his ] wife ] , [ Ann ] , read")
    assert joined(*apart, score=1.0)[-1] == 2
    assert joined(*apart, score=1.0, rules="-naming")[-1] != 2
    assert joined(*beside, score=1.0)[-1] != 2


def test_a_pronoun_of_a_fronted_clause_means_the_subject_that_follows() -> None:
    document, places = single("Although [ they ] had trained , [ the rowers ] lost")
    assert joined(document, places, score=-1.0) == [0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "When [ he ] and [ Bo ] saw [ [ his ] car ] , [ Al ] hit [ him ]",
        "[ Al ] and [ Bo ] : [ the former ] and [ the latter ] left",
        "[ the former ] and [ the latter ]",
    ],
)
def test_no_relation_points_forward(text: str) -> None:
    document, places = single(text)
    relations = RelationFinder(document, places).find()
    for table in (relations.apart, relations.same):
        assert all(other < index for index, pairs in table.items() for other, _ in pairs)
    joined(document, places)


def test_explanations_name_the_rule() -> None:
    document, places = single("[ He ] slept while [ she ] read")
    starts, ends = (np.array(column, dtype=np.int64) for column in zip(*places, strict=True))
    spans = SpanFeaturizer(word_features(document)).spans(starts, ends)
    rules = agreement(document, spans, explain=True)
    scores = np.array([[-math.inf], [3.0]], dtype=np.float32)
    EntityDecoder(rules).add(scores, np.zeros((2, 1), dtype=np.int64), 0.0)
    assert rules.reasons[0] == ""
    assert "kept apart from “He”" in rules.reasons[1]
    assert "gender: feminine and masculine" in rules.reasons[1]


def test_rules_are_chosen_by_name() -> None:
    assert parse_rules("all") == WEIGHTS
    assert parse_rules("none") == {}
    assert parse_rules("gender,number").keys() == {"gender", "number"}
    assert WEIGHTS.keys() - parse_rules("-gender").keys() == {"gender"}
    with pytest.raises(UnknownName, match="colour"):
        parse_rules("-colour")
    for text in ("all,none", "gender,all"):
        with pytest.raises(InvalidValue, match=r"expected (all|none) alone or names of rules"):
            parse_rules(text)


def test_a_name_beside_another_is_taken_up() -> None:
    text = (
        'The lease is with [ Dominic Shaw ] ( " [ the Tenant ] " ) . [ The Tenant ] pays'
        " [ Orsolya Fekete ] ."
    )
    assert joined(*single(text), score=-0.5) == [0, 0, 0, 1]


def test_a_time_does_not_join_a_name() -> None:
    assert joined(*single("[ Harlow Prize ] goes to a beekeeper [ this year ]")) == [0, 1]
    assert joined(*single("[ last year ] the [ Harlow Prize ] went to a beekeeper")) == [0, 1]
