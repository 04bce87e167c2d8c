"""A network whose tensors lie in another network's file: nothing is stored twice.

ONNX lets a tensor say that its bytes are in a file beside the network, from an offset on
("external data"); nothing says that this file must hold nothing else. So tensors that are
also in the encoder point into the encoder's file. What is left is stored in sixteen bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError
from coindex.pronoun.stored import Stored, stored

LEAST = 1024
"""Tensors of fewer bytes are stored again; pointing at them would save nothing."""
_CLOSE = 1e-6  # scales are computed again from what they scaled


def share(network: Path, out: Path, encoder: Path | None) -> None:
    """Write a network anew, pointing at the tensors that `encoder`, beside `out`, has too."""
    import onnx

    model = onnx.load(str(network))
    known = list(stored(encoder).values()) if encoder else []
    casts = []
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.nbytes < LEAST:
            continue
        same = next((each for each in known if _same(each, values)), None)
        if same is not None and encoder is not None:
            _point(tensor, encoder.name, same)
        elif values.dtype == np.float32:
            casts.append(_halved(tensor, values))
        elif known:
            raise InputError(
                f"{encoder}: expected the encoder that the model was trained over,"
                f" found none of its matrices like {tensor.name}"
            )
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    _short(model.graph)
    out.write_bytes(model.SerializeToString())


def _same(one: Stored, values: NDArray[Any]) -> bool:
    if one.values.dtype != values.dtype or one.values.shape != values.shape:
        return False
    if values.dtype == np.float32:
        return bool(np.allclose(one.values, values, rtol=_CLOSE, atol=0))
    return bool(np.array_equal(one.values, values))


def _point(tensor: Any, name: str, place: Stored) -> None:
    """Let a tensor's bytes be those at a place of another file."""
    import onnx

    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    told = {"location": name, "offset": str(place.offset), "length": str(place.length)}
    for key, value in told.items():
        tensor.external_data.add(key=key, value=value)


def _halved(tensor: Any, values: NDArray[np.float32]) -> Any:
    """Store a tensor in sixteen bits; the node that makes 32 of them, done once at loading."""
    import onnx

    name = tensor.name
    half = onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}/half")
    tensor.CopyFrom(half)
    return onnx.helper.make_node("Cast", [half.name], [name], to=onnx.TensorProto.FLOAT)


def _short(graph: Any) -> None:
    """Give values short names: those of the exporter are half of the bytes that are left."""
    kept = {each.name for each in (*graph.input, *graph.output)} | {""}
    short: dict[str, str] = {}

    def name(old: str) -> str:
        return old if old in kept else short.setdefault(old, f"v{len(short)}")

    for tensor in graph.initializer:
        tensor.name = name(tensor.name)
    for node in graph.node:
        node.ClearField("name")
        node.ClearField("doc_string")
        node.input[:] = [name(each) for each in node.input]
        node.output[:] = [name(each) for each in node.output]
    del graph.value_info[:]
