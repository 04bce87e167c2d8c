"""A trained model without torch: the same answers, exact offsets, whatever the text."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import coindex
import training_samples as samples
from coindex.errors import InputError
from coindex.models.common.inference import gelu, layer_norm, sigmoid
from coindex.models.coref.infer import antecedents
from coindex.resolvers import ResolverSettings
from coindex.resolvers.builtin import neural
from coindex.types.document import Document
from strategies import odd_signs

Clusters = list[set[tuple[int, int]]]


def clusters(document: Document) -> Clusters:
    found = [{(m.start, m.end) for m in entity.mentions} for entity in document.entities]
    return sorted(found, key=sorted)


def in_training(folder: Path, documents: list[Document], scheme: str) -> list[Clusters]:
    """What the model answers where it was trained."""
    import torch

    from coindex.models.coref.train import evaluate
    from coindex.models.coref.train.examples import ExampleBuilder
    from coindex.models.coref.weights import load_trained

    model, pieces, facts = load_trained(folder)
    maker = ExampleBuilder(pieces, facts["window"], facts["overlap"], facts["width"])
    number = list(facts["schemes"]).index(scheme)
    examples = [maker.document(document, number) for document in documents]
    found = evaluate.predict_clusters(model, examples, torch.device("cpu"))
    return [sorted((set(group) for group in groups), key=sorted) for groups in found]


@pytest.mark.parametrize("form", ["trained", "exported"])
def test_the_answers_are_those_of_training(
    form: str, trained: Path, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(form)
    documents = samples.stories(30)
    resolver = coindex.load(folder, scheme="every")
    answers = resolver.resolve([replace(document, entities=()) for document in documents])
    expected = in_training(trained, documents, "every")
    assert [clusters(document) for document in answers] == expected
    assert sum(len(group) > 1 for groups in expected for group in groups) > 20


def test_eight_bits_change_little(exported: Path, small: Path) -> None:
    documents = samples.stories(30)
    full = coindex.load(exported, scheme="every").resolve(documents)
    less = coindex.load(small, scheme="every").resolve(documents)
    assert coindex.score(full, less).scores["conll"].f1 > 90
    assert (small / "encoder.onnx").stat().st_size < (exported / "encoder.onnx").stat().st_size


def test_a_scheme_without_singletons_has_none(exported: Path) -> None:
    documents = samples.stories(20)
    plain = coindex.load(exported).resolve(documents)
    every = coindex.load(exported, singletons=True).resolve(documents)
    assert all(len(entity.mentions) > 1 for d in plain for entity in d.entities)
    assert "scheme:plain" in coindex.load(exported).signature
    assert "scheme:every" in coindex.load(exported, singletons=True).signature
    assert sum(len(d.entities) for d in every) > 0


def test_one_text_or_several(exported: Path) -> None:
    resolver = coindex.load(exported, scheme="every")
    text = "Ann met Bob. She liked him."
    one = resolver.resolve(text)
    two = resolver.resolve([text, Document("x", text)])
    assert isinstance(one, Document)
    assert [clusters(d) for d in two] == [clusters(one)] * 2
    assert resolver.resolve([]) == []
    with pytest.raises(coindex.InvalidValue, match="found the type int"):
        resolver.resolve([3])  # type: ignore[list-item]


def test_company_order_and_threads_change_nothing(exported: Path, small: Path) -> None:
    texts = [" ".join(d.tokens) for d in samples.stories(8)] + ["", "Ann", "!", "\n\n"]
    for folder in (exported, small):
        alone = [coindex.load(folder, threads=1).resolve(text) for text in texts]
        together = coindex.load(folder, threads=3).resolve(texts[::-1])[::-1]
        assert [d.entities for d in alone] == [d.entities for d in together]


@pytest.mark.parametrize("batch", [1, 3, 50])
def test_how_many_are_worked_on_ahead_changes_nothing(batch: int, small: Path) -> None:
    documents = samples.stories(9)
    plain = coindex.load(small, scheme="every", threads=1).resolve(documents)
    ahead = coindex.load(small, scheme="every", threads=2, batch=batch).resolve(documents)
    assert ahead == plain


def test_how_sure_it_is(exported: Path) -> None:
    found = coindex.load(exported, scheme="every").resolve(samples.stories(10))
    for document in found:
        for entity in document.entities:
            for number, mention in enumerate(entity.mentions):
                facts = dict(mention.attrs)
                assert 0.5 <= float(facts["confidence"]) <= 1
                assert ("link" in facts) == (number > 0)
                assert mention.kind in ("pronoun", "name", "nominal")


def test_speakers_and_own_tokens_are_kept(exported: Path) -> None:
    document = replace(samples.story(1), entities=(), speakers=("Ann",) * len(samples.story(1)))
    found = coindex.load(exported).resolve(document)
    assert replace(found, entities=()) == document


@settings(
    max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=odd_signs)
def test_offsets_slice_out_exactly_the_mentions(text: str, odd: Any) -> None:
    from coindex.transform.resolved_entities import resolved_entities

    document = odd.resolve(text)
    assert document.text == text
    for entity in resolved_entities(document):
        for mention in entity.mentions:
            assert " … ".join(place.of(text) for place in mention.chars) == mention.text
            assert mention.text.strip()


@pytest.fixture(scope="module")
def odd(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model that takes nearly everything for a mention, so that odd texts have some."""
    folder = tmp_path_factory.mktemp("odd") / "model"
    shutil.copytree(exported, folder)
    facts = json.loads((folder / "model.json").read_text())
    for scheme in facts["schemes"]:
        scheme["cut_mention"], scheme["cut_link"] = -30.0, -2.0
    (folder / "model.json").write_text(json.dumps(facts))
    return coindex.load(folder, scheme="every", threads=1)


