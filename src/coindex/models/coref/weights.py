"""The folder of a trained coreference model, as training writes it; needs torch.

model.json       recipe, schemes, checksums of the data, dev scores, sizes of the head
weights.pt       the weights in half precision
config.json      the encoder's configuration
tokenizer.json   its tokenizer
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from coindex import io
from coindex.errors import InputError
from coindex.models.common.artifact import COREF, METADATA, TOKENIZER, describe_model, write_json
from coindex.models.common.checkpoint import load_tensors, save_tensors
from coindex.models.common.encoders import encoder_from_config, load_encoder, max_subwords
from coindex.models.common.installed_models import find_model
from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer, write_tokenizer
from coindex.models.coref.dequantize import load_exported
from coindex.models.coref.network import Model, Shape
from coindex.models.coref.recipe import Recipe
from coindex.models.coref.start import read_start

WEIGHTS = "weights.pt"
FILES = (WEIGHTS, METADATA, "config.json", TOKENIZER)


def new_model(recipe: Recipe) -> Model:
    """The model that a run starts with: over an encoder, or a trained one."""
    shape = Shape(
        recipe.all_schemes(), recipe.hidden, recipe.span, recipe.width, recipe.fine, recipe.dropout
    )
    if recipe.start:
        return _started(recipe, shape)
    encoder = load_encoder(recipe.encoder, recipe.layers)
    encoder.pooler = None
    most = max_subwords(encoder.config)
    if most is not None and recipe.window > most:
        raise InputError(
            f"{recipe.encoder}: reads at most {most} subwords, found a window of {recipe.window}"
        )
    return Model(encoder, shape)


def _started(recipe: Recipe, shape: Shape) -> Model:
    """The model that the recipe starts from, with the recipe's schemes and dropout."""
    start = read_start(recipe.start)
    own = Shape(**{**start.trained["head"], "schemes": start.schemes})
    if replace(own, schemes=shape.schemes, dropout=shape.dropout) != shape:
        raise InputError(
            f"{recipe.start}: expected a model of the recipe's sizes {asdict(shape)},"
            f" found {asdict(own)}"
        )
    if start.exported:
        before, _ = load_exported(start.folder, own)
    else:
        before, _, _ = load_trained(start.folder)
    weights = before.head.state_dict()
    rows = start.numbers(shape.schemes, recipe.new_schemes_from)
    weights["schemes.weight"] = weights["schemes.weight"][rows]
    model = Model(before.encoder, shape)
    model.head.load_state_dict(weights)
    return model


def tokenizer_source(recipe: Recipe) -> str:
    """The encoder or the folder whose tokenizer a recipe uses."""
    return recipe.encoder or str(find_model(recipe.start))


def save_model(out: Path, model: Model, recipe: Recipe, metadata: dict[str, Any]) -> None:
    """Write a model that `load_trained` reads."""
    io.make_folder(out)
    weights = {name: value.cpu().to(torch.float16) if value.is_floating_point() else value.cpu()
               for name, value in model.state_dict().items()}  # fmt: skip
    save_tensors(out / WEIGHTS, weights)
    model.encoder.config.to_json_file(out / "config.json")
    write_tokenizer(tokenizer_source(recipe), out / TOKENIZER)
    write_json(out / METADATA, {**metadata, "head": asdict(model.head.shape)})


def read_training_metadata(folder: Path) -> dict[str, Any]:
    """The metadata of a trained model, which must be one that training can continue from."""
    if not (folder / METADATA).is_file():
        raise InputError(f"{folder}: expected a trained model with {METADATA}, found none")
    artifact = describe_model(folder)
    artifact.expect(COREF)
    missing = [name for name in ("head", "recipe", "schemes") if name not in artifact.metadata]
    if missing:
        raise InputError(
            f"{folder / METADATA}: expected a model that can be trained on, found no {missing[0]}"
        )
    return dict(artifact.metadata)


def load_trained(folder: Path) -> tuple[Model, SubwordTokenizer, dict[str, Any]]:
    """A trained model, its tokenizer and its settings."""
    metadata = read_training_metadata(folder)
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder}: expected a trained model, found no {missing[0]}")
    sizes = {**metadata["head"], "schemes": tuple(metadata["head"]["schemes"])}
    encoder = encoder_from_config(str(folder))
    encoder.pooler = None
    model = Model(encoder, Shape(**sizes))
    weights = load_tensors(folder / WEIGHTS)
    try:
        model.load_state_dict({name: value.float() if value.is_floating_point() else value
                               for name, value in weights.items()})  # fmt: skip
    except RuntimeError as error:
        raise InputError(f"{folder}: the weights are not those of model.json: {error}") from None
    settings = {**metadata["recipe"], "schemes": metadata["schemes"]}
    return model.eval(), SubwordTokenizer(load_tokenizer(str(folder))), settings
