"""Encoders of transformers, by folder or hub name, and the shipped one under the name `default`.

The shipped encoder is stored in ONNX with eight-bit weights: matrices with a scale for each
column of each block (see `quantization`), embeddings with a scale for each row. It is
dequantized to train over it; the results are the weights that the shipped network computes with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, read_json
from coindex.models.common.external_weights import StoredTensor, read_tensors
from coindex.models.common.installed_models import DEFAULT, installed_folder
from coindex.models.common.model_hub import check_gguf, is_gguf, not_found, pretrained

SHIPPED_ENCODER = DEFAULT
ENCODER_FILE = "encoder.onnx"
TRAINED = "weights.pt"
"""The weights of a folder that coindex trained."""
CONFIG = "encoder_config"
"""The key in `model.json` of an encoder's config, as transformers has it."""
_HEAD_WIDTH = 32
"""The width of an attention head of MiniLM: models of 0.1 and 0.2 do not store their config."""
_AFTER_PADDING = frozenset({"mpnet", "roberta", "xlm-roberta", "camembert", "longformer"})
"""Encoders that count positions from one past the index of the padding token."""

Floats = NDArray[np.float32]
_EMBEDDINGS = "encoder.embeddings.word_embeddings"
_BLOCK = re.compile(r"int8//encoder/(.+)/MatMul_output_0/(\d+)/matrix")


def load_encoder(
    name: str, layers: int = 0, *, model: str = "AutoModel", attention: str | None = None
) -> Any:
    """An encoder in 32 bits, `default` for the shipped one; its first `layers` layers if not 0.

    name       a hub name, a folder of transformers, or that of a coreference model as
               `coindex train coref` writes it, whose encoder is taken; or a GGUF file
    model      the class of transformers to load it with
    attention  the implementation of attention, such as "eager"; by default the fastest
    """
    import transformers

    options = {"attn_implementation": attention} if attention else {}
    if is_gguf(name):
        check_gguf()
    try:
        if model == "AutoModel" and (Path(name) / TRAINED).is_file():
            return _trained_encoder(name, layers, options)
        with quiet_transformers():
            loaded: Any = (
                load_shipped_encoder()
                if name == SHIPPED_ENCODER and model == "AutoModel" and not attention
                else getattr(transformers, model).from_pretrained(**pretrained(name), **options)
            )
    except (OSError, ValueError) as error:
        line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(not_found(name, "an encoder's folder or hub name", line)) from None
    if is_gguf(name):
        loaded = _without_quantization(loaded)
    if layers:
        keep_first_layers(loaded.base_model, layers, name)
    return loaded.float()


def _without_quantization(loaded: Any) -> Any:
    """A copy of a model of a GGUF file, whose weights are dequantized, as an ordinary model."""
    values = loaded.config.to_dict()
    values.pop("quantization_config", None)
    model = type(loaded)(type(loaded.config).from_dict(values))
    model.load_state_dict(loaded.state_dict())
    return model


def _trained_encoder(folder: str, layers: int, options: Mapping[str, Any]) -> Any:
    """The encoder of a model that coindex trained, without the layers above it."""
    from coindex.models.common.checkpoint import load_tensors

    weights = load_tensors(Path(folder) / TRAINED)
    own = {
        name.removeprefix("encoder."): value.float() if value.is_floating_point() else value
        for name, value in weights.items()
        if name.startswith("encoder.")
    }
    encoder = encoder_from_config(folder, **options)
    encoder.pooler = None
    try:
        encoder.load_state_dict(own)
    except RuntimeError as error:
        line = str(error).partition("\n")[2].strip() or str(error)
        raise InputError(f"{folder}: expected the weights of a whole encoder: {line}") from None
    if layers:
        keep_first_layers(encoder, layers, folder)
    return encoder


def encoder_from_config(folder: str, *, model: str = "AutoModel", **options: Any) -> Any:
    """An encoder without trained weights, as the `config.json` of a folder describes it."""
    import transformers

    with quiet_transformers():
        config = transformers.AutoConfig.from_pretrained(folder)
        return getattr(transformers, model).from_config(config, **options).float()


def max_subwords(config: Any) -> int | None:
    """How many subwords an encoder can read at once; None if its config does not state it."""
    most = getattr(config, "max_position_embeddings", None)
    if not isinstance(most, int) or most < 1:
        return None
    if config.model_type in _AFTER_PADDING:
        most -= int(config.pad_token_id) + 1
    return most


