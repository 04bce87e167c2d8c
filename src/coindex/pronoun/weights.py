"""The weights of masked-lm and substitution models, on disk and back.

`weights.pt` holds them in half precision, tied ones once, frozen ones not at all; `best.pt`
holds the best epoch of an unfinished run as it is. Both are written beside and moved.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from coindex import io
from coindex.data.verify import sha256
from coindex.errors import InputError
from coindex.pronoun import masked, shipped, substituted
from coindex.pronoun.adapters import fingerprint, frozen
from coindex.pronoun.masked import MaskedLM
from coindex.pronoun.package import facts_of, write_facts
from coindex.pronoun.recipe import Recipe
from coindex.pronoun.substituted import Base, Substitution
from coindex.training.encoders import longest, write_tokenizer
from coindex.training.save import get, put

Model = MaskedLM | Substitution
WEIGHTS, BEST = "weights.pt", "best.pt"
FILES = (WEIGHTS, "model.json", "config.json", "tokenizer.json", "README.md")


def begin(recipe: Recipe, seed: int) -> Model:
    """The model that a run begins with: over an encoder, or one that was trained."""
    made = _begin(recipe, seed)
    most = longest(made.encoder.config)
    wanted = max([recipe.window, *(s.pieces for s in recipe.stage if s.loss == "text")])
    if most is not None and wanted > most:
        name = recipe.encoder or recipe.start
        raise InputError(f"{name}: reads at most {most} pieces, found a window of {wanted}")
    return made


def _begin(recipe: Recipe, seed: int) -> Model:
    if recipe.start:
        if not Path(recipe.start).is_dir():
            raise InputError(
                f"{recipe.start}: expected the folder of a {recipe.kind} model to go on from"
                " (--start FOLDER), found none"
            )
        found = load(Path(recipe.start), recipe.kind)
        torch.manual_seed(seed)
        if isinstance(found, Substitution):
            found.neither = recipe.neither
        return found
    if recipe.kind == "masked-lm":
        return masked.new(recipe.encoder, recipe.layers, seed)
    return substituted.new(
        recipe.encoder, recipe.layers, seed, neither=recipe.neither, rank=recipe.rank
    )


def load(folder: Path, kind: str) -> Model:
    """The trained model of a folder."""
    facts = facts_of(folder, kind)
    for name in FILES[:-1]:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: expected a trained model, found no {name}")
    model = _empty(folder, kind, facts)
    put_in(model, get(folder / WEIGHTS), str(folder))
    model.eval()
    return model


def _empty(folder: Path, kind: str, facts: dict[str, Any]) -> Model:
    """The model of a folder before it gets its weights."""
    neither = bool(facts["recipe"].get("neither"))
    if kind == "masked-lm":
        return masked.empty(str(folder))
    if "base" not in facts:
        return substituted.empty(str(folder), neither=neither)
    base = Base(**facts["base"])
    for name in (base.encoder, shipped.NAME):  # trained elsewhere, it may be the shipped one
        try:
            model = substituted.new(name, base.layers, 0, neither=neither, rank=base.rank)
        except InputError:
            continue
        if fingerprint(model) == facts["frozen"]:
            return model
    raise InputError(
        f"{folder}: expected the encoder that its adapters were trained over ({base.encoder}),"
        " found neither it nor the shipped one in its place"
    )


def save(out: Path, model: Model, facts: dict[str, Any]) -> None:
    """Write a model that `load` reads."""
    half = {
        name: value.to(torch.float16) if value.is_floating_point() else value
        for name, value in taken(model).items()
    }
    io.make_folder(out)
    put(out / WEIGHTS, half)
    model.encoder.config.to_json_file(out / "config.json")
    write_tokenizer(model.tokens.name, out / "tokenizer.json")
    base = model.base if isinstance(model, Substitution) else None
    if base is not None:
        facts = {**facts, "base": asdict(base), "frozen": fingerprint(model)}
    write_facts(out, {**facts, "weights": sha256(out / WEIGHTS)})


def save_best(out: Path, model: Model) -> None:
    """Keep the weights of the best epoch so far."""
    put(out / BEST, taken(model))


def load_best(out: Path, model: Model) -> None:
    """Take up the weights of the best epoch."""
    put_in(model, get(out / BEST), str(out))


def taken(model: nn.Module) -> dict[str, Tensor]:
    """The weights by name, less those that are frozen; of those that are tied, one."""
    still = frozen(model)
    found: dict[str, Tensor] = {}
    known: set[int] = set()
    for name, value in model.state_dict().items():
        if name not in still and (value.data_ptr() not in known or not value.numel()):
            known.add(value.data_ptr())
            found[name] = value.detach().cpu()
    return found


def put_in(model: nn.Module, weights: dict[str, Tensor], where: str) -> None:
    """Give a model its weights; all must be there, and fit."""
    whole = {n: v.float() if v.is_floating_point() else v for n, v in weights.items()}
    try:
        told = model.load_state_dict(whole, strict=False)
    except RuntimeError as error:
        raise InputError(f"{where}: the weights do not fit the model: {error}") from None
    lacking = set(told.missing_keys) & set(taken(model))
    if lacking or told.unexpected_keys:
        odd = sorted([*lacking, *told.unexpected_keys])[0]
        raise InputError(f"{where}: the weights are not those of the model: {odd}")
