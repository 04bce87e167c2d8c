"""Training, answering, one-file models, cross-validation, baselines."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quizbowl_samples as samples
from coindex.errors import InputError, InvalidValue
from coindex.models.mention_pair import artifact
from coindex.models.mention_pair import infer as system
from coindex.models.mention_pair.baselines import exact_string, head_match
from coindex.models.mention_pair.cross_validation import cross_validate
from coindex.models.mention_pair.model import Model, annotates_singletons
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.train import Learner, choose_threshold
from coindex.scoring.api import score
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")


@pytest.fixture(scope="module")
def learner() -> Learner:
    return samples.learner()


@pytest.fixture(scope="module")
def model(learner: Learner) -> Model:
    return learner.train(samples.stories(20)).model


def answers(
    learner: Learner, model: Model, documents: list[Document], **how: Any
) -> list[Document]:
    return [system.predict(model, part, **how) for part in learner.store.features(documents)]


def test_it_learns_what_can_be_learned(learner: Learner, model: Model) -> None:
    unseen = samples.stories(10, 50)
    found = score(unseen, answers(learner, model, unseen), metrics="mentions,conll").scores
    assert found["mentions"].f1 == 100
    assert found["conll"].f1 > 90


def test_gold_entities_of_what_is_answered_are_not_looked_at(
    learner: Learner, model: Model
) -> None:
    told = samples.stories(3, 60)
    bare = [replace(document, entities=()) for document in told]
    assert answers(learner, model, told) == answers(learner, model, bare)


def test_the_same_documents_give_the_same_model_in_any_order() -> None:
    documents = samples.stories(6)
    digests = {
        samples.learner().train(each).digest for each in (documents, documents[::-1], documents)
    }
    assert len(digests) == 1
    assert samples.learner().train(documents[:5]).digest not in digests
    assert samples.learner().train(documents, seed=2).digest not in digests


@pytest.mark.parametrize("way", ["perceptron", "likelihood"])
def test_chance_elsewhere_does_not_change_a_model(way: str) -> None:
    """CRFsuite uses the C library's generator, which others use too."""
    learner = samples.learner(replace(samples.CONFIG, crf_training=way))
    first = learner.train(samples.stories(4)).digest
    learner.train(samples.stories(9, 30))
    fresh = samples.learner(replace(samples.CONFIG, crf_training=way))
    assert fresh.train(samples.stories(4)).digest == first


def test_models_are_kept_by_what_they_were_trained_on(learner: Learner) -> None:
    documents = samples.stories(3)
    assert learner.train(documents) is learner.train(documents[::-1])


@pytest.mark.parametrize("kind", system.MENTIONS)
def test_every_kind_of_mentions(learner: Learner, model: Model, kind: str) -> None:
    (part,) = learner.store.features([samples.story(70)])
    found = system.predict(model, part, kind=kind)
    spans = {(m.start, m.end) for m in found.mentions}
    assert (spans == set(part.gold)) or kind == "rules"
    assert spans


def test_single_mentions_follow_the_training_documents_unless_told(
    learner: Learner, model: Model
) -> None:
    document = [samples.story(71)]
    assert any(entity.singleton for entity in answers(learner, model, document)[0].entities)
    (without,) = answers(learner, model, document, singletons=False)
    assert not any(entity.singleton for entity in without.entities)


@pytest.mark.parametrize(
    "documents",
    [
        [samples.story(0)],
        [replace(samples.story(0), entities=())],
        [Document.of("one", [["Mary"]])],
    ],
    ids=["one document", "no mentions", "one word"],
)
def test_little_to_learn_from(documents: list[Document]) -> None:
    learner = samples.learner()
    trained = learner.train(documents)
    (found,) = trained.resolve([samples.story(1)])
    assert bool(found.entities) == bool(documents[0].entities)
    assert all(np.isfinite(doubt.mentions) for doubt in trained.uncertainties([samples.story(1)]))


def test_nothing_to_learn_from() -> None:
    for documents in ([], [Document.of("empty", [])]):
        with pytest.raises(InvalidValue, match="expected"):
            samples.learner().train(documents)


def test_documents_without_words_are_answered(learner: Learner, model: Model) -> None:
    empty = Document.of("empty", [])
    assert answers(learner, model, [empty]) == [empty]


def test_doubt_is_greater_where_nothing_is_known(learner: Learner) -> None:
    sure = learner.calibrated().train(samples.stories(20))
    odd = Document.of("odd", [["Zyx", "grommed", "the", "blarg", "that", "Qwe", "saw", "."]] * 3)
    known, unknown = sure.uncertainties([samples.story(80), odd])
    assert unknown.mentions / unknown.tokens > known.mentions / known.tokens >= 0


