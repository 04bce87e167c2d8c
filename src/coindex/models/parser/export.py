"""A trained parser as files that need no torch; see `artifact` for what they are.

    pieces, shapes, edges (n), firsts, lasts (words)  →  starts, ends (words, d), tags (words)

Matrices of the parser's own layers are stored in eight bits like the encoder's
(`quantization`). The shared layers are not stored: the network refers to the encoder's file
(`external_weights`).
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from coindex import __version__, io
from coindex.datasets.checksums import sha256
from coindex.models.common.artifact import PARSER, PARSER_METADATA, TOKENIZER, write_json
from coindex.models.common.encoders import ENCODER_FILE, SHIPPED_ENCODER
from coindex.models.common.external_weights import write_with_external_weights
from coindex.models.common.packed_weights import INDEX, packed_files
from coindex.models.common.quantization import QuantizedEmbedding, quantize
from coindex.models.parser.artifact import FORMAT, NETWORK, SCORER
from coindex.models.parser.infer import INPUTS, OUTPUTS
from coindex.models.parser.weights import Parser, encoder_folder, load_parser

_STORED = ("recipe", "dev", "best", "log", "data", "versions")


class _WordRows(nn.Module):
    """The network to export: a window in, rows of words out."""

    def __init__(self, parser: Parser) -> None:
        super().__init__()
        self.encoder, self.network = parser.shared, parser.network

    def forward(
        self, pieces: Tensor, shapes: Tensor, edges: Tensor, firsts: Tensor, lasts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        lower = self.encoder(input_ids=pieces).last_hidden_state
        x = self.network(lower, shapes[None], edges[None])[0]
        starts, ends, tags = self.network.words(x, firsts, lasts)
        return starts, ends, tags.argmax(-1)


def export(folder: Path, out: Path) -> Path:
    """Write the parser that training wrote to `folder` for use without torch.

    The encoder and its tokenizer are copied to `out` unless they are there.
    """
    parser, trained = load_parser(folder)
    source = encoder_folder(trained["recipe"]["encoder"])
    io.make_folder(out)
    for name in (ENCODER_FILE, TOKENIZER, *packed_files(source)):
        if not (out / name).is_file() or sha256(out / name) != sha256(source / name):
            io.copy_file(source / name, out / name)
    with io.replace_file(out / SCORER) as file:
        _write_scorer(parser, file)
    words = parser.shared.embeddings.word_embeddings
    parser.shared.embeddings.word_embeddings = QuantizedEmbedding(words.weight.detach())
    with tempfile.TemporaryDirectory() as work:
        plain, small = Path(work) / "plain.onnx", Path(work) / "small.onnx"
        _write(parser, plain)
        quantize(plain, small)
        packed = write_with_external_weights(
            small, out / NETWORK, out / ENCODER_FILE, own_matrices=True
        )
    shared = {"packed": {"index": sha256(out / INDEX), "tensors": packed}} if packed else {}
    write_json(out / PARSER_METADATA, {**_metadata(trained, out), **shared})
    return out


def _write_scorer(parser: Parser, file: Path) -> None:
    label = parser.network.label
    weight, bias = (each.detach().to(torch.float16).numpy() for each in (label.weight, label.bias))
    np.savez(file, weight=weight, bias=bias)


def _write(parser: Parser, file: Path) -> None:
    network = _WordRows(parser).eval()
    for part in (network.encoder, network.network.layers):
        part.config._attn_implementation = "eager"
    inputs = (
        torch.randint(5, 50, (1, 12)), torch.ones(12, dtype=torch.int64),
        torch.zeros(12, dtype=torch.int64), torch.tensor([1, 3, 7]), torch.tensor([2, 6, 10]),
    )  # fmt: skip
    axes = {"pieces": {1: "n"}, "shapes": {0: "n"}, "edges": {0: "n"}}
    axes |= {name: {0: "words"} for name in ("firsts", "lasts", *OUTPUTS)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, inputs, str(file), dynamo=False, opset_version=17, dynamic_axes=axes,
            input_names=list(INPUTS), output_names=list(OUTPUTS),
        )  # fmt: skip


def _metadata(trained: dict[str, Any], out: Path) -> dict[str, Any]:
    """The content of `parser.json`; encoders by their names, not where they were."""
    recipe = {**trained["recipe"]}
    if recipe["encoder"] != SHIPPED_ENCODER:
        recipe["encoder"] = Path(recipe["encoder"]).name
    for name in ("train", "dev"):
        recipe[name] = [Path(each).name for each in recipe[name]]
    return {
        "format": FORMAT, "kind": PARSER,
        **{name: trained[name] for name in _STORED if name in trained},
        "recipe": recipe, "window": recipe["window"],
        "labels": trained["labels"], "tags": trained["tags"],
        "network": sha256(out / NETWORK), "scorer": sha256(out / SCORER),
        "encoder": sha256(out / ENCODER_FILE), "exported": __version__,
    }  # fmt: skip
