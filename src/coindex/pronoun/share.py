"""A network whose tensors lie in another network's file: nothing is stored twice.

ONNX lets a tensor say that its bytes are in a file beside the network, from an offset on
("external data"); nothing says that this file must hold nothing else. So tensors that are
also in the encoder point into the encoder's file. Of what is left, matrices are stored in
eight bits with a scale for each row or column, whichever are fewer, and all else in sixteen;
in a network that shares nothing all of it in sixteen.
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
_STEPS = 127  # on each side of 0
_CLOSE = 1e-6  # scales are computed again from what they scaled


def share(network: Path, out: Path, encoder: Path | None) -> None:
    """Write a network anew, pointing at the tensors that `encoder`, beside `out`, has too."""
    import onnx

    model = onnx.load(str(network))
    known = list(stored(encoder).values()) if encoder else []
    casts: list[Any] = []
    scales: list[Any] = []
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.nbytes < LEAST:
            continue
        same = next((each for each in known if _same(each, values)), None)
        if same is not None and encoder is not None:
            _point(tensor, encoder.name, same)
        elif values.dtype == np.float32:
            made, more = _packed(tensor, values, matrices=encoder is not None)
            casts += made
            scales += more
        elif known:
            raise InputError(
                f"{encoder}: expected the encoder that the model was trained over,"
                f" found none of its matrices like {tensor.name}"
            )
    model.graph.initializer.extend(scales)
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


def _packed(
    tensor: Any, values: NDArray[np.float32], *, matrices: bool
) -> tuple[list[Any], list[Any]]:
    """Store a tensor in fewer bits; the nodes that make 32 of them, and the scales that they need.

    onnxruntime does what depends on nothing else once, at loading.
    """
    import onnx

    name, whole = tensor.name, onnx.TensorProto.FLOAT
    if values.ndim != 2 or not matrices:
        half = onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}/half")
        tensor.CopyFrom(half)
        return [onnx.helper.make_node("Cast", [half.name], [name], to=whole)], []
    across = int(values.shape[0] <= values.shape[1])
    scale = np.maximum(np.abs(values).max(across, keepdims=True), 1e-12) / np.float32(_STEPS)
    few = np.rint(values / scale).astype(np.int8)
    small, wide = f"{name}/eight", f"{name}/wide"
    tensor.CopyFrom(onnx.numpy_helper.from_array(few, small))
    scales = onnx.numpy_helper.from_array(scale.astype(np.float32), f"{name}/scale")
    cast = onnx.helper.make_node("Cast", [small], [wide], to=whole)
    return [cast, onnx.helper.make_node("Mul", [wide, scales.name], [name])], [scales]


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
