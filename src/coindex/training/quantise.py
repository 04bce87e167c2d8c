"""An ONNX network in eight bits: every large matrix product becomes one of integers.

    a row of the input     x ~ r q,  r = max |x| / 127, q whole numbers from -127 to 127
    a column of the matrix w ~ s p,  s = max |w| / most, p whole numbers
    the product            x w ~ r s (q p)

A scale for each row keeps what one scale for the whole input loses (two points of F1
on the base model), and the product itself is `MatMulInteger`, for which processors have
instructions; on those that do not, sums of two products must fit 16 bits, hence `most`.
Products of the same input share its whole numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 127
"""The largest whole number of a matrix."""
LEAST = 4096
"""Smaller matrices stay as they are."""


def quantise(plain: Path, file: Path, keep: tuple[str, ...] = ()) -> None:
    """Write the network in eight bits; products whose node names hold a word of `keep` stay."""
    import onnx

    network = onnx.load(str(plain))
    graph = network.graph
    arrays = {tensor.name: tensor for tensor in graph.initializer}
    rewriter = _Rewriter()
    nodes: list[Any] = []
    for node in graph.node:
        tensor = arrays.get(node.input[1]) if node.op_type == "MatMul" else None
        exact = any(word in node.name for word in keep)
        if tensor is None or exact or len(tensor.dims) != 2 or np.prod(tensor.dims) < LEAST:
            nodes.append(node)
            continue
        nodes += rewriter.product(node, onnx.numpy_helper.to_array(tensor))
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend([*kept, *rewriter.tensors])
    network.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    onnx.save(network, str(file))


class _Rewriter:
    """Makes the nodes that stand for a product."""

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self._rows: dict[str, tuple[str, str]] = {}
        self._constant("int8/zero", np.array(128, dtype=np.uint8))
        self._constant("int8/half", np.array(128.5, dtype=np.float32))
        self._constant("int8/share", np.array(1 / 127, dtype=np.float32))
        self._constant("int8/tiny", np.array(1e-20, dtype=np.float32))
        self._constant("int8/one", np.array(1, dtype=np.float32))

    def product(self, node: Any, matrix: NDArray[np.float32]) -> list[Any]:
        """The nodes for `node`, the product of something and the matrix."""
        from onnx import helper

        nodes = [] if node.input[0] in self._rows else self._rounded(node.input[0])
        whole, scale = self._rows[node.input[0]]
        name = f"int8/{node.output[0]}"
        steps = np.maximum(np.abs(matrix).max(0), 1e-8) / MOST
        self._constant(f"{name}/matrix", np.round(matrix / steps).astype(np.int8))
        self._constant(f"{name}/steps", steps.astype(np.float32))
        inputs = [whole, f"{name}/matrix", "int8/one", f"{name}/steps", "int8/zero"]
        nodes += [
            helper.make_node(
                "MatMulIntegerToFloat", inputs, [f"{name}/product"], name=name,
                domain="com.microsoft",
            ),
            helper.make_node("Mul", [f"{name}/product", scale], [node.output[0]], name=f"{name}/by"),
        ]  # fmt: skip
        return nodes

    def _rounded(self, value: str) -> list[Any]:
        """The nodes that make whole numbers of an input's rows."""
        from onnx import helper

        name = f"int8/{value}"
        self._rows[value] = (f"{name}/whole", f"{name}/scale")
        steps: tuple[tuple[str, list[str], str, dict[str, Any]], ...] = (
            ("Abs", [value], "size", {}),
            ("ReduceMax", [f"{name}/size"], "most", {"axes": [-1], "keepdims": 1}),
            ("Max", [f"{name}/most", "int8/tiny"], "safe", {}),
            ("Mul", [f"{name}/safe", "int8/share"], "scale", {}),
            ("Div", [value, f"{name}/scale"], "ratio", {}),
            ("Add", [f"{name}/ratio", "int8/half"], "above", {}),
            ("Cast", [f"{name}/above"], "whole", {"to": 2}),
        )
        return [
            helper.make_node(kind, inputs, [f"{name}/{out}"], name=f"{name}/{out}", **settings)
            for kind, inputs, out, settings in steps
        ]

    def _constant(self, name: str, value: NDArray[Any]) -> None:
        from onnx import numpy_helper

        self.tensors.append(numpy_helper.from_array(value, name))
