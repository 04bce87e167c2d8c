"""Packing the weights of an encoder in torch, before it is exported.

Weights are replaced by what their packed blocks hold, so that everything exported after that
computes with the stored values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from coindex import io
from coindex.models.common.block_packing import PackedRows, can_pack, pack_rows, unpack_rows
from coindex.models.common.encoders import ENCODER_FILE, dequantized_weights
from coindex.models.common.external_weights import refer_to
from coindex.models.common.packed_weights import (
    EMBEDDINGS,
    is_packed,
    read_places,
    tensor_names,
    write_packed,
)
from coindex.models.common.quantization import MIN_SIZE

EMBEDDING_BITS = 4
"""The bits of word embeddings: they bear more rounding than the matrices of layers."""


def pack_encoder(encoder: Any, bits: int, feed_forward: int) -> dict[str, PackedRows]:
    """Round the large matrices of an encoder's layers and its word embeddings, and pack them.

    bits           of a weight of the attention
    feed_forward   of a weight of the feed-forward layers
    """
    packed: dict[str, PackedRows] = {}
    for name, weight in _matrices(encoder):
        if not can_pack(weight.shape[1]):
            continue
        used = bits if "attention" in name else feed_forward
        if name == EMBEDDINGS:
            used = EMBEDDING_BITS
        packed[name] = pack_rows(weight.detach().numpy(), used)
        _set(weight, packed[name])
    return packed


def share_weights(encoder: Any, folder: Path) -> None:
    """Make an encoder compute with the packed weights of a folder, if it has such.

    An encoder that was dequantized from them is left as it is; one as it was before they were
    packed is rounded in the same way. Whether they are the same is checked where the network is
    written (`external_weights`).
    """
    if not is_packed(folder):
        return
    places = read_places(folder)
    given = {name: weight for name, weight in _matrices(encoder) if name in places}
    if not given or _is_dequantized(given, folder):
        return
    for name, weight in given.items():
        _set(weight, pack_rows(weight.detach().numpy(), places[name].bits))


def _is_dequantized(given: Mapping[str, nn.Parameter], folder: Path) -> bool:
    stored = dequantized_weights(folder / ENCODER_FILE)
    return all(
        weight.shape == stored[name].shape
        and np.allclose(weight.detach().numpy(), stored[name], rtol=1e-5, atol=1e-9)
        for name, weight in given.items()
    )


def _set(weight: nn.Parameter, packed: PackedRows) -> None:
    with torch.no_grad():
        weight.copy_(torch.from_numpy(unpack_rows(packed)))


def _matrices(encoder: Any) -> Iterator[tuple[str, nn.Parameter]]:
    yield EMBEDDINGS, encoder.embeddings.word_embeddings.weight
    for name, module in encoder.named_modules():
        whole = isinstance(module, nn.Linear) and name.split(".")[-1] not in ("down", "up")
        if whole and name.startswith("encoder.layer.") and module.weight.numel() >= MIN_SIZE:
            yield f"{name}.weight", module.weight


def store_packed(out: Path, packed: dict[str, PackedRows]) -> None:
    """Write packed weights beside `encoder.onnx`, and take them out of it."""
    import onnx

    write_packed(out, packed)
    model = onnx.load(str(out / ENCODER_FILE))
    names = tensor_names(out)
    for tensor in model.graph.initializer:
        if tensor.name in names:
            refer_to(tensor, names[tensor.name])
    io.write_bytes(out / ENCODER_FILE, model.SerializeToString())
