"""Encoders and trained folders: what is written is read back, and what is wrong is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.errors import InputError  # noqa: E402
from coindex.models.common.encoders import load_encoder, max_subwords  # noqa: E402
from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer  # noqa: E402
from coindex.models.coref.network import Model, Shape  # noqa: E402
from coindex.models.coref.recipe import parse_recipe  # noqa: E402
from coindex.models.coref.train.trainer import CorefTrainer  # noqa: E402
from coindex.models.coref.weights import load_trained, new_model, save_model  # noqa: E402

SHAPE = Shape(("a", "b"), hidden=8, span=8, width=3, fine=2)
KEYS = {
    "shapes.weight", "schemes.weight", "norm.weight", "norm.bias", "start.weight", "start.bias",
    "end.weight", "end.bias", "start_score.weight", "start_score.bias", "end_score.weight",
    "end_score.bias", "biaffine.weight", "width_score.weight", "attend.weight", "attend.bias",
    "classes.weight", "widths.weight", "span.weight", "span.bias", "span_norm.weight",
    "span_norm.bias", "coarse.weight", "later.weight", "later.bias", "earlier.weight",
    "both.weight", "fine.weight", "fine.bias",
    *(f"{table}.{name}.weight" for table in ("coarse_bias", "relation")
      for name in ("words", "sentences", "strings", "classes")),
}  # fmt: skip


def model_over(tiny: Path) -> Model:
    encoder = load_encoder(str(tiny))
    encoder.pooler = None
    return Model(encoder, SHAPE)


@pytest.fixture
def folder(tiny: Path, tmp_path: Path) -> Path:
    torch.manual_seed(1)
    model = model_over(tiny)
    made = parse_recipe(samples.recipe(tiny, tiny))
    save_model(tmp_path / "m", model, made, {"recipe": made.as_json(), "schemes": ["a", "b"]})
    return tmp_path / "m"


def test_the_names_of_the_heads_weights_are_fixed(tiny: Path) -> None:
    """Weights that were trained must load in later versions."""
    assert set(model_over(tiny).head.state_dict()) == KEYS


def test_what_is_written_is_read(folder: Path, tiny: Path) -> None:
    torch.manual_seed(1)
    before = model_over(tiny)
    model, pieces, settings = load_trained(folder)
    assert model.head.shape == SHAPE
    assert (settings["schemes"], settings["window"]) == (["a", "b"], 64)
    theirs = before.state_dict()
    for name, value in model.state_dict().items():
        expected = theirs[name]
        if expected.is_floating_point():
            assert value.dtype == torch.float32
            expected = expected.half().float()
        assert torch.equal(value, expected), name
    assert pieces.of(["Ann", "slept"]) == SubwordTokenizer(load_tokenizer(str(tiny))).of(
        ["Ann", "slept"]
    )
    assert (folder / "tokenizer.json").read_bytes() == (tiny / "tokenizer.json").read_bytes()


def test_an_encoder_in_half_precision_is_computed_in_full(folder: Path) -> None:
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**config, "dtype": "float16"}), encoding="utf-8")
    assert {p.dtype for p in load_trained(folder)[0].parameters()} == {torch.float32}


def test_a_vocabulary_without_a_tokenizer_file(tiny: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny, tmp_path / "old")
    words = json.loads((tiny / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    (tmp_path / "old" / "tokenizer.json").unlink()
    (tmp_path / "old" / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    row = ["Ann", "fed", "the", "dog", "qq"]
    assert SubwordTokenizer(load_tokenizer(str(tmp_path / "old"))).of(row) == SubwordTokenizer(
        load_tokenizer(str(tiny))
    ).of(row)


def test_fewer_layers(tiny: Path) -> None:
    encoder = load_encoder(str(tiny), layers=1)
    assert (len(encoder.encoder.layer), encoder.config.num_hidden_layers) == (1, 1)
    with pytest.raises(InputError, match="has 2 layers, found layers = 3"):
        load_encoder(str(tiny), layers=3)


def test_a_window_longer_than_the_encoder_reads(tiny: Path) -> None:
    values = samples.recipe(tiny, tiny)
    assert new_model(parse_recipe({**values, "window": 128}))
    with pytest.raises(InputError, match="reads at most 128 subwords, found a window of 129"):
        new_model(parse_recipe({**values, "window": 129}))


def test_positions_that_begin_after_padding() -> None:
    from transformers import MPNetConfig

    assert max_subwords(MPNetConfig(max_position_embeddings=514, pad_token_id=1)) == 512


def test_a_tokenizer_of_another_encoder(tiny: Path, ten: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny, tmp_path / "odd")
    file = tmp_path / "odd" / "tokenizer.json"
    values = json.loads(file.read_text(encoding="utf-8"))
    values["model"]["vocab"]["slept"] = 500
    values["model"]["vocab"]["dog"] = 501
    file.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError, match="subwords up to 501, the encoder knows"):
        CorefTrainer(parse_recipe(samples.recipe(tmp_path / "odd", ten)), tmp_path)


def test_encoders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nope: expected an encoder's folder or hub name"):
        load_encoder(str(tmp_path / "nope"))
    with pytest.raises(InputError, match="expected an encoder with a tokenizer"):
        SubwordTokenizer(load_tokenizer(str(tmp_path)))
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="expected a tokenizer"):
        SubwordTokenizer(load_tokenizer(str(tmp_path)))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "model.json").unlink(), "expected a trained model with model.json"),
        (lambda f: (f / "weights.pt").unlink(), "found no weights.pt"),
        (lambda f: (f / "config.json").unlink(), "found no config.json"),
        (lambda f: (f / "weights.pt").write_bytes(b"PK"), "expected weights written by coindex"),
        (lambda f: (f / "model.json").write_text("{"), "expected JSON"),
        (lambda f: (f / "model.json").write_text('{"head": 1}'), "found no recipe"),
        (lambda f: torch.save({"x": torch.ones(1)}, f / "weights.pt"), "are not those of"),
    ],
)
def test_folders_that_are_spoilt(folder: Path, spoil: object, message: str) -> None:
    spoil(folder)  # type: ignore[operator]
    with pytest.raises(InputError, match=message):
        load_trained(folder)
