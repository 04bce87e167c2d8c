"""Tensors in sixteen bits where nothing is lost: the same results from fewer bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coindex.assets import DEFAULT_MODEL

onnx: Any = pytest.importorskip("onnx", reason="needs onnx: pip install 'coindex[train]'")

SIZE = 32
EXACT = np.random.default_rng(1).normal(size=(SIZE, SIZE)).astype(np.float16).astype(np.float32)
INEXACT = EXACT + np.float32(1e-5)
HUGE = np.full((SIZE, SIZE), 1e6, np.float32)


def network() -> Any:
    """x times an exact matrix, an exact constant, an inexact one and one out of range."""
    from onnx import helper, numpy_helper

    nodes = [helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(EXACT.T.copy()))]
    for at, name in enumerate(("a", "c", "b", "huge")):
        nodes.append(helper.make_node("MatMul", [f"x{at}" if at else "x", name], [f"x{at + 1}"]))
    shape: list[str | int | None] = ["n", SIZE]
    ends = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in ("x", "x4")
    ]
    values = {"a": EXACT, "b": INEXACT, "huge": HUGE}
    tensors = [numpy_helper.from_array(value, name) for name, value in values.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(file: Path) -> Any:
    from coindex.models.common.inference import onnx_session

    x = np.linspace(-1, 1, 3 * SIZE, dtype=np.float32).reshape(3, SIZE)
    return onnx_session(file).run(None, {"x": x})[0]


def output(model: Any, file: Path) -> Any:
    onnx.save(model, str(file))
    return run(file)


def test_results_are_the_same_and_only_exact_tensors_change(tmp_path: Path) -> None:
    from coindex.models.common.external_weights import read_tensors
    from coindex.models.common.half_precision import store_halves

    model = network()
    before = output(model, tmp_path / "plain.onnx")
    store_halves(model)
    assert np.array_equal(output(model, tmp_path / "small.onnx"), before)
    found = read_tensors(tmp_path / "small.onnx")
    assert {name: each.half for name, each in found.items()} == {
        "a": True, "c": True, "b": False, "huge": False,
    }  # fmt: skip
    assert np.array_equal(found["a"].values, EXACT)
    types = [tensor.data_type for tensor in model.graph.initializer]
    assert types == sorted(types)
    assert found["a"].length == EXACT.nbytes // 2


def test_another_network_casts_what_it_points_at(tmp_path: Path) -> None:
    from coindex.models.common.external_weights import write_with_external_weights
    from coindex.models.common.half_precision import store_halves

    plain = output(network(), tmp_path / "other.onnx")
    encoder = network()
    store_halves(encoder)
    onnx.save(encoder, str(tmp_path / "encoder.onnx"))
    out = tmp_path / "pointing.onnx"
    write_with_external_weights(tmp_path / "other.onnx", out, tmp_path / "encoder.onnx")
    written = onnx.load(str(out), load_external_data=False)
    places = [each for each in written.graph.initializer if each.data_location]
    assert {each.data_type for each in places} == {
        onnx.TensorProto.FLOAT16, onnx.TensorProto.FLOAT,
    }  # fmt: skip
    assert len(places) == 3
    assert np.array_equal(run(out), plain)


def test_the_shipped_encoder_stores_nothing_twice_as_wide_as_needed() -> None:
    from coindex.models.common.external_weights import read_tensors
    from coindex.models.common.half_precision import is_exact

    found = read_tensors(DEFAULT_MODEL / "encoder.onnx")
    assert sum(each.half for each in found.values()) > 100
    assert [name for name, each in found.items() if not each.half and is_exact(each.values)] == []
