"""`device="cuda"`: ONNX Runtime's provider by a double of it, torch's where there is a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex.errors import InputError, InvalidValue
from coindex.models.common.inference import onnx_session

CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


class FakeSession:
    """What a session of ONNX Runtime says of itself."""

    def __init__(self, file: str, options: Any, providers: list[str]) -> None:
        self.asked = providers
        self.options = options
        self.used = providers

    def get_providers(self) -> list[str]:
        return self.used


class FallenBack(FakeSession):
    """One that could not start its provider."""

    def __init__(self, file: str, options: Any, providers: list[str]) -> None:
        super().__init__(file, options, providers)
        self.used = [CPU]


def test_the_provider_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", FakeSession)
    assert onnx_session(tmp_path / "a.onnx", device="cuda").asked == [CUDA, CPU]
    assert onnx_session(tmp_path / "a.onnx").asked == [CPU]
    monkeypatch.setattr(onnxruntime, "InferenceSession", FallenBack)
    with pytest.raises(InputError, match="device cuda: ONNX Runtime has no CUDA"):
        onnx_session(tmp_path / "a.onnx", device="cuda")


def test_sharing_of_memory_is_not_planned_on_the_cpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", FakeSession)
    assert not onnx_session(tmp_path / "a.onnx").options.enable_mem_reuse
    assert onnx_session(tmp_path / "a.onnx", device="cuda").options.enable_mem_reuse


def test_without_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU])
    with pytest.raises(InputError, match="pip install onnxruntime-gpu"):
        coindex.load(device="cuda")
    with pytest.raises(InvalidValue, match="expected the device cpu or cuda, found 'tpu'"):
        coindex.load(device="tpu")


def test_torch_runs_on_it(trained: Path) -> None:
    import torch

    text = "Ann met Bob. She slept."
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="torch finds no GPU here"):
            coindex.load(trained, device="cuda")
        return
    assert coindex.load(trained, device="cuda").resolve(text).text == text
