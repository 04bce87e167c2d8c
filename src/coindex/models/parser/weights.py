"""The weights of a parser in training, on disk and back.

`weights.pt` holds the network of the finished run, `best.pt` that of the best epoch so far.
The shared layers are in neither: they are the encoder's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from coindex import io
from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.common.artifact import (
    METADATA,
    PARSER,
    TOKENIZER,
    read_json,
    versions,
    write_json,
)  # fmt: skip
from coindex.models.common.checkpoint import load_tensors
from coindex.models.common.encoders import (
    ENCODER_FILE,
    keep_first_layers,
    load_shipped_encoder,
)  # fmt: skip
from coindex.models.common.installed_models import find_model
from coindex.models.common.subwords import SubwordTokenizer, read_tokenizer
from coindex.models.parser.network import ParserNetwork
from coindex.models.parser.recipe import Recipe, parse_recipe
from coindex.models.parser.vocabulary import Vocabulary

WEIGHTS, BEST = "weights.pt", "best.pt"


@dataclass(frozen=True, slots=True)
class Parser:
    """The shared layers of an encoder, the parser's own network over them, the tokenizer."""

    shared: Any
    network: ParserNetwork
    tokenizer: SubwordTokenizer


def encoder_folder(name: str) -> Path:
    """The folder of an exported encoder: that of a model by name, or another."""
    folder = find_model(name)
    if not (folder / ENCODER_FILE).is_file():
        raise InputError(f"{folder}: expected an exported model with {ENCODER_FILE}, found none")
    return folder


def new_parser(recipe: Recipe, known: Vocabulary) -> Parser:
    """An untrained parser: its layers are copies of the encoder's."""
    folder = encoder_folder(recipe.encoder)
    torch.manual_seed(recipe.seed)
    encoder = load_shipped_encoder(folder)
    stack = encoder.encoder.layer
    if not 0 < recipe.shared < len(stack):
        raise InputError(
            f"{folder}: has {len(stack)} layers, of which some must be shared and some not,"
            f" found shared = {recipe.shared}"
        )
    upper = deepcopy(encoder.encoder)
    upper.layer = upper.layer[recipe.shared :][: recipe.own or None]
    upper.config._attn_implementation = "eager"
    for module in upper.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = recipe.layer_dropout
    keep_first_layers(encoder, recipe.shared, str(folder))
    width = int(encoder.config.hidden_size)
    sizes = recipe.hidden, recipe.product
    counts = len(known.labels), len(known.tags)
    network = ParserNetwork(upper, width, sizes, *counts, recipe.head_dropout)
    tokenizer = SubwordTokenizer(read_tokenizer(folder / TOKENIZER))
    return Parser(encoder.eval(), network, tokenizer)


def save_parser(out: Path, recipe: Recipe, known: Vocabulary, metadata: dict[str, Any]) -> None:
    """Make the best weights those of the finished parser, with its metadata."""
    io.copy_file(out / BEST, out / WEIGHTS)
    (out / BEST).unlink(missing_ok=True)
    write_json(out / METADATA, {
        "kind": PARSER, "recipe": asdict(recipe), "labels": known.labels, "tags": known.tags,
        **metadata, "encoder": sha256(encoder_folder(recipe.encoder) / ENCODER_FILE),
        "weights": sha256(out / WEIGHTS), "versions": versions("torch", "transformers"),
    })  # fmt: skip


def load_parser(folder: Path) -> tuple[Parser, dict[str, Any]]:
    """The trained parser of a folder, and its metadata."""
    metadata = read_json(folder / METADATA)
    if metadata.get("kind") != PARSER:
        raise InputError(f"{folder}: expected a model of the kind parser")
    recipe = parse_recipe(metadata["recipe"], str(folder / METADATA))
    actual = sha256(encoder_folder(recipe.encoder) / ENCODER_FILE)
    if actual != metadata["encoder"]:
        raise InputError(
            f"{folder}: expected the encoder that it was trained over"
            f" ({metadata['encoder'][:16]}), found {actual[:16]}: train again"
        )
    known = Vocabulary(tuple(metadata["labels"]), tuple(metadata["tags"]))
    parser = new_parser(recipe, known)
    parser.network.load_state_dict(load_tensors(folder / WEIGHTS))
    parser.network.eval()
    return parser, metadata


@contextmanager
def swapped(network: ParserNetwork, average: Sequence[Tensor]) -> Iterator[None]:
    """The network with averaged weights, while it lasts."""
    current = [p.detach().clone() for p in network.parameters()]
    _set(network, average)
    try:
        yield
    finally:
        _set(network, current)


def _set(network: ParserNetwork, values: Sequence[Tensor]) -> None:
    with torch.no_grad():
        for parameter, value in zip(network.parameters(), values, strict=True):
            parameter.copy_(value)