class TestFile:
    def test_round_trip(self, learner: Learner, model: Model, tmp_path: Path) -> None:
        file = tmp_path / "a.model"
        artifact.save(model, file, {"note": "a test"})
        again, vectors = artifact.load(file)
        assert (again.digest, vectors) == (model.digest, ())
        unseen = samples.stories(4, 90)
        assert answers(learner, again, unseen) == answers(learner, model, unseen)
        artifact.save(again, tmp_path / "b.model", {"note": "a test"})
        assert file.read_bytes() == (tmp_path / "b.model").read_bytes()
        told = json.loads(zipfile.ZipFile(file).read("model.json"))
        assert told["vectors"] == "none: no cosine feature"
        assert set(told["labels"]) == {"O", "B", "I", "BB"}

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"format": "other"}, "expected the format"),
            ({"features": {"mentions": 0, "pairs": 1}}, "features of version"),
            ({"labels": ["B", "O"]}, "expected labels B, O, found"),
            ({"config": {"rule": "nearest"}}, "unknown link rule"),
            ({"config": {"speed": 1}}, "unknown setting"),
            ({"intercept": 99.0}, "expected the model"),
            ({"vectors": [{"source": "none", "sha256": "ab", "size": 3}]}, "expected the vectors"),
            ({"seed": None, "documents": 3}, "description"),
            ({"sha256": {}}, "damaged"),
        ],
    )
    def test_what_was_changed_is_refused(
        self, model: Model, tmp_path: Path, change: dict[str, Any], message: str
    ) -> None:
        file = tmp_path / "a.model"
        artifact.save(model, file)
        with zipfile.ZipFile(file) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        parts["model.json"] = json.dumps({**json.loads(parts["model.json"]), **change}).encode()
        with zipfile.ZipFile(file, "w") as new:
            for name, data in parts.items():
                new.writestr(name, data)
        with pytest.raises(InputError, match=message) as caught:
            artifact.load(file)
        assert "a.model" in str(caught.value)

    def test_what_is_no_model(self, tmp_path: Path) -> None:
        file = tmp_path / "a.model"
        with pytest.raises(InputError, match="found none"):
            artifact.load(file)
        file.write_text("hello", encoding="utf-8")
        with pytest.raises(InputError, match="expected the file of a Quiz Bowl model"):
            artifact.load(file)
        with pytest.raises(InputError, match="cannot be written"):
            artifact.save(samples.learner().train(samples.stories(1)).model, tmp_path / "no" / "x")


def test_cross_validation_trains_on_the_other_folds() -> None:
    found = cross_validate(samples.stories(12), samples.learner(), folds=3)
    rows = {(row.system, row.mentions): row.result for row in found.rows}
    assert len(rows) == 9
    assert {len(result.documents) for result in rows.values()} == {12}
    detected = dict(found.detected)
    assert detected["gold"].scores == (100, 100, 100)
    assert detected["crf"].scores[2] > 90
    own, exact = (rows[(name, "crf")].scores["conll"].f1 for name in ("quizbowl", "exact-string"))
    assert own > exact
    told = found.as_json()
    assert told["systems"][0]["scores"]["muc"]["precision"] is not None


def test_folds_need_documents() -> None:
    with pytest.raises(InvalidValue, match="folds"):
        cross_validate(samples.stories(2), samples.learner(), folds=3)


def test_the_rule_is_chosen_on_development_documents(learner: Learner, model: Model) -> None:
    worst = replace(model, config=replace(model.config, threshold=0.99))
    best, tried = choose_threshold(worst, learner, samples.stories(5, 40))
    assert len(tried) == 15
    assert tried[0].conll == max(each.conll for each in tried)
    assert (best.config.rule, best.config.threshold) == (tried[0].rule, tried[0].threshold)


def test_baselines(learner: Learner) -> None:
    document = next(s for s in samples.stories(20) if len(s) > 20)
    (part,) = learner.store.features([document])
    places = list(part.gold)
    same = exact_string(part, places)
    assert [(2, 3), (20, 21)] in same, "the man's name, twice"
    assert [(7, 9), (12, 14)] in same, "a thing, the thing"
    assert [(4, 5)] in same
    heads = head_match(part, places)
    woman = next(group for group in heads if (0, 1) in group)
    assert (4, 5) in woman, "she is the nearest woman"
    assert any({(2, 3), (6, 7)} <= set(group) for group in heads)


def test_settings_reach_the_crf() -> None:
    paper = samples.learner(replace(samples.CONFIG, crf_features="paper"))
    assert (
        paper.train(samples.stories(5)).digest != samples.learner().train(samples.stories(5)).digest
    )
    assert Config().crf_training == "perceptron"


@pytest.mark.parametrize(
    ("single", "several", "habit"),
    [(0, 0, False), (0, 9, False), (2, 11, False), (19, 81, False), (1, 4, True), (20, 80, True),
     (3, 0, True)],
)  # fmt: skip
def test_a_few_stray_single_mentions_are_no_habit(single: int, several: int, habit: bool) -> None:
    """A fifth of the entities makes the habit; 2 of 13 is the most that OntoGUM has."""
    places = [Mention.at(at, at + 1) for at in range(single + 2 * several)]
    ones = [Entity((place,)) for place in places[:single]]
    twos = [Entity(tuple(places[at : at + 2])) for at in range(single, len(places), 2)]
    text = Document.of("many", [["a"] * len(places)])
    assert annotates_singletons([replace(text, entities=(*ones, *twos))]) is habit


def test_the_habit_is_that_of_all_documents_together() -> None:
    one = Document.of("one", [["a"]], [Entity((Mention.at(0, 1),))])
    pair = Entity((Mention.at(0, 1), Mention.at(1, 2)))
    many = [Document.of(f"two {n}", [["a", "b"]], [pair]) for n in range(5)]
    assert annotates_singletons([one, *many[:4]])
    assert not annotates_singletons([one, *many])
    assert not annotates_singletons([])


def test_no_features_at_all_leave_the_share_of_links() -> None:
    learner = samples.learner(replace(samples.CONFIG, families=()))
    model = learner.train([samples.story(0)]).model
    linked = learner.store.features([samples.story(0)])[0].training_pairs.linked
    assert len(model.classifier.columns) == 0
    assert 1 / (1 + np.exp(-model.classifier.intercept)) == pytest.approx(linked.mean())


def test_a_document_is_not_trained_on_and_scored() -> None:
    documents = samples.stories(4)
    for given, support in ((documents, documents[:1]), ([*documents, documents[0]], [])):
        with pytest.raises(InvalidValue, match="each document once, found 'story-00'"):
            cross_validate(given, samples.learner(), support=support, folds=2)
