"""The weights of masked-lm and substitution models, on disk and back.

`weights.pt` holds them in half precision, tied ones once and without frozen ones; `best.pt`
holds those of the best epoch of an unfinished run, unrounded.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from coindex import io
from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, TOKENIZER, write_json
from coindex.models.common.checkpoint import load_tensors, save_tensors
from coindex.models.common.encoders import SHIPPED_ENCODER, max_subwords
from coindex.models.common.subwords import write_tokenizer
from coindex.models.pronoun import masked_lm, substitution
from coindex.models.pronoun.artifact import CARD, read_metadata
from coindex.models.pronoun.lora import frozen_checksum, frozen_parameters
from coindex.models.pronoun.masked_lm import MaskedLM
from coindex.models.pronoun.recipe import Recipe
from coindex.models.pronoun.substitution import AdapterBase, Substitution

Model = MaskedLM | Substitution
WEIGHTS, BEST = "weights.pt", "best.pt"
FILES = (WEIGHTS, METADATA, "config.json", TOKENIZER, CARD)


def new_model(recipe: Recipe, seed: int) -> Model:
    """The model that a run starts with: over an encoder, or a trained one."""
    model = _new_model(recipe, seed)
    most = max_subwords(model.encoder.config)
    needed = max([recipe.window, *(s.pieces for s in recipe.stage if s.loss == "text")])
    if most is not None and needed > most:
        name = recipe.encoder or recipe.start
        raise InputError(f"{name}: reads at most {most} subwords, found a window of {needed}")
    return model


def _new_model(recipe: Recipe, seed: int) -> Model:
    if recipe.start:
        if not Path(recipe.start).is_dir():
            raise InputError(
                f"{recipe.start}: expected the folder of a {recipe.kind} model to start from"
                " (--start FOLDER), found none"
            )
        model = load_model(Path(recipe.start), recipe.kind)
        torch.manual_seed(seed)
        if isinstance(model, Substitution):
            model.neither = recipe.neither
        return model
    if recipe.kind == "masked-lm":
        return masked_lm.new_masked_lm(recipe.encoder, recipe.layers, seed)
    return substitution.new_substitution(
        recipe.encoder, recipe.layers, seed,
        neither=recipe.neither, rank=recipe.rank, scorer=recipe.scorer,
    )  # fmt: skip


def load_model(folder: Path, kind: str) -> Model:
    """The trained model of a folder."""
    metadata = read_metadata(folder, kind)
    for name in FILES[:-1]:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: expected a trained model, found no {name}")
    model = _empty(folder, kind, metadata)
    set_weights(model, load_tensors(folder / WEIGHTS), str(folder))
    model.eval()
    return model


def _empty(folder: Path, kind: str, metadata: dict[str, Any]) -> Model:
    """The model of a folder without its trained weights."""
    neither = bool(metadata["recipe"].get("neither"))
    if kind == "masked-lm":
        return masked_lm.empty_masked_lm(str(folder))
    if "base" not in metadata:
        scorer = metadata["recipe"].get("scorer", "candidate")
        return substitution.empty_substitution(str(folder), neither=neither, scorer=scorer)
    base = AdapterBase(**metadata["base"])
    beside = str(folder.parent / Path(base.encoder).name)
    # trained elsewhere, it may be a folder of the same name here, or the shipped one
    for name in dict.fromkeys((base.encoder, beside, SHIPPED_ENCODER)):
        try:
            model = substitution.new_substitution(
                name, base.layers, 0, neither=neither, rank=base.rank
            )
        except InputError:
            continue
        if frozen_checksum(model) == metadata["frozen"]:
            return model
    raise InputError(
        f"{folder}: expected the encoder that its adapters were trained over ({base.encoder}),"
        f" found it neither there nor at {beside}, and the shipped one is another"
    )


def save_model(out: Path, model: Model, metadata: dict[str, Any]) -> None:
    """Write a model that `load` reads."""
    half = {
        name: value.to(torch.float16) if value.is_floating_point() else value
        for name, value in trained_weights(model).items()
    }
    io.make_folder(out)
    save_tensors(out / WEIGHTS, half)
    model.encoder.config.to_json_file(out / "config.json")
    write_tokenizer(model.tokenizer.name, out / TOKENIZER)
    base = model.base if isinstance(model, Substitution) else None
    if base is not None:
        metadata = {**metadata, "base": asdict(base), "frozen": frozen_checksum(model)}
    write_json(out / METADATA, {**metadata, "weights": sha256(out / WEIGHTS)})


def trained_weights(model: nn.Module) -> dict[str, Tensor]:
    """The weights by name, without frozen ones; of tied ones only the first."""
    frozen = frozen_parameters(model)
    weights: dict[str, Tensor] = {}
    known: set[int] = set()
    for name, value in model.state_dict().items():
        if name not in frozen and (value.data_ptr() not in known or not value.numel()):
            known.add(value.data_ptr())
            weights[name] = value.detach().cpu()
    return weights


def set_weights(model: nn.Module, weights: dict[str, Tensor], where: str) -> None:
    """Set the weights of a model; none may be missing or of another shape."""
    whole = {n: v.float() if v.is_floating_point() else v for n, v in weights.items()}
    try:
        keys = model.load_state_dict(whole, strict=False)
    except RuntimeError as error:
        raise InputError(f"{where}: the weights do not fit the model: {error}") from None
    missing = set(keys.missing_keys) & set(trained_weights(model))
    if missing or keys.unexpected_keys:
        odd = sorted([*missing, *keys.unexpected_keys])[0]
        raise InputError(f"{where}: the weights are not those of the model: {odd}")
