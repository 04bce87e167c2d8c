"""A model's digest: two that could answer differently never share one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import quizbowl_samples as samples
from coindex.models.mention_pair import artifact, pair_features, token_features
from coindex.models.mention_pair import infer as system
from coindex.models.mention_pair.feature_store import DocumentFeatures
from coindex.models.mention_pair.model import Model
from coindex.models.mention_pair.pair_classifier import Classifier
from coindex.models.mention_pair.word_vectors import VectorsInfo

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")

FACTS = VectorsInfo("here/glove.txt", "ab" * 32, 300)


@pytest.fixture(scope="module")
def model() -> Model:
    return samples.learner().train(samples.stories(12)).model


@pytest.fixture(scope="module")
def part() -> DocumentFeatures:
    return samples.learner().store.features([samples.story(71)])[0]


def less(model: Model) -> Classifier:
    columns, values = model.classifier.columns[:-1], model.classifier.values[:-1]
    return replace(model.classifier, columns=columns, values=values)


def test_every_setting_of_a_model_is_in_its_digest(model: Model) -> None:
    other = samples.learner().train(samples.stories(3)).model
    changes: list[dict[str, Any]] = [
        {"singletons": not model.singletons},
        {"pipeline": "pipeline:another-1|spacy:3"},
        {"vectors": (FACTS,)},
        {"vectors": (replace(FACTS, sha256="cd" * 32),)},
        {"detector": other.detector},
        {"classifier": less(model)},
        {"classifier": replace(model.classifier, intercept=-1.0)},
        {"config": replace(model.config, threshold=0.7)},
        {"config": replace(model.config, rule="transitive")},
        {"config": replace(model.config, reach=3)},
        {"config": replace(model.config, window=1)},
    ]
    digests = [model.digest, *(replace(model, **change).digest for change in changes)]
    assert len(set(digests)) == len(changes) + 1


def test_models_that_answer_differently_have_two_digests(
    model: Model, part: DocumentFeatures
) -> None:
    others = [
        replace(model, singletons=not model.singletons),
        replace(model, config=replace(model.config, threshold=0.99)),
        replace(model, classifier=replace(model.classifier, intercept=-20.0)),
    ]
    for other in others:
        assert system.predict(other, part) != system.predict(model, part)
        assert other.digest != model.digest


def test_features_of_another_version_are_another_model(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (token_features, pair_features):
        with monkeypatch.context() as patch:
            patch.setattr(module, "VERSION", 99)
            assert replace(model).digest != model.digest


def test_what_changes_no_answer_is_not_in_it(model: Model) -> None:
    here = replace(model, vectors=(FACTS,))
    there = replace(model, vectors=(replace(FACTS, source="there/glove.txt"),))
    assert here.digest == there.digest
    assert replace(model, lost=7, trained_on=("x", 1)).digest == model.digest


def test_a_file_whose_settings_were_changed_is_refused(model: Model, tmp_path: Path) -> None:
    from coindex.errors import InputError

    artifact.save(model, tmp_path / "a")
    told = artifact.describe(model)
    assert told["digest"] == artifact.load(tmp_path / "a")[0].digest
    changed = replace(model, singletons=not model.singletons)
    changed.__dict__["digest"] = model.digest  # as an editor of the file would leave it
    artifact.save(changed, tmp_path / "b")
    with pytest.raises(InputError, match="expected the model"):
        artifact.load(tmp_path / "b")
