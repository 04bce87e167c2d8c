"""A network in eight bits gives nearly the same, row by row, whatever the other rows are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx: pip install 'coindex[train]'")
ort = pytest.importorskip("onnxruntime")

from coindex.models.common.quantization import quantize  # noqa: E402

WIDE, OUT = 96, 80


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Two products of one input, one of them kept, and a small one."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(1)
    arrays = {"big": (WIDE, OUT), "kept": (WIDE, OUT), "small": (OUT, 3)}
    tensors = [
        numpy_helper.from_array(rng.normal(size=shape).astype(np.float32) / 8, name)
        for name, shape in arrays.items()
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "big"], ["a"], name="first"),
        helper.make_node("MatMul", ["x", "kept"], ["b"], name="exact/second"),
        helper.make_node("MatMul", ["a", "small"], ["c"], name="third"),
    ]
    shape = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", WIDE])]
    outs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("a", "b", "c")]
    graph = helper.make_graph(nodes, "g", shape, outs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, str(tmp_path / "plain.onnx"))
    return tmp_path / "plain.onnx"


def run(file: Path, x: Any) -> list[Any]:
    session = ort.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    return list(session.run(["a", "b", "c"], {"x": x.astype(np.float32)}))


def test_products_are_nearly_the_same(plain: Path, tmp_path: Path) -> None:
    quantize(plain, tmp_path / "int8.onnx", keep=("exact",))
    x = np.random.default_rng(2).normal(size=(7, WIDE)) * np.array([[1e-3], [1], [50]] * 2 + [[1]])
    before, after = run(plain, x), run(tmp_path / "int8.onnx", x)
    assert np.array_equal(before[1], after[1])
    for row in range(7):  # rows of any size keep their own precision
        scale = np.abs(before[0][row]).max()
        assert np.abs(before[0][row] - after[0][row]).max() < 0.02 * scale
    names = [node.op_type for node in onnx.load(str(tmp_path / "int8.onnx")).graph.node]
    assert names.count("MatMulIntegerToFloat") == 1
    assert names.count("MatMul") == 2


def test_a_row_does_not_depend_on_the_others(plain: Path, tmp_path: Path) -> None:
    quantize(plain, tmp_path / "int8.onnx")
    x = np.random.default_rng(3).normal(size=(5, WIDE))
    together = run(tmp_path / "int8.onnx", x)[0]
    alone = run(tmp_path / "int8.onnx", x[2:3])[0]
    x[0] *= 1000
    assert np.array_equal(together[2], alone[0])
    assert np.array_equal(run(tmp_path / "int8.onnx", x)[0][2], alone[0])


def test_a_row_of_zeros_stays_one(plain: Path, tmp_path: Path) -> None:
    quantize(plain, tmp_path / "int8.onnx")
    assert not run(tmp_path / "int8.onnx", np.zeros((1, WIDE)))[0].any()


def test_the_file_is_a_quarter(plain: Path, tmp_path: Path) -> None:
    quantize(plain, tmp_path / "int8.onnx")
    assert (tmp_path / "int8.onnx").stat().st_size < plain.stat().st_size / 2
