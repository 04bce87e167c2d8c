"""The encoder of the shipped coreference model as one to train over: eight bits unpacked.

    coindex.pronoun.shipped.write(Path("folder"))     # config.json, model.safetensors, ...

`encoder = "default"` in a recipe means it. Its matrices are whole numbers with a scale
for each column of each block (see `training.quantise`), the embeddings with one for each
row; multiplied out they are what the shipped network computes with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError
from coindex.pronoun.stored import Stored, stored

NAME = "default"
FOLDER = Path(__file__).parent.parent / "models" / "default"
ENCODER = "encoder.onnx"
HEAD = 32
"""The width of an attention head of MiniLM; the network does not say it."""

Floats = NDArray[np.float32]
_ROWS = "encoder.embeddings.word_embeddings"
_BLOCK = re.compile(r"int8//encoder/(.+)/MatMul_output_0/(\d+)/matrix")


def weights(file: Path) -> dict[str, Floats]:
    """The weights of an encoder in eight bits, named as transformers names them."""
    found = stored(file)
    if f"{_ROWS}.rows" not in found:
        raise InputError(f"{file}: expected an encoder in eight bits, found no word embeddings")
    rows, scale = found[f"{_ROWS}.rows"].values, found[f"{_ROWS}.scale"].values
    made = {
        name.removeprefix("encoder."): each.values.astype(np.float32)
        for name, each in found.items()
        if name.startswith("encoder.") and not name.startswith(_ROWS)
    }
    made[f"{_ROWS.removeprefix('encoder.')}.weight"] = rows.astype(np.float32) * scale
    return {**made, **_matrices(found)}


def _matrices(found: Mapping[str, Stored]) -> dict[str, Floats]:
    """The matrices, their blocks put together, as (out, in)."""
    blocks: dict[str, dict[int, Floats]] = {}
    for name, each in found.items():
        match = _BLOCK.fullmatch(name)
        if match:
            steps = found[name.removesuffix("matrix") + "steps"].values
            whole = each.values.astype(np.float32) * steps
            blocks.setdefault(match[1], {})[int(match[2])] = whole
    return {
        f"{name.replace('/', '.')}.weight": np.concatenate([v for _, v in sorted(parts.items())]).T
        for name, parts in blocks.items()
    }


def encoder(folder: Path = FOLDER) -> Any:
    """The encoder as transformers' own, in floating point."""
    import torch
    from transformers import BertConfig, BertModel

    found = weights(folder / ENCODER)
    words = found["embeddings.word_embeddings.weight"]
    layers = {int(name.split(".")[2]) for name in found if name.startswith("encoder.layer.")}
    config = BertConfig(
        vocab_size=len(words), hidden_size=words.shape[1], num_hidden_layers=len(layers),
        num_attention_heads=words.shape[1] // HEAD,
        intermediate_size=len(found["encoder.layer.0.intermediate.dense.bias"]),
        max_position_embeddings=len(found["embeddings.position_embeddings.weight"]),
    )  # fmt: skip
    make: Any = BertModel
    model = make(config, add_pooling_layer=False)
    tensors = {name: torch.from_numpy(np.array(value)) for name, value in found.items()}
    model.load_state_dict(tensors)
    return model.float()


def write(folder: Path, *, half: bool = False) -> Path:
    """Write the encoder as a folder that transformers reads anywhere."""
    from coindex.training.encoders import quiet, write_tokenizer

    with quiet():
        model = encoder()
        (model.half() if half else model).save_pretrained(folder)
    write_tokenizer(str(FOLDER), folder / "tokenizer.json")
    return folder
