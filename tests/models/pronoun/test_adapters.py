"""Low-rank adapters: what is trained, what is stored, and that the encoder stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
import torch

import training_samples as samples
from coindex import benchmarks
from coindex.errors import InputError
from coindex.models.pronoun import recipe as recipe_overrides
from coindex.models.pronoun import substitution, weights
from coindex.models.pronoun.infer import score_phrases
from coindex.models.pronoun.lora import (
    adapter_parameters,
    add_adapters,
    frozen_checksum,
    frozen_parameters,
)
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.recipe import Recipe, parse_recipe
from coindex.models.pronoun.train.trainer import PronounTrainer, train_seed

WAYS = {"given": own_candidates}


def made(tiny: Path, problems: Path, **changes: Any) -> Recipe:
    stage = {"files": [str(problems)], "loss": "choice", "batch": 8, "rate": 2e-3,
             "head_rate": 1e-2, "epochs": 8}  # fmt: skip
    values = {"kind": "substitution", "encoder": str(tiny), "rank": 4, "window": 64,
              "stage": [stage], "dev": [{"files": [str(problems)]}], "test": False}  # fmt: skip
    return parse_recipe({**values, **changes})


@pytest.fixture(scope="module")
def done(tiny: Path, problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("adapted")
    train_seed(made(tiny, problems), out, WAYS)
    return out


def test_a_new_model_computes_what_its_encoder_does(tiny: Path) -> None:
    plain = substitution.new_substitution(str(tiny), 0, 1).eval().encoder
    adapted = substitution.new_substitution(str(tiny), 0, 1, rank=4).eval().encoder
    pieces = torch.randint(5, 50, (2, 9))
    one, two = (model(input_ids=pieces).last_hidden_state for model in (plain, adapted))
    assert torch.equal(one, two)


def test_the_formula(tiny: Path) -> None:
    model = substitution.new_substitution(str(tiny), 0, 1, rank=4).eval()
    layer = model.encoder.encoder.layer[1].intermediate.dense
    torch.nn.init.normal_(layer.up.weight)
    x = torch.randn(3, 32)
    whole = layer.weight + layer.up.weight @ layer.down.weight
    assert torch.allclose(layer(x), x @ whole.T + layer.bias, atol=1e-5)


def test_what_is_trained(tiny: Path) -> None:
    model = substitution.new_substitution(str(tiny), 0, 1, rank=4)
    trained = {name for name, value in model.named_parameters() if value.requires_grad}
    own = {name.removeprefix("encoder.encoder.layer.0.") for name in trained if ".0." in name}
    assert "encoder.embeddings.word_embeddings.weight" in frozen_parameters(model)
    assert "encoder.embeddings.LayerNorm.weight" in frozen_parameters(model)
    assert "attention.self.query.weight" not in own
    assert {"attention.self.query.down.weight", "attention.self.query.bias",
            "attention.output.LayerNorm.weight", "output.dense.up.weight"} <= own  # fmt: skip
    assert sum(p.numel() for p in adapter_parameters(model)) == 2 * 4 * (
        4 * (32 + 32) + 2 * (32 + 64)
    )
    assert set(weights.trained_weights(model)) == trained


def test_training_learns_and_leaves_the_encoder(tiny: Path, done: Path) -> None:
    facts = json.loads((done / "model.json").read_text())
    assert facts["dev"]["mean"] > 80
    assert facts["base"] == {"encoder": str(tiny), "layers": 0, "rank": 4}
    fresh = substitution.new_substitution(str(tiny), 0, 7, rank=4)
    loaded = weights.load_model(done, "substitution")
    assert facts["frozen"] == frozen_checksum(fresh) == frozen_checksum(loaded)
    stored = torch.load(done / "weights.pt", weights_only=True)
    assert not set(stored) & set(frozen_parameters(fresh))
    before = dict(fresh.named_parameters())
    for name, value in loaded.named_parameters():
        assert torch.equal(value, before[name]) != value.requires_grad, name


def test_a_run_that_is_stopped_ends_with_the_same_bits(
    tiny: Path, problems: Path, done: Path, tmp_path: Path
) -> None:
    trainer = PronounTrainer(made(tiny, problems), tmp_path, WAYS, "cpu", 1)
    for _ in range(3):
        trainer._run_epoch()
    train_seed(made(tiny, problems), tmp_path, WAYS)
    one, two = (torch.load(f / "weights.pt", weights_only=True) for f in (done, tmp_path))
    assert set(one) == set(two)
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_over_another_encoder_it_is_refused(
    tiny: Path, done: Path, tmp_path: Path, problems: Path
) -> None:
    other = samples.encoder(tmp_path / "other", layers=2)
    from transformers import BertModel

    changed: Any = BertModel.from_pretrained(other)
    torch.nn.init.normal_(changed.encoder.layer[0].output.dense.weight)
    changed.save_pretrained(other)
    facts = json.loads((done / "model.json").read_text())
    moved = tmp_path / "moved"
    moved.mkdir()
    for file in done.iterdir():
        (moved / file.name).write_bytes(file.read_bytes())
    facts["base"]["encoder"] = str(other)
    (moved / "model.json").write_text(json.dumps(facts))
    with pytest.raises(InputError, match="expected the encoder that its adapters were trained"):
        weights.load_model(moved, "substitution")


def test_going_on_from_adapters(done: Path, problems: Path, tmp_path: Path) -> None:
    stage = {"files": [str(problems)], "loss": "choice", "batch": 8, "head_rate": 1e-3}
    values = {"kind": "substitution", "start": str(done), "window": 64, "stage": [stage]}
    train_seed(parse_recipe(values), tmp_path, WAYS)
    facts = [json.loads((folder / "model.json").read_text()) for folder in (done, tmp_path)]
    assert facts[0]["frozen"] == facts[1]["frozen"]
    asked = list(own_candidates([samples.problem(n) for n in range(4)]))
    one, two = (
        list(score_phrases(weights.load_model(f, "substitution"), asked, 64))
        for f in (done, tmp_path)
    )
    assert one != two


def test_encoders_of_other_kinds() -> None:
    with pytest.raises(InputError, match="adapters are for encoders like BERT's"):
        add_adapters(torch.nn.Linear(2, 2), 4, "x")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rank": -1}, "rank must be from 0 to 256, found -1"),
        ({"kind": "masked-lm"}, "a rank is for substitution models over a new encoder"),
        ({"encoder": "", "start": "x"}, "a rank is for substitution models over a new encoder"),
    ],
)
def test_ranks_that_cannot_be(tiny: Path, problems: Path, changes: Any, said: str) -> None:
    stage = [{"files": [str(problems)]}]
    with pytest.raises(InputError, match=said):
        made(tiny, problems, stage=stage, **changes)


def test_the_recipe_of_adapters() -> None:
    found = recipe_overrides.load_recipe("adapters")
    assert (found.kind, found.encoder, found.neither) == ("substitution", "default", False)
    assert found.rank > 0
    sets: list[Any] = [*found.stage, *found.dev]
    for name in (name for each in sets for name in each.files):
        bench, _, split = name.partition(":")
        assert bench not in benchmarks.names() or split not in ("", "test"), name