@pytest.mark.parametrize(
    "text",
    ["", " ", "Ann", "?!…", "\x00\x00", "a" * 5000, "漢" * 3000, "x\r\ny\r\n", "e\u0301" * 50,
     "👩‍🚀 said she was tired.", "no" * 2 + " " * 1000 + "yes", ("Ann slept . " * 4000).strip()],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_odd_texts_have_an_answer(text: str, exported: Path) -> None:
    document = coindex.load(exported, scheme="every").resolve(text)
    assert document.text == text
    for mention in document.mentions:
        assert document.text_of(mention).strip()


def test_a_name_is_found_again_however_far(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the mentions that are looked back at, equal names are still compared."""
    story = samples.story(3)
    rows = [story.tokens[s.start : s.end] for s in story.sentence_spans()]
    long = Document.of("long", rows * 30)
    resolver = coindex.load(exported, scheme="every")
    monkeypatch.setattr(antecedents, "MAX_DISTANCE", 4)
    far: list[tuple[int, int]] = []
    real = antecedents._candidates

    def seen(rows_: Any, table: Any) -> Any:
        columns, allowed = real(rows_, table)
        near = columns.shape[1] - 2
        far.extend((int(r), int(c)) for r, line, ok in zip(rows_, columns[:, near:], allowed[:, near:], strict=True)
                   for c, yes in zip(line, ok, strict=True) if yes)  # fmt: skip
        assert (columns[:, :near] >= 0).all()
        return columns, allowed

    monkeypatch.setattr(antecedents, "_candidates", seen)
    document = resolver.resolve(long)
    assert far
    assert all(later - earlier > 4 for later, earlier in far)
    assert document.entities


def test_looking_back_far_enough_is_looking_at_everything(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolver = coindex.load(exported, scheme="every")
    document = resolver.resolve(samples.story(2))
    for rows in (1, 2, 7):
        monkeypatch.setattr(antecedents, "MENTIONS_AT_ONCE", rows)
        assert resolver.resolve(samples.story(2)) == document


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("model.json", "{", "expected JSON"),
        ("model.json", '{"format": 99}', "expected a model of format 1, found 99"),
        ("model.json", '{"format": 1, "schemes": []}', "expected the metadata of a model"),
        ("tokenizer.json", "{", "expected a tokenizer"),
        ("encoder.onnx", "no network", "expected an ONNX network"),
        ("head.npz", "no arrays", "expected the weights of a model"),
    ],
)
def test_broken_folders_are_explained(
    file: str, content: str, message: str, exported: Path, tmp_path: Path
) -> None:
    shutil.copytree(exported, tmp_path / "model")
    (tmp_path / "model" / file).write_text(content)
    with pytest.raises(InputError, match=message):
        neural.load(ResolverSettings(model=str(tmp_path / "model")))


def test_missing_parts_are_named(exported: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.json, found none"):
        neural.load(ResolverSettings(model=str(tmp_path)))
    with pytest.raises(InputError, match=r"one of its schemes \(plain, every\), found 'x'"):
        neural.load(ResolverSettings(model=str(exported), scheme="x"))
    shutil.copytree(exported, tmp_path / "model")
    with np.load(exported / "head.npz") as stored:
        arrays = {name: stored[name] for name in stored.files if name != "coarse.weight"}
    np.savez(tmp_path / "model" / "head.npz", **arrays)
    with pytest.raises(InputError, match=r"expected coarse\.weight of shape .* found nothing"):
        neural.load(ResolverSettings(model=str(tmp_path / "model")))


def test_numbers_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    x = np.linspace(-9, 9, 4001, dtype=np.float32).reshape(1, -1)
    wanted = torch.nn.functional.gelu(torch.from_numpy(x)).numpy()
    assert np.abs(gelu(x) - wanted).max() < 2e-6
    weight, bias = np.full(4001, 2, np.float32), np.full(4001, 3, np.float32)
    normed = torch.nn.functional.layer_norm(torch.from_numpy(x), (4001,)).numpy() * 2 + 3
    assert np.abs(layer_norm(x, weight, bias) - normed).max() < 1e-5
    assert sigmoid(np.array([-1e4, 0, 1e4], np.float32)).tolist() == [0, 0.5, 1]
