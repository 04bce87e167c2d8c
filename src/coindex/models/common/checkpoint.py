"""Tensors on disk, and the checkpoint of an unfinished training run.

Files are written under a temporary name and then moved, so that a killed run leaves no partial
file. `state.pt` exists only while a run is not finished.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from coindex import io
from coindex.errors import InputError

STATE = "state.pt"


def load_tensors(path: Path, *, mmap: bool = False) -> dict[str, Any]:
    """The content of a file of tensors; with `mmap`, tensors are read when they are used."""
    try:
        content: dict[str, Any] = torch.load(path, "cpu", weights_only=True, mmap=mmap)
    except (RuntimeError, OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        line = str(error).strip().partition("\n")[0]
        raise InputError(f"{path}: expected weights written by coindex: {line}") from None
    return content


def save_tensors(path: Path, value: object) -> None:
    """Write a file of tensors completely, or not at all."""
    try:
        with io.replace_file(path) as part:
            torch.save(value, part)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path}: cannot be written: {error}") from None


def save_state(
    out: Path, model: nn.Module, optimizer: torch.optim.Optimizer,
    average: Sequence[torch.Tensor], progress: dict[str, Any],
) -> None:  # fmt: skip
    """Write the checkpoint of a run."""
    state = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(),
        "average": list(average), "progress": progress,
    }  # fmt: skip
    save_tensors(out / STATE, state)


def read_progress(out: Path) -> dict[str, Any] | None:
    """How far the run in a folder is; None if there is no checkpoint."""
    if not (out / STATE).is_file():
        return None
    return cast("dict[str, Any]", load_tensors(out / STATE, mmap=True)["progress"])


def load_state(
    out: Path, model: nn.Module, optimizer: torch.optim.Optimizer, average: Sequence[torch.Tensor]
) -> None:
    """Restore weights, optimizer and averaged weights from the checkpoint of a folder."""
    state = load_tensors(out / STATE)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    with torch.no_grad():
        for current, stored in zip(average, state["average"], strict=True):
            current.copy_(stored)
