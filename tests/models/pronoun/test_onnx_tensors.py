"""The tensors of an ONNX file, and where their bytes lie in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError
from coindex.models.common import encoders
from coindex.models.common.external_weights import read_tensors

ARRAYS = {
    "rows": np.arange(-60, 60, dtype=np.int8).reshape(4, 30),
    "scale": np.linspace(0, 1, 7, dtype=np.float32),
    "half": np.array([1.5, -2], dtype=np.float16),
    "sizes": np.array([2, 300, -1], dtype=np.int64),
    "one": np.array(128, dtype=np.uint8),
}


@pytest.fixture
def network(tmp_path: Path) -> Path:
    onnx = pytest.importorskip("onnx", reason="needs onnx: pip install 'coindex[train]'")
    tensors = [onnx.numpy_helper.from_array(value, name) for name, value in ARRAYS.items()]
    tensors.append(onnx.helper.make_tensor("listed", onnx.TensorProto.FLOAT, [2], [1.0, 2.0]))
    graph = onnx.helper.make_graph([], "g", [], [], tensors, doc_string="é" * 200)
    file = tmp_path / "n.onnx"
    onnx.save(onnx.helper.make_model(graph), str(file))
    return file


def test_values_and_places(network: Path) -> None:
    data, found = network.read_bytes(), read_tensors(network)
    assert set(found) == set(ARRAYS)  # a tensor without bytes of its own has no place
    for name, value in ARRAYS.items():
        each: Any = found[name]
        value = np.asarray(value)
        assert each.values.dtype == value.dtype
        assert each.values.shape == value.shape
        assert np.array_equal(each.values, value)
        assert data[each.offset : each.offset + each.length] == value.tobytes()


def test_what_is_no_network(network: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected an ONNX network"):
        read_tensors(tmp_path / "none.onnx")
    (tmp_path / "text.onnx").write_text("Ann met Bob, who slept.")
    with pytest.raises(InputError, match=r"text\.onnx: expected an ONNX network: "):
        read_tensors(tmp_path / "text.onnx")
    (tmp_path / "cut.onnx").write_bytes(network.read_bytes()[:-40])
    with pytest.raises(InputError, match="expected an ONNX network"):
        read_tensors(tmp_path / "cut.onnx")


def test_the_shipped_encoder_is_unpacked() -> None:
    found = encoders.dequantized_weights(DEFAULT_MODEL / encoders.ENCODER_FILE)
    assert found["embeddings.word_embeddings.weight"].shape == (30522, 384)
    assert found["encoder.layer.5.output.dense.weight"].shape == (384, 1536)
    assert found["encoder.layer.0.intermediate.dense.weight"].shape == (1536, 384)
    assert len(found) == 5 + 12 * 16
    assert all(np.isfinite(value).all() for value in found.values())
    matrix = found["encoder.layer.2.attention.self.key.weight"]
    steps = np.abs(matrix).max(1, keepdims=True) / 127
    assert np.abs(matrix / steps - np.round(matrix / steps)).max() < 1e-3


def test_an_encoder_in_floating_point_is_refused(network: Path) -> None:
    with pytest.raises(InputError, match="expected an encoder in eight bits"):
        encoders.dequantized_weights(network)