def keep_first_layers(encoder: Any, layers: int, name: str) -> None:
    """Remove all but the first layers of an encoder, in place; `name` is for messages."""
    stack = getattr(getattr(encoder, "encoder", None), "layer", None)
    if stack is None:
        raise InputError(f"{name}: layers can be taken off BERT, MPNet and their like only")
    if layers > len(stack):
        raise InputError(f"{name}: has {len(stack)} layers, found layers = {layers}")
    encoder.encoder.layer = stack[:layers]
    encoder.config.num_hidden_layers = layers


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Suppress the progress bars and the advice that transformers prints while it loads."""
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    level = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def load_shipped_encoder(folder: Path = DEFAULT_MODEL) -> Any:
    """The encoder of an exported model as a model of transformers, in floating point."""
    import torch
    import transformers

    weights = dequantized_weights(folder / ENCODER_FILE)
    stored = _stored_config(folder)
    with quiet_transformers():
        config = transformers.AutoConfig.for_model(**(stored or _bert_config(weights)))
        make: Any = transformers.AutoModel
        model = make.from_config(config)
    model.pooler = None
    tensors = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise InputError(f"{folder}: expected the weights of its encoder: {error}") from None
    return model.float()


def exported_folder(name: str) -> Path | None:
    """The folder of an exported model by its name or path; None if that is no exported model."""
    folder = installed_folder(name) or Path(name).expanduser()
    return folder if (folder / ENCODER_FILE).is_file() else None


def load_any_encoder(name: str, layers: int = 0) -> Any:
    """An encoder by folder or hub name, or that of an exported model, dequantized."""
    folder = exported_folder(name)
    if folder is None:
        return load_encoder(name, layers)
    encoder = load_shipped_encoder(folder)
    if layers:
        keep_first_layers(encoder, layers, name)
    return encoder


def stored_config(encoder: Any) -> dict[str, Any]:
    """The config of an encoder for `model.json`, without where it was on some machine."""
    config = encoder.config.to_dict()
    return {name: value for name, value in config.items() if name != "_name_or_path"}


def _stored_config(folder: Path) -> dict[str, Any] | None:
    if not (folder / METADATA).is_file():
        return None
    config = read_json(folder / METADATA).get(CONFIG)
    return dict(config) if config else None


def _bert_config(weights: Mapping[str, Floats]) -> dict[str, Any]:
    """The config of an encoder like MiniLM, from the shapes of its weights."""
    embeddings = weights["embeddings.word_embeddings.weight"]
    layers = {int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")}
    return {
        "model_type": "bert",
        "vocab_size": len(embeddings), "hidden_size": embeddings.shape[1],
        "num_hidden_layers": len(layers),
        "num_attention_heads": embeddings.shape[1] // _HEAD_WIDTH,
        "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.bias"]),
        "max_position_embeddings": len(weights["embeddings.position_embeddings.weight"]),
    }  # fmt: skip


def dequantized_weights(file: Path) -> dict[str, Floats]:
    """The weights of an eight-bit encoder, under the names that transformers gives them."""
    tensors = read_tensors(file)
    if f"{_EMBEDDINGS}.rows" not in tensors:
        raise InputError(f"{file}: expected an encoder in eight bits, found no word embeddings")
    rows, scale = tensors[f"{_EMBEDDINGS}.rows"].values, tensors[f"{_EMBEDDINGS}.scale"].values
    weights = {
        name.removeprefix("encoder."): tensor.values.astype(np.float32)
        for name, tensor in tensors.items()
        if name.startswith("encoder.") and not name.startswith(_EMBEDDINGS)
    }
    weights[f"{_EMBEDDINGS.removeprefix('encoder.')}.weight"] = rows.astype(np.float32) * scale
    return {**weights, **_matrices(tensors)}


def _matrices(tensors: Mapping[str, StoredTensor]) -> dict[str, Floats]:
    """The matrices, joined from their blocks, as (out, in)."""
    blocks: dict[str, dict[int, Floats]] = {}
    for name, tensor in tensors.items():
        match = _BLOCK.fullmatch(name)
        if match:
            steps = tensors[name.removesuffix("matrix") + "steps"].values
            values = tensor.values.astype(np.float32) * steps
            blocks.setdefault(match[1], {})[int(match[2])] = values
    return {
        f"{name.replace('/', '.')}.weight": np.concatenate([v for _, v in sorted(parts.items())]).T
        for name, parts in blocks.items()
    }
