"""A trained model as files that need no torch: ONNX for the encoder, numpy for the head.

The network takes one window and gives what the mention scorer needs of each word.
`int8` stores the encoder's matrices as eight-bit integers, each block of 384 with its
own scale (see `quantise`), and computes with integers scaled row by row; on the base model this cost
nothing measurable, while onnxruntime's dynamic quantisation, one scale a matrix,
cost two points. The embeddings have one scale a word. The mention scorer stays in
floating point.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from coindex.neural.encoder import OUTPUTS
from coindex.neural.with_torch import facts_from, word_rows
from coindex.training.model import Model
from coindex.training.quantise import quantise
from coindex.training.save import load_trained

_IN_ENCODER = ("shapes", "schemes", "norm", "start", "end", "start_score", "end_score", "biaffine",
               "attend")  # fmt: skip


class Embedding(nn.Module):
    """An embedding table in eight bits, with one scale a row."""

    rows: Tensor
    scale: Tensor

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        scale = table.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("rows", (table / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self, index: Tensor) -> Tensor:
        """The rows of some pieces, in floating point."""
        found: Tensor = self.rows[index].to(torch.float32) * self.scale[index]
        return found


class _Words(nn.Module):
    """What the network computes for the words of a window."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.encoder = model.encoder
        self.head = {name: value for name, value in model.head.state_dict().items()}

    def forward(
        self, pieces: Tensor, places: Tensor, shapes: Tensor, scheme: Tensor
    ) -> tuple[Tensor, ...]:
        return word_rows(self.encoder, self.head, (pieces, places, shapes, scheme))


def export(
    folder: Path, out: Path, *, int8: bool = True, facts: dict[str, Any] | None = None
) -> Path:
    """Write `out` from a trained folder; further facts go into its `model.json`."""
    model, _, _ = load_trained(folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        plain = Path(work) / "plain.onnx"
        if int8:
            words = model.encoder.embeddings.word_embeddings
            model.encoder.embeddings.word_embeddings = Embedding(words.weight.detach())
        _write(model, plain)
        if int8:
            quantise(plain, out / "encoder.onnx", keep=("biaffine",))
        else:
            shutil.copyfile(plain, out / "encoder.onnx")
    _write_head(model, out / "head.npz")
    shutil.copyfile(folder / "tokenizer.json", out / "tokenizer.json")
    trained = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    told = {**facts_from(trained), **(facts or {}), "trained": trained}
    (out / "model.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return out


def _write(model: Model, file: Path) -> None:
    network = _Words(model.eval())
    if hasattr(network.encoder, "set_attn_implementation"):
        network.encoder.set_attn_implementation("eager")
    inputs = (
        torch.randint(5, 50, (1, 12)), torch.tensor([1, 3, 7]), torch.tensor([0, 1, 2]),
        torch.tensor(0),
    )  # fmt: skip
    axes = {"pieces": {1: "pieces"}, "places": {0: "words"}, "shapes": {0: "words"}}
    axes |= {name: {0: "words"} for name in OUTPUTS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, inputs, str(file), dynamo=False, opset_version=17, dynamic_axes=axes,
            input_names=["pieces", "places", "shapes", "scheme"], output_names=list(OUTPUTS),
        )  # fmt: skip


def _write_head(model: Model, file: Path) -> None:
    arrays = {
        name: value.to(torch.float16).numpy()
        for name, value in model.head.state_dict().items()
        if name.split(".")[0] not in _IN_ENCODER
    }
    np.savez(file, **arrays)
