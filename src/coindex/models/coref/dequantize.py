"""An exported coreference model as the network that training goes on from; needs torch and onnx.

The encoder's weights are those that the exported network computes with (see `encoders`), the
layers for mentions and pairs those of `head.npz`. The layers between them are constants in the
ONNX graph without names; they are found from the graph's inputs and outputs:

    shapes, schemes   the tables that the inputs `shapes` and `scheme` index
    norm              the normalisation whose output is `x`
    start, end        before the activations of which `left` and `ends` are computed
    biaffine          the product before `left`
    start_score, end_score, attend   the products before the outputs `start`, `end`, `attend`
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from coindex.errors import InputError
from coindex.models.common.artifact import TOKENIZER
from coindex.models.common.encoders import ENCODER_FILE, load_shipped_encoder
from coindex.models.common.subwords import SubwordTokenizer, read_tokenizer
from coindex.models.coref.artifact import read_head, read_metadata
from coindex.models.coref.network import Model, Shape

Floats = NDArray[np.float32]


def load_exported(folder: Path, shape: Shape) -> tuple[Model, SubwordTokenizer]:
    """The model of an exported folder in floating point, and its tokenizer."""
    encoder = load_shipped_encoder(folder)
    model = Model(encoder, shape)
    head = dict(read_head(folder, read_metadata(folder)).arrays)
    head |= word_weights(folder / ENCODER_FILE)
    try:
        model.head.load_state_dict(
            {name: torch.from_numpy(np.array(value)) for name, value in head.items()}
        )
    except RuntimeError as error:
        raise InputError(f"{folder}: the weights are not those of model.json: {error}") from None
    return model.eval(), SubwordTokenizer(read_tokenizer(folder / TOKENIZER))


def word_weights(file: Path) -> dict[str, Floats]:
    """The weights of the head that the exported network contains, by their names in training."""
    import onnx

    graph = _Graph(onnx.load(str(file), load_external_data=False).graph, str(file))
    found = {
        "shapes.weight": graph.table("shapes"),
        "schemes.weight": graph.table("scheme"),
        **graph.layer("norm", graph.before("x", "LayerNormalization")),
    }
    products = {
        "start": graph.before(graph.before("left", "MatMul").input[0], "Gemm"),
        "end": graph.before("ends", "Gemm"),
        "start_score": graph.before("start", "Gemm"),
        "end_score": graph.before("end", "Gemm"),
        "attend": graph.before("attend", "Gemm"),
    }
    for name, node in products.items():
        found |= graph.layer(name, node)
    found["biaffine.weight"] = graph.value(graph.before("left", "MatMul").input[1]).T
    return found


class _Graph:
    """The nodes and constants of a network, by the values that they make."""

    def __init__(self, graph: Any, source: str) -> None:
        from onnx import numpy_helper

        self.source = source
        self.nodes = list(graph.node)
        self.makers = {output: node for node in self.nodes for output in node.output}
        self._values = {each.name: each for each in graph.initializer}
        for node in self.nodes:
            if node.op_type == "Constant":
                self._values[node.output[0]] = node.attribute[0].t
        self._array = numpy_helper.to_array

    def value(self, name: str) -> Floats:
        """The constant of a name."""
        maker = self.makers.get(name)
        if name not in self._values and maker is not None and maker.op_type == "Cast":
            return self.value(maker.input[0])  # stored in sixteen bits
        if name not in self._values:
            raise InputError(f"{self.source}: expected a constant {name}, found none")
        value: Floats = self._array(self._values[name]).astype(np.float32)
        return value

    def table(self, index: str) -> Floats:
        """The table of which an input of the network takes rows."""
        for node in self.nodes:
            if node.op_type == "Gather" and node.input[1] == index:
                return self.value(node.input[0])
        raise InputError(f"{self.source}: expected a table of {index}, found none")

    def before(self, name: str, kind: str) -> Any:
        """The nearest node of a kind that a value is computed from."""
        for node in self._back(name):
            if node.op_type == kind:
                return node
        raise InputError(f"{self.source}: expected {kind} before {name}, found none")

    def _back(self, name: str) -> Iterator[Any]:
        """The nodes that a value is computed from, by their first inputs."""
        while name in self.makers:
            node = self.makers[name]
            yield node
            name = node.input[0] if node.input else ""

    def layer(self, name: str, node: Any) -> dict[str, Floats]:
        """The weight and the bias of a layer."""
        return {
            f"{name}.weight": self.value(node.input[1]),
            f"{name}.bias": self.value(node.input[2]),
        }
