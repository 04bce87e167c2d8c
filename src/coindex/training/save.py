"""Models on disk: the encoder's own files, the head, and what the run depended on.

A trained model is a folder: `model.json` (recipe, schemes, data checksums, dev
scores), `tokenizer.json`, `config.json` and `weights.pt`; `state.pt` is there only
while a run is not finished. Written beside and moved, so a killed run leaves no
half a file.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from coindex import io
from coindex.errors import InputError
from coindex.neural.windows import Pieces
from coindex.training.config import Recipe
from coindex.training.encoders import load_model, quiet, tokenizer_of, write_tokenizer
from coindex.training.model import Model, Shape

STATE = "state.pt"
FILES = ("weights.pt", "model.json", "config.json", "tokenizer.json")


def save_model(out: Path, model: Model, recipe: Recipe, facts: dict[str, Any]) -> None:
    """Write a model that `load_trained` reads."""
    io.make_folder(out)
    weights = {name: value.cpu().to(torch.float16) if value.is_floating_point() else value.cpu()
               for name, value in model.state_dict().items()}  # fmt: skip
    put(out / "weights.pt", weights)
    model.encoder.config.to_json_file(out / "config.json")
    write_tokenizer(recipe.encoder, out / "tokenizer.json")
    facts = {**facts, "head": model.head.shape.json()}
    io.write_text(out / "model.json", [json.dumps(facts, indent=1), "\n"])


def facts_of(folder: Path) -> dict[str, Any]:
    """What `model.json` says."""
    file = folder / "model.json"
    if not file.is_file():
        raise InputError(f"{folder}: expected a trained model with model.json, found none")
    try:
        facts: dict[str, Any] = json.loads(io.read_text(file))
    except ValueError as error:
        raise InputError(f"{file}: expected JSON: {error}") from None
    missing = [name for name in ("head", "recipe", "schemes") if name not in facts]
    if missing:
        raise InputError(f"{file}: expected a model that can be trained on, found no {missing[0]}")
    return facts


def load_trained(folder: Path) -> tuple[Model, Pieces, dict[str, Any]]:
    """A trained model, its word pieces and its settings."""
    from transformers import AutoConfig, AutoModel

    facts = facts_of(folder)
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder}: expected a trained model, found no {missing[0]}")
    head = {**facts["head"], "schemes": tuple(facts["head"]["schemes"])}
    with quiet():
        make: Any = AutoModel.from_config
        encoder = make(AutoConfig.from_pretrained(folder)).float()
    encoder.pooler = None
    model = Model(encoder, Shape(**head))
    weights = get(folder / "weights.pt")
    try:
        model.load_state_dict({name: value.float() if value.is_floating_point() else value
                               for name, value in weights.items()})  # fmt: skip
    except RuntimeError as error:
        raise InputError(f"{folder}: the weights are not those of model.json: {error}") from None
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
    put(out / STATE, state)


def progress_of(out: Path) -> dict[str, Any] | None:
    """How far the run in a folder is; None if there is no checkpoint."""
    if not (out / STATE).is_file():
        return None
    return cast("dict[str, Any]", get(out / STATE, mmap=True)["progress"])


def load_state(
    out: Path, model: nn.Module, optimizer: torch.optim.Optimizer, average: Sequence[torch.Tensor]
) -> dict[str, Any] | None:
    """Take up a checkpoint; None if there is none."""
    if not (out / STATE).is_file():
        return None
    state = get(out / STATE)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    with torch.no_grad():
        for mine, theirs in zip(average, state["average"], strict=True):
            mine.copy_(theirs)
    return cast("dict[str, Any]", state["progress"])


def get(path: Path, *, mmap: bool = False) -> dict[str, Any]:
    """What is in a file; with `mmap` only what is looked at is read."""
    try:
        found: dict[str, Any] = torch.load(path, "cpu", weights_only=True, mmap=mmap)
    except (RuntimeError, OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        line = str(error).strip().partition("\n")[0]
        raise InputError(f"{path}: expected weights written by coindex: {line}") from None
    return found


def put(path: Path, value: object) -> None:
    """Write a file of weights whole, or not at all."""
    part = path.with_suffix(".part")
    try:
        torch.save(value, part)
        os.replace(part, path)
    except (OSError, RuntimeError) as error:
        part.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error}") from None


__all__ = [
    "FILES", "STATE", "facts_of", "get", "load_model", "load_state", "load_trained", "progress_of",
    "put", "save_model", "save_state", "tokenizer_of",
]  # fmt: skip
