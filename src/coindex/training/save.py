"""Models on disk: the encoder's own files, the head, and what the run depended on.

A trained model is a folder: `model.json` (recipe, schemes, data checksums, dev
scores), `tokenizer.json`, `config.json` and `weights.pt`; `state.pt` is there only
while a run is not finished. Written beside and moved, so a killed run leaves no
half a file.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from coindex.errors import InputError
from coindex.neural.windows import Pieces
from coindex.training.config import Recipe
from coindex.training.model import Model, Shape


def tokenizer_of(name: str) -> Pieces:
    """The word pieces of an encoder, by folder or hub name."""
    from tokenizers import Tokenizer

    file = Path(name) / "tokenizer.json"
    if file.is_file():
        tokenizer = Tokenizer.from_file(str(file))
    else:
        tokenizer = Tokenizer.from_pretrained(name)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Pieces(tokenizer)


def load_model(name: str, shape: Shape, layers: int = 0) -> Model:
    """A new model over an encoder; only its first `layers` layers if told."""
    from transformers import AutoModel

    try:
        encoder = AutoModel.from_pretrained(name)
    except OSError as error:
        raise InputError(f"{name}: expected an encoder's folder or hub name: {error}") from None
    encoder.pooler = None
    if layers:
        encoder.encoder.layer = encoder.encoder.layer[:layers]
        encoder.config.num_hidden_layers = layers
    return Model(encoder.float(), shape)


def save_model(out: Path, model: Model, recipe: Recipe, facts: dict[str, Any]) -> None:
    """Write a model that `load_trained` reads."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: value.to(torch.float16) if value.is_floating_point() else value
               for name, value in model.state_dict().items()}  # fmt: skip
    _put(out / "weights.pt", weights)
    model.encoder.config.to_json_file(out / "config.json")
    source = Path(recipe.encoder) / "tokenizer.json"
    if source.is_file():
        shutil.copyfile(source, out / "tokenizer.json")
    else:
        from tokenizers import Tokenizer

        Tokenizer.from_pretrained(recipe.encoder).save(str(out / "tokenizer.json"))
    facts = {**facts, "head": model.head.shape.json()}
    (out / "model.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def load_trained(folder: Path) -> tuple[Model, Pieces, dict[str, Any]]:
    """A trained model, its word pieces and its settings."""
    from transformers import AutoConfig, AutoModel

    file = folder / "model.json"
    if not file.is_file():
        raise InputError(f"{folder}: expected a trained model with model.json, found none")
    facts = json.loads(file.read_text(encoding="utf-8"))
    head = {**facts["head"], "schemes": tuple(facts["head"]["schemes"])}
    encoder = AutoModel.from_config(AutoConfig.from_pretrained(folder))
    encoder.pooler = None
    model = Model(encoder, Shape(**head))
    weights = torch.load(folder / "weights.pt", map_location="cpu", weights_only=True)
    model.load_state_dict({name: value.float() if value.is_floating_point() else value
                           for name, value in weights.items()})  # fmt: skip
    settings = {**facts["recipe"], "schemes": facts["schemes"]}
    return model.eval(), tokenizer_of(str(folder)), settings


def save_state(
    out: Path, model: nn.Module, optimizer: torch.optim.Optimizer,
    average: Sequence[torch.Tensor], progress: dict[str, Any],
) -> None:  # fmt: skip
    """A checkpoint to go on from."""
    state = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(),
        "average": list(average), "progress": progress,
    }  # fmt: skip
    _put(out / "state.pt", state)


def load_state(
    out: Path, model: nn.Module, optimizer: torch.optim.Optimizer,
    average: Sequence[torch.Tensor], device: torch.device,
) -> dict[str, Any] | None:  # fmt: skip
    """Take up a checkpoint; None if there is none."""
    file = out / "state.pt"
    if not file.is_file():
        return None
    state = torch.load(file, map_location="cpu", weights_only=False)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    with torch.no_grad():
        for mine, theirs in zip(average, state["average"], strict=True):
            mine.copy_(theirs.to(device))
    return cast("dict[str, Any]", state["progress"])


def _put(path: Path, value: object) -> None:
    part = path.with_suffix(".part")
    torch.save(value, part)
    os.replace(part, path)
