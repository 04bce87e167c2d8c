"""Encoders of BERT and MPNet, exported in eight bits and in packed blocks, and rebuilt."""

from __future__ import annotations

import json
import shutil
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import training_samples as samples
from coindex.errors import InputError

WHY = "needs torch: pip install 'coindex[train]'"
KINDS = [
    ("bert", "8"),
    ("mpnet", "8"),
    ("bert", "4"),
    ("mpnet", "5"),
    ("mpnet", "6"),
    ("mpnet", "6/5"),
]
ERRORS = {"8": 0.03, "6": 0.12, "6/5": 0.2, "5": 0.2, "5/4": 0.4, "4": 0.4}
"""The most by which vectors may differ from those in floating point, as a share of their length."""


class Exported(NamedTuple):
    """A model that was not trained, in torch and exported."""

    trained: Path
    out: Path
    bits: str


@pytest.fixture(scope="module", params=KINDS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    for name in ("torch", "transformers", "onnx"):
        pytest.importorskip(name, reason=WHY)
    import torch

    from coindex.models.common import packed_weights
    from coindex.models.coref.export import export
    from coindex.models.coref.recipe import parse_recipe
    from coindex.models.coref.weights import new_model, save_model

    kind, bits = request.param
    home = tmp_path_factory.mktemp("packed")
    encoder = samples.encoder(home / "encoder", layers=3, width=96, kind=kind)
    recipe = parse_recipe(samples.recipe(encoder, samples.corpus(home / "stories")))
    made = new_model(recipe)
    with torch.no_grad():
        for value in made.encoder.parameters():
            value += 0.02 * torch.randn_like(value)  # the exporter joins tensors that are equal
    metadata = {"recipe": recipe.as_json(), "schemes": list(recipe.all_schemes())}
    save_model(home / "trained", made, recipe, metadata)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_weights, "MAX_BYTES", 40_000)
        export(home / "trained", home / "out", bits=bits)
    return Exported(home / "trained", home / "out", bits)


def vectors(folder: Path) -> Any:
    """The vectors of words of a story."""
    from coindex.models.coref.infer.engine import load_engine

    engine = load_engine(folder, 1)
    inputs = list(engine._inputs(samples.stories(2), deque()))
    return np.concatenate([rows.x for rows in engine.encoder.run(inputs, 0)])


def test_vectors_are_near_those_of_torch(model: Exported) -> None:
    exact, found = vectors(model.trained), vectors(model.out)
    error = np.linalg.norm(found - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert error.mean() < ERRORS[model.bits]


def test_files_are_split(model: Exported) -> None:
    from coindex.models.common.packed_weights import INDEX, packed_files

    names = packed_files(model.out)
    if model.bits == "8":
        assert not names
        return
    assert names[0] == INDEX
    assert len(names) > 2
    assert all((model.out / name).stat().st_size <= 40_000 for name in names[1:])


def test_the_encoder_is_rebuilt_for_training(model: Exported) -> None:
    import torch

    from coindex.models.common.encoders import load_shipped_encoder
    from coindex.models.coref.weights import load_trained

    before, after = load_trained(model.trained)[0].encoder.eval(), load_shipped_encoder(model.out)
    assert after.config.model_type == before.config.model_type
    assert after.config.num_attention_heads == 2
    assert after.config.num_hidden_layers == 3
    subwords = torch.arange(5, 40)[None]
    with torch.no_grad():
        one, two = (
            each(input_ids=subwords).last_hidden_state[0] for each in (before, after.eval())
        )
    error = (one - two).norm(dim=-1) / one.norm(dim=-1)
    assert 0 < float(error.mean()) < ERRORS[model.bits]
    stored = json.loads((model.out / "model.json").read_text(encoding="utf-8"))
    assert "_name_or_path" not in stored["encoder_config"]
    assert str(stored["bits"]) == model.bits


@pytest.mark.parametrize("over", ["exported", "trained"])
def test_adapters_share_its_weights(model: Exported, over: str, tmp_path: Path) -> None:
    import torch

    from coindex.models.coref.weights import load_trained
    from coindex.models.pronoun import substitution, weights
    from coindex.models.pronoun.export import export
    from coindex.models.pronoun.infer import OnnxScorer, score_phrases
    from coindex.models.pronoun.lora import adapter_parameters
    from coindex.models.pronoun.query import own_candidates

    base = model.out
    if over == "trained":
        base = tmp_path / "base"
        load_trained(model.trained)[0].encoder.save_pretrained(base)
        shutil.copyfile(model.trained / "tokenizer.json", base / "tokenizer.json")
    made = substitution.new_substitution(str(base), 0, 1, rank=4)
    with torch.no_grad():
        for value in (*adapter_parameters(made), *made.scorer.parameters()):
            value.copy_((torch.randn_like(value) * 0.1).half())
    recipe = {"window": 64, "neither": False, "encoder": str(base), "rank": 4}
    weights.save_model(tmp_path / "pronoun", made, {"kind": "substitution", "recipe": recipe})
    out = tmp_path / "out"
    shutil.copytree(model.out, out)
    export(tmp_path / "pronoun", out)
    stored = json.loads((out / "pronoun.json").read_text(encoding="utf-8"))
    assert ("packed" in stored) == (model.bits != "8")
    asked = list(own_candidates([samples.problem(number) for number in range(8)]))
    found = np.array(list(OnnxScorer(out, 1).scores(asked)))
    exact = np.array(list(score_phrases(made, asked, 64)))
    allowed = 0.05 if over == "exported" else 0.05 + ERRORS[model.bits]
    assert np.abs(found - exact).max() < max(allowed * np.abs(exact).max(), 1e-2)


def test_adapters_of_another_encoder_are_refused(model: Exported, tmp_path: Path) -> None:
    from coindex.models.pronoun import substitution, weights
    from coindex.models.pronoun.export import export

    kind = json.loads((model.trained / "config.json").read_text())["model_type"]
    other = samples.encoder(tmp_path / "other", layers=3, width=96, kind=kind)
    made = substitution.new_substitution(str(other), 0, 1, rank=4)
    recipe = {"window": 64, "neither": False, "encoder": str(other), "rank": 4}
    weights.save_model(tmp_path / "pronoun", made, {"kind": "substitution", "recipe": recipe})
    out = tmp_path / "out"
    shutil.copytree(model.out, out)
    with pytest.raises(InputError, match="expected the encoder that"):
        export(tmp_path / "pronoun", out)


def test_damaged_weights_are_found(model: Exported, tmp_path: Path) -> None:
    if model.bits == "8":
        pytest.skip("nothing is packed")
    out = tmp_path / "out"
    shutil.copytree(model.out, out)
    data = bytearray((out / "encoder-2.bin").read_bytes())
    data[7] ^= 1
    (out / "encoder-2.bin").write_bytes(data)
    with pytest.raises(InputError, match=r"encoder-2\.bin: expected sha256"):
        vectors(out)
    (out / "encoder-2.bin").unlink()
    with pytest.raises(InputError, match=r"expected encoder-2\.bin of an exported model"):
        vectors(out)
