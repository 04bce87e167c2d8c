"""Training that starts from a trained model: dequantised weights, schemes, sizes, messages."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")
pytest.importorskip("onnx", reason="needs onnx: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.assets import DEFAULT_MODEL  # noqa: E402
from coindex.errors import InputError  # noqa: E402
from coindex.models.common import model_hub  # noqa: E402
from coindex.models.common.artifact import read_json  # noqa: E402
from coindex.models.common.encoders import load_encoder  # noqa: E402
from coindex.models.common.subwords import load_tokenizer  # noqa: E402
from coindex.models.coref.dequantize import load_exported, word_weights  # noqa: E402
from coindex.models.coref.infer.encoder import (  # noqa: E402
    EncoderInput,
    OnnxEncoder,
    TorchEncoder,
)
from coindex.models.coref.infer.engine import load_engine  # noqa: E402
from coindex.models.coref.network import Shape  # noqa: E402
from coindex.models.coref.recipe import Recipe, load_recipe, parse_recipe  # noqa: E402
from coindex.models.coref.start import read_start  # noqa: E402
from coindex.models.coref.train.trainer import CorefTrainer, train  # noqa: E402
from coindex.models.coref.weights import load_trained, new_model  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def finetune(start: str | Path, files: Path | str = "stories", *changes: str) -> Recipe:
    return load_recipe("finetune", [f"train.1.files={files}", *changes], None, str(start))


def test_the_weights_of_the_head_are_found_in_the_network(trained: Path, exported: Path) -> None:
    model, _, _ = load_trained(trained)
    expected = model.head.state_dict()
    for name, value in word_weights(exported / "encoder.onnx").items():
        assert np.allclose(value, expected[name].numpy(), atol=1e-6), name


def test_the_shipped_model_is_dequantised() -> None:
    start = read_start("default")
    shape = Shape(**{**start.trained["head"], "schemes": start.schemes})
    model, tokenizer = load_exported(DEFAULT_MODEL, shape)
    (subwords,) = zip(*tokenizer.of(["ann", "saw", "him"]), strict=True)
    ids = np.array([tokenizer.begin, *subwords, tokenizer.end])
    window = EncoderInput(ids, np.arange(1, 4), np.zeros(3, dtype=np.int64))
    stored = next(OnnxEncoder(DEFAULT_MODEL / "encoder.onnx", 1).run([window], 2))
    rows = next(TorchEncoder(model.encoder, model.head.state_dict()).run([window], 2))
    for name in ("x", "left", "ends", "start", "end", "attend"):
        one, other = getattr(stored, name).ravel(), getattr(rows, name).ravel()
        assert np.linalg.norm(one - other) < 0.1 * np.linalg.norm(one), name


def test_a_new_scheme_begins_as_the_default_one() -> None:
    recipe = finetune("default")
    assert recipe.schemes[-1] == "mine"
    assert (recipe.plain, recipe.single, recipe.hidden) == ("mine", "mine", 256)
    model = new_model(recipe)
    table = model.head.schemes.weight
    assert torch.equal(table[-1], table[recipe.schemes.index("general")])
    other = new_model(replace(recipe, new_schemes_from="litbank")).head.schemes.weight
    assert torch.equal(other[-1], table[0])


def test_sizes_and_schemes_must_be_those_of_the_start(trained: Path) -> None:
    with pytest.raises(InputError, match=r"hidden must be that of default, 256, found 99"):
        finetune("default", "stories", "hidden=99")
    with pytest.raises(InputError, match=r"expected one of its schemes \(litbank, .*'none'"):
        finetune("default", "stories", "new_schemes_from=none")
    with pytest.raises(InputError, match="expected a model of the recipe's sizes"):
        new_model(replace(finetune(trained), hidden=8))
    with pytest.raises(InputError, match=r"pip install .*coindex-base"):
        finetune("base")


@pytest.mark.parametrize("kind", ["trained", "shipped-like"])
def test_training_goes_on(
    kind: str, trained: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """From a folder as training wrote it; and again from what that run left."""
    start = trained
    if kind == "shipped-like":
        start = request.getfixturevalue("started")
    stories = samples.corpus(tmp_path / "stories", 3)
    recipe = finetune(start, stories, "epochs=1", "train.1.singletons=false")
    out = tmp_path / "out"
    train(recipe, out)
    metadata = read_json(out / "model.json")
    rows = {row["name"]: row for row in metadata["scheme_rows"]}
    assert list(rows)[:2] == ["plain", "every"]
    assert rows["mine"]["singletons"] is False
    assert rows["mine"]["number"] == 2
    assert set(metadata["start_data"]) >= {f"story-{n:02}.conll" for n in range(10)}
    engine = load_engine(out, 1)
    assert engine.metadata.default == "mine"
    assert engine.metadata.name.endswith("-finetuned")
    assert train(recipe, out).finished_before


@pytest.fixture
def started(trained: Path, tmp_path: Path) -> Path:
    """A model that was trained on before."""
    stories = samples.corpus(tmp_path / "first", 2)
    train(finetune(trained, stories, "epochs=1"), tmp_path / "started")
    return tmp_path / "started"


def test_an_existing_scheme_keeps_its_thresholds(tmp_path: Path) -> None:
    from coindex.models.coref.start import scheme_rows

    start = read_start("default")
    own = {row["name"]: row for row in scheme_rows(start, finetune("default"))}
    assert own["ontogum"]["cut_mention"] == -1.5
    assert own["general"]["everyday"]
    assert not own["mine"]["everyday"]
    assert own["mine"]["cut_link"] == own["general"]["cut_link"]
    named = finetune("default", "stories", "train.1.scheme=general")
    rows = {row["name"]: row for row in scheme_rows(start, named)}
    assert rows["general"]["everyday"]
    assert rows["general"]["number"] == 7


@pytest.mark.parametrize(("mentions", "expected"), [(0, "no document has an entity"),
                                                    (1, "no entity has two mentions")])  # fmt: skip
def test_data_without_entities_is_warned_of(
    mentions: int, expected: str, tiny: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    entities = [replace(e, mentions=e.mentions[:1]) for e in samples.story(1).entities]
    bare = replace(samples.story(1), entities=tuple(entities[:mentions]))
    path = samples.write(tmp_path / "bare.jsonl", [bare], "document-jsonl")
    with caplog.at_level(logging.WARNING):
        CorefTrainer(parse_recipe(samples.recipe(tiny, path)), tmp_path / "out")
    assert expected in caplog.text


def test_the_shipped_encoder_is_named_default() -> None:
    encoder = load_encoder("default", 1)
    assert len(encoder.encoder.layer) == 1
    assert load_tokenizer("default").get_vocab_size() == encoder.config.vocab_size


@pytest.mark.parametrize("load", [load_encoder, load_tokenizer])
def test_a_hub_name_fails_in_one_line_without_a_network(
    load: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_hub.hub_reachable.cache_clear()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(InputError, match=r'the hub cannot be reached .* "default" is') as caught:
        load("nobody/no-encoder")  # type: ignore[operator]
    assert "\n" not in str(caught.value)
    model_hub.hub_reachable.cache_clear()


def test_the_hub_is_reachable_where_its_host_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        host = f"http://127.0.0.1:{server.getsockname()[1]}"
        for name in ("http_proxy", "HTTP_PROXY", "HF_HUB_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HF_ENDPOINT", host)
        model_hub.hub_reachable.cache_clear()
        assert model_hub.hub_reachable()
        assert model_hub.hub_options("nobody/no-encoder") == {}
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model_hub.hub_reachable.cache_clear()
    assert model_hub.hub_options("nobody/no-encoder") == {"local_files_only": True}
    model_hub.hub_reachable.cache_clear()
