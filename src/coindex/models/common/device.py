"""Where networks run: on the CPU, or on a GPU through ONNX Runtime or torch."""

from __future__ import annotations

from collections.abc import Sequence

from coindex.errors import InputError

CPU, CUDA = "cpu", "cuda"
DEVICES = (CPU, CUDA)
_CPU_PROVIDER, _CUDA_PROVIDER = "CPUExecutionProvider", "CUDAExecutionProvider"


def onnx_providers(available: Sequence[str], device: str) -> list[str]:
    """The providers of ONNX Runtime for a device; an `InputError` if they are missing."""
    if device == CPU:
        return [_CPU_PROVIDER]
    if _CUDA_PROVIDER not in available:
        raise InputError(
            f"device {device}: ONNX Runtime has no {_CUDA_PROVIDER} here, found"
            f" {', '.join(available)}; install it with: pip install onnxruntime-gpu"
        )
    return [_CUDA_PROVIDER, _CPU_PROVIDER]


def torch_device(device: str) -> str:
    """The device for torch; an `InputError` if it has none."""
    import torch

    if device == CUDA and not torch.cuda.is_available():
        raise InputError(f"device {device}: torch finds no GPU here")
    return device
