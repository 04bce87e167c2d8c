"""What is not shared is stored in fewer bits: by how much that changes what a network computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROWS, COLUMNS = 40, 300


def run(network: Path) -> Any:
    """What a network makes of one row after the other."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(network))
    return session.run(None, {"x": np.eye(ROWS, dtype=np.float32)})[0]


def test_matrices_in_eight_bits_and_the_rest_in_sixteen(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="needs onnx: pip install 'coindex[train]'")
    from coindex.models.common.external_weights import write_with_external_weights

    rng = np.random.default_rng(1)
    sizes = np.geomspace(1e-3, 10, ROWS)[:, None]  # rows of very different sizes
    matrix = (rng.normal(size=(ROWS, COLUMNS)) * sizes).astype(np.float32)
    matrix[3] = 0.0
    bias = rng.normal(size=COLUMNS).astype(np.float32)
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("MatMul", ["x", "matrix"], ["mixed"]),
            onnx.helper.make_node("Add", ["mixed", "bias"], ["y"]),
        ],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, ["n", ROWS])],
        [onnx.helper.make_tensor_value_info("y", 1, ["n", COLUMNS])],
        [onnx.numpy_helper.from_array(each, name)
         for each, name in ((matrix, "matrix"), (bias, "bias"))],
    )  # fmt: skip
    opset = [onnx.helper.make_opsetid("", 17)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=8)
    onnx.save(model, str(tmp_path / "plain.onnx"))
    other = onnx.helper.make_graph([], "o", [], [], [onnx.numpy_helper.from_array(bias + 1, "b")])
    onnx.save(onnx.helper.make_model(other, opset_imports=opset), str(tmp_path / "encoder.onnx"))
    write_with_external_weights(
        tmp_path / "plain.onnx", tmp_path / "small.onnx", tmp_path / "encoder.onnx"
    )
    write_with_external_weights(tmp_path / "plain.onnx", tmp_path / "alone.onnx", None)

    off, alone = (
        np.abs(run(tmp_path / name) - bias - matrix) for name in ("small.onnx", "alone.onnx")
    )
    half = np.abs(matrix).max(1, keepdims=True) / 127 / 2  # a step of the row's own scale
    assert (off <= half + 2e-3).all()  # sixteen bits of the bias
    assert off[0].max() < 2e-3 < np.abs(matrix[-1]).max() / 127  # small rows are not drowned
    assert (alone <= np.abs(matrix) / 1024 + 2e-3).all()  # all of it in sixteen bits
    assert (tmp_path / "small.onnx").stat().st_size < 0.35 * (
        tmp_path / "plain.onnx"
    ).stat().st_size
