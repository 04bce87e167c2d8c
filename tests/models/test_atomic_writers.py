"""Writers of model files leave the old file as it was when they fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from coindex.errors import InputError  # noqa: E402
from coindex.models.common.external_weights import write_with_external_weights  # noqa: E402
from coindex.models.common.subwords import write_tokenizer  # noqa: E402
from coindex.models.coref import tune_thresholds  # noqa: E402


def tuned(folder: Path) -> Path:
    file = folder / "model.json"
    if not file.exists():
        file.write_text('{"schemes": []}')
    tune_thresholds._write(file, {})
    return file


def tokenizer(folder: Path) -> Path:
    (folder / "encoder").mkdir(exist_ok=True)
    (folder / "encoder" / "tokenizer.json").write_text("{}")
    write_tokenizer(str(folder / "encoder"), folder / "tokenizer.json")
    return folder / "tokenizer.json"


def network(folder: Path) -> Path:
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    ends = [onnx.helper.make_tensor_value_info(name, 1, [1]) for name in "xy"]
    graph = onnx.helper.make_graph([node], "g", ends[:1], ends[1:])
    onnx.save(onnx.helper.make_model(graph), str(folder / "plain.onnx"))
    write_with_external_weights(folder / "plain.onnx", folder / "network.onnx", None)
    return folder / "network.onnx"


@pytest.mark.parametrize("write", [tuned, tokenizer, network])
def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], Path]
) -> None:
    file = write(tmp_path)
    before, names = file.read_bytes(), sorted(tmp_path.rglob("*"))
    assert before

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "not permitted")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises((PermissionError, InputError), match="not permitted"):
        write(tmp_path)
    assert file.read_bytes() == before
    assert sorted(tmp_path.rglob("*")) == names, "no temporary file is left"
