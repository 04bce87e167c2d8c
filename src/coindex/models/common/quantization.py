"""Quantization of ONNX networks to eight bits: large matrix products become integer products.

    a row of the input     x ~ r q,  r = max |x| / 127, q integers from -127 to 127
    a column of the matrix w ~ s p,  s = max |w| / most, p integers
    the product            x w ~ r s (q p)

One scale per row preserves what one scale for the whole input loses (two points of F1 on the
base model). The product itself is `MatMulInteger`, for which processors have instructions; on
those that do not, sums of two products must fit into 16 bits, hence `most`. Products of the same
input share its integers. One large value reduces the precision of its whole row, so long rows
are split into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from coindex.models.common.half_precision import store_halves
from coindex.models.common.integer_rounding import column_blocks, round_columns

MIN_SIZE = 4096
"""Smaller matrices are not quantized."""


def quantize(plain: Path, file: Path, keep: tuple[str, ...] = (), *, halves: bool = False) -> None:
    """Write the network in eight bits, except products whose node names contain a word of `keep`.

    halves   whether other tensors are stored in sixteen bits where nothing is lost
    """
    import onnx

    network = onnx.load(str(plain))
    graph = network.graph
    arrays = {tensor.name: tensor for tensor in graph.initializer}
    rewriter = _Rewriter()
    nodes: list[Any] = []
    for node in graph.node:
        tensor = arrays.get(node.input[1]) if node.op_type == "MatMul" else None
        exact = any(word in node.name for word in keep)
        if tensor is None or exact or len(tensor.dims) != 2 or np.prod(tensor.dims) < MIN_SIZE:
            nodes.append(node)
            continue
        nodes += rewriter.product(node, onnx.numpy_helper.to_array(tensor))
    used = {name for node in nodes for name in node.input}
    needed = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend([*needed, *rewriter.tensors])
    network.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    if halves:
        store_halves(network)
    onnx.save(network, str(file))


class _Rewriter:
    """Makes the nodes that replace a product."""

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self._rows: dict[str, list[tuple[str, str]]] = {}
        self._constant("int8/zero", np.array(128, dtype=np.uint8))
        self._constant("int8/half", np.array(128.5, dtype=np.float32))
        self._constant("int8/share", np.array(1 / 127, dtype=np.float32))
        self._constant("int8/tiny", np.array(1e-20, dtype=np.float32))
        self._constant("int8/one", np.array(1, dtype=np.float32))

    def product(self, node: Any, matrix: NDArray[np.float32]) -> list[Any]:
        """The nodes for `node`, the product of something and the matrix."""
        from onnx import helper

        value = node.input[0]
        blocks = column_blocks(matrix)
        nodes = [] if value in self._rows else self._rounded(value, [len(b) for b in blocks])
        last = ""
        for number, block in enumerate(blocks):
            name = f"int8/{node.output[0]}/{number}"
            nodes += self._block(name, self._rows[value][number], block)
            if last:
                nodes.append(helper.make_node("Add", [last, name], [f"{name}/sum"]))
            last = f"{name}/sum" if last else name
        nodes[-1].output[0] = node.output[0]
        return nodes

    def _block(self, name: str, rows: tuple[str, str], block: NDArray[np.float32]) -> list[Any]:
        from onnx import helper

        whole, scale = rows
        integers, steps = round_columns(block)
        self._constant(f"{name}/matrix", integers)
        self._constant(f"{name}/steps", steps)
        inputs = [whole, f"{name}/matrix", "int8/one", f"{name}/steps", "int8/zero"]
        return [
            helper.make_node(
                "MatMulIntegerToFloat", inputs, [f"{name}/product"], domain="com.microsoft"
            ),
            helper.make_node("Mul", [f"{name}/product", scale], [name]),
        ]

    def _rounded(self, value: str, sizes: list[int]) -> list[Any]:
        """The nodes that round an input's rows to integers, block by block."""
        from onnx import helper

        nodes: list[Any] = []
        parts = [value]
        if len(sizes) > 1:
            parts = [f"int8/{value}/{number}" for number in range(len(sizes))]
            self._constant(f"int8/{value}/sizes", np.array(sizes, dtype=np.int64))
            nodes.append(helper.make_node("Split", [value, f"int8/{value}/sizes"], parts, axis=-1))
        self._rows[value] = [(f"{part}/whole", f"{part}/scale") for part in parts]
        for part in parts:
            steps: tuple[tuple[str, list[str], str, dict[str, Any]], ...] = (
                ("Abs", [part], "size", {}),
                ("ReduceMax", [f"{part}/size"], "most", {"axes": [-1], "keepdims": 1}),
                ("Max", [f"{part}/most", "int8/tiny"], "safe", {}),
                ("Mul", [f"{part}/safe", "int8/share"], "scale", {}),
                ("Div", [part, f"{part}/scale"], "ratio", {}),
                ("Add", [f"{part}/ratio", "int8/half"], "above", {}),
                ("Cast", [f"{part}/above"], "whole", {"to": 2}),
            )
            nodes += [
                helper.make_node(kind, inputs, [f"{part}/{out}"], **settings)
                for kind, inputs, out, settings in steps
            ]
        return nodes

    def _constant(self, name: str, value: NDArray[Any]) -> None:
        from onnx import numpy_helper

        self.tensors.append(numpy_helper.from_array(value, name))


class QuantizedEmbedding(nn.Module):
    """An embedding table in eight bits, with one scale per row.

    unused   rows that no text has: they are 0, so that a wheel compresses them
    """

    rows: Tensor
    scale: Tensor

    def __init__(self, table: Tensor, unused: Sequence[int] = ()) -> None:
        super().__init__()
        if unused:
            table = table.index_fill(0, torch.tensor(unused), 0.0)
        scale = table.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("rows", (table / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self, index: Tensor) -> Tensor:
        """The rows of some subwords, in floating point."""
        rows: Tensor = self.rows[index].to(torch.float32) * self.scale[index]
        return rows
