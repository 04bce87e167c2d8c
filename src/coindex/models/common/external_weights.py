"""A network whose tensors lie in another network's file: nothing is stored twice.

ONNX lets a tensor say that its bytes are in a file beside the network, from an offset on
("external data"); nothing says that this file must hold nothing else. So tensors that are
also in the encoder point into the encoder's file. Of what is left, matrices are stored in
eight bits with a scale for each row or column, whichever are fewer, and all else in sixteen;
in a network that shares nothing all of it in sixteen. Where the encoder's weights are packed
(`packed_weights`), its tensors keep their names, by which they are found at loading.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from coindex import io
from coindex.errors import InputError
from coindex.models.common.half_precision import SUFFIX, halve
from coindex.models.common.packed_weights import integer_tensors, is_packed, tensor_names

MIN_BYTES = 1024
"""Tensors of fewer bytes are stored again; pointing at them would save nothing."""
_STEPS = 127  # on each side of 0
_CLOSE = 1e-6  # scales are computed again from what they scaled


def write_with_external_weights(
    network: Path, out: Path, encoder: Path | None, *, own_matrices: bool = False
) -> list[str]:
    """Write a network anew, pointing at the tensors that `encoder`, beside `out`, has too.

    own_matrices   whether the network has matrices in eight bits that the encoder lacks

    Returns the names of the tensors that are packed.
    """
    import onnx

    model = onnx.load(str(network))
    known = list(read_tensors(encoder).values()) if encoder else []
    casts: list[Any] = []
    scales: list[Any] = []
    packed: list[str] = []
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.nbytes < MIN_BYTES:
            continue
        same = next((each for each in known if _same(each, values)), None)
        if same is not None and encoder is not None:
            casts += _as_stored(tensor, same)
            refer_to(tensor, same)
            if same.packed:
                tensor.name = _renamed(model.graph, tensor.name, same.name)
                packed.append(same.name)
        elif values.dtype == np.float32:
            made, more = _packed(tensor, values, matrices=encoder is not None)
            casts += made
            scales += more
        elif known and not own_matrices:
            raise InputError(
                f"{encoder}: expected the encoder that the model was trained over,"
                f" found none of its matrices like {tensor.name}"
            )
    model.graph.initializer.extend(scales)
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    _short(model.graph, packed)
    io.write_bytes(out, model.SerializeToString())
    return packed


def _same(one: StoredTensor, values: NDArray[Any]) -> bool:
    if one.values.dtype != values.dtype or one.values.shape != values.shape:
        return False
    if values.dtype == np.float32:
        return bool(np.allclose(one.values, values, rtol=_CLOSE, atol=0))
    return bool(np.array_equal(one.values, values))


class Place(Protocol):
    """Where the bytes of a tensor are."""

    @property
    def file(self) -> str:
        """The name of the file."""

    @property
    def offset(self) -> int:
        """Where they begin."""

    @property
    def length(self) -> int:
        """How many they are."""


def refer_to(tensor: Any, place: Place) -> None:
    """Let a tensor's bytes be those at a place of another file."""
    import onnx

    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    values = {"location": place.file, "offset": str(place.offset), "length": str(place.length)}
    for key, value in values.items():
        tensor.external_data.add(key=key, value=value)


def _as_stored(tensor: Any, same: StoredTensor) -> list[Any]:
    """Give a tensor the type that the encoder stores; the node that casts it, if one must."""
    return [halve(tensor, same.values)] if same.half else []


def _renamed(graph: Any, old: str, new: str) -> str:
    """Give a tensor another name wherever it is used; returns the new name."""
    for node in graph.node:
        node.input[:] = [new if each == old else each for each in node.input]
    return new


def _packed(
    tensor: Any, values: NDArray[np.float32], *, matrices: bool
) -> tuple[list[Any], list[Any]]:
    """Store a tensor in fewer bits; the nodes that make 32 of them, and the scales that they need.

    onnxruntime does what depends on nothing else once, at loading.
    """
    import onnx

    name, whole = tensor.name, onnx.TensorProto.FLOAT
    if values.ndim != 2 or not matrices:
        return [halve(tensor, values)], []
    across = int(values.shape[0] <= values.shape[1])
    scale = np.maximum(np.abs(values).max(across, keepdims=True), 1e-12) / np.float32(_STEPS)
    few = np.rint(values / scale).astype(np.int8)
    small, wide = f"{name}/eight", f"{name}/wide"
    tensor.CopyFrom(onnx.numpy_helper.from_array(few, small))
    scales = onnx.numpy_helper.from_array(scale.astype(np.float32), f"{name}/scale")
    cast = onnx.helper.make_node("Cast", [small], [wide], to=whole)
    return [cast, onnx.helper.make_node("Mul", [wide, scales.name], [name])], [scales]


def _short(graph: Any, packed: list[str]) -> None:
    """Give values short names: those of the exporter are half of the bytes that are left."""
    kept = {each.name for each in (*graph.input, *graph.output)} | {"", *packed}
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


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor: its values, and where its bytes lie; packed ones are not stored as they are.

    half   whether its bytes are those of sixteen-bit numbers (`half_precision`)
    """

    name: str
    values: NDArray[Any]
    offset: int
    length: int
    file: str = ""
    packed: bool = False
    half: bool = False


def read_tensors(file: Path) -> dict[str, StoredTensor]:
    """The tensors of an ONNX file by their names; those that lie elsewhere are left out.

    Packed weights of an encoder's folder are unpacked.
    """
    import onnx

    try:
        data = io.read_bytes(file)
        graph = onnx.load_model_from_string(data).graph
    except Exception as error:  # protobuf's own kinds
        raise InputError(f"{file}: expected an ONNX network: {error}") from None
    tensors: dict[str, StoredTensor] = {}
    at = 0
    for tensor in graph.initializer:
        name = tensor.name
        if tensor.HasField("raw_data"):
            values, at = onnx.numpy_helper.to_array(tensor), data.index(tensor.raw_data, at)
            half = name.endswith(SUFFIX) and values.dtype == np.float16
            if half:
                name, values = name.removesuffix(SUFFIX), values.astype(np.float32)
            length = len(tensor.raw_data)
            tensors[name] = StoredTensor(name, values, at, length, file.name, half=half)
    if is_packed(file.parent):
        places = tensor_names(file.parent)
        for name, values in integer_tensors(file.parent).items():
            place = places[name]
            tensors[name] = StoredTensor(
                name, values, place.offset, place.length, place.file, packed=True
            )
    return tensors
