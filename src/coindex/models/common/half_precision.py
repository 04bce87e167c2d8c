"""Tensors of a network that sixteen bits hold exactly, stored in sixteen bits.

Trained weights are kept in half precision, so that what is not quantized has thirteen zero bits in
each number. They are half of the bytes, and compress worse than what they are made from. ONNX
Runtime casts what depends on nothing else once, at loading: results are the same, bit by bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SUFFIX = "/half"
"""The end of the name of a tensor that is cast to the one without it."""
MIN_BYTES = 1024
"""Smaller tensors stay as they are; a cast would take as many bytes."""


def store_halves(model: Any) -> None:
    """Change an ONNX model in place: constants and initializers, where no value changes.

    Tensors are ordered by their type: numbers of one kind compress better side by side.
    """
    from onnx import numpy_helper

    casts: list[Any] = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if is_exact(values):
            casts.append(halve(tensor, values))
    others: list[Any] = []
    for node in model.graph.node:
        constant = _constant(node)
        if constant is None or not is_exact(numpy_helper.to_array(constant)):
            others.append(node)
            continue
        tensor = model.graph.initializer.add(name=node.output[0])
        casts.append(halve(tensor, numpy_helper.to_array(constant)))
    by_type = sorted(model.graph.initializer, key=lambda tensor: int(tensor.data_type))
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend([*casts, *others])
    model.graph.initializer.extend(by_type)


def is_exact(values: NDArray[Any]) -> bool:
    """Whether a tensor is worth storing in sixteen bits, and loses nothing."""
    if values.dtype != np.float32 or values.nbytes < MIN_BYTES:
        return False
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    return bool(np.array_equal(half.astype(np.float32), values))


def halve(tensor: Any, values: NDArray[Any]) -> Any:
    """Store a tensor in sixteen bits; the node that makes 32 of them, under its name."""
    from onnx import TensorProto, helper, numpy_helper

    name = tensor.name
    tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + SUFFIX))
    return helper.make_node("Cast", [name + SUFFIX], [name], to=TensorProto.FLOAT)


def _constant(node: Any) -> Any:
    """The tensor of a constant, or None."""
    values = node.attribute if node.op_type == "Constant" else ()
    return next((each.t for each in values if each.name == "value"), None)
