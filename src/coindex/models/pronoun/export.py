"""A trained substitution model as files that need no torch: `pronoun.onnx`, `pronoun.json`.

    pieces (rows, n), own (rows, n)  →  score (rows)

Rows of one call have the same length, so nothing is padded or masked. Matrices are stored in
eight bits like those of the shipped resolver (`quantization`), but adapters and scorer compute
in 32 bits: they are stored in fewer, and unpacked at loading. A model of adapters is stored
beside the encoder that it was trained over, and refers to the weights there
(`external_weights`). A model of its own layers refers to the word embeddings of the encoder that lies
there, if they are the same: two models over one encoder whose embeddings were not trained share them.
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
from coindex.assets import DEFAULT_MODEL
from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.common.artifact import ONNX_METADATA, TOKENIZER, write_json
from coindex.models.common.encoder_packing import share_weights
from coindex.models.common.encoders import ENCODER_FILE, SHIPPED_ENCODER, exported_folder
from coindex.models.common.external_weights import read_tensors, write_with_external_weights
from coindex.models.common.packed_weights import INDEX, packed_files
from coindex.models.common.quantization import QuantizedEmbedding, quantize
from coindex.models.common.subwords import unused_subwords
from coindex.models.pronoun.artifact import NETWORK, read_metadata
from coindex.models.pronoun.infer import FORMAT
from coindex.models.pronoun.substitution import Substitution
from coindex.models.pronoun.weights import load_model

_EXACT = ("/down/", "/up/", "/scorer/")
_STORED = ("kind", "recipe", "seed", "dev", "neither", "data", "left out", "lost", "versions")


class _RowScores(nn.Module):
    """The network to export: rows of one length in, scores out."""

    def __init__(self, model: Substitution) -> None:
        super().__init__()
        self.encoder, self.scorer = model.encoder, model.scorer

    def forward(self, subwords: Tensor, own: Tensor) -> Tensor:
        vectors = self.encoder(input_ids=subwords).last_hidden_state
        mean = (vectors * own[..., None]).sum(1) / own.sum(1, keepdim=True).clamp(min=1)
        scored: Tensor = self.scorer(torch.cat([vectors[:, 0], mean], -1))
        return scored[:, 0]


def export(folder: Path, out: Path) -> Path:
    """Write a trained model of the kind substitution for use without torch.

    A model with adapters refers to the encoder in `out`; if there is none, the shipped one is
    copied there. Other models have all weights in their network.
    """
    model = load_model(folder, "substitution")
    if not isinstance(model, Substitution):
        raise InputError(f"{folder}: expected a model of the kind substitution")
    if model.at_end:
        raise InputError(
            f'{folder}: expected the scorer "candidate", found "end": such a model is a teacher'
            " (coindex train teach), which needs torch"
        )
    io.make_folder(out)
    if model.base is not None:
        _copy_encoder(out, model.base.encoder)
    elif not (out / TOKENIZER).is_file():
        io.copy_file(folder / TOKENIZER, out / TOKENIZER)
    if io.read_bytes(out / TOKENIZER) != io.read_bytes(folder / TOKENIZER):
        raise InputError(f"{out}: expected the model's own {TOKENIZER}, found another")
    encoder = _shared_encoder(model, out)
    packed = _network(model, out, encoder)
    shared = {"packed": {"index": sha256(out / INDEX), "tensors": packed}} if packed else {}
    write_json(out / ONNX_METADATA, {**_metadata(folder, model, out, encoder), **shared})
    return out


def _shared_encoder(model: Substitution, out: Path) -> Path | None:
    """The encoder whose weights the network refers to: all matrices, or the word embeddings."""
    file = out / ENCODER_FILE
    if model.base is not None:
        return file
    if not file.is_file() or packed_files(out):
        return None
    own = _words(model, out).rows.numpy()
    same = (each.values for each in read_tensors(file).values() if each.values.shape == own.shape)
    return file if any(np.array_equal(each, own) for each in same) else None


def _words(model: Substitution, out: Path) -> QuantizedEmbedding:
    """The word embeddings in eight bits; those of adapters are the encoder's as they are."""
    unused = unused_subwords(out) if model.base is None else ()
    return QuantizedEmbedding(model.encoder.embeddings.word_embeddings.weight.detach(), unused)


def _copy_encoder(out: Path, name: str) -> None:
    """Copy the exported encoder that adapters were trained over where a folder has none.

    Where they were trained over one that is not exported, it may be the shipped one.
    """
    if not (out / ENCODER_FILE).is_file():
        source = exported_folder(name) or DEFAULT_MODEL
        for file in (ENCODER_FILE, TOKENIZER, *packed_files(source)):
            io.copy_file(source / file, out / file)


def _network(model: Substitution, out: Path, encoder: Path | None) -> list[str]:
    """Write the network; returns the names of packed tensors of the encoder."""
    if model.base is not None:
        share_weights(model.encoder, out)
    model.encoder.embeddings.word_embeddings = _words(model, out)
    with tempfile.TemporaryDirectory() as work:
        plain, small = Path(work) / "plain.onnx", Path(work) / "small.onnx"
        _write(model, plain)
        quantize(plain, small, keep=_EXACT)
        own = model.base is None
        return write_with_external_weights(small, out / NETWORK, encoder, own_matrices=own)


def _write(model: Substitution, file: Path) -> None:
    network = _RowScores(model).eval()
    if hasattr(network.encoder, "set_attn_implementation"):
        network.encoder.set_attn_implementation("eager")
    inputs = torch.randint(5, 50, (2, 12)), torch.ones(2, 12)
    axes = {"pieces": {0: "rows", 1: "pieces"}, "own": {0: "rows", 1: "pieces"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, inputs, str(file), dynamo=False, opset_version=17,
            dynamic_axes={**axes, "score": {0: "rows"}},
            input_names=["pieces", "own"], output_names=["score"],
        )  # fmt: skip


def _metadata(folder: Path, model: Substitution, out: Path, shared: Path | None) -> dict[str, Any]:
    """The content of `pronoun.json`, with the checksums of the network and its encoder."""
    known = read_metadata(folder, "substitution")
    stored = {name: known[name] for name in _STORED if name in known}
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    encoder = sha256(shared) if shared is not None else None
    recipe = {**known["recipe"]}
    for name in ("encoder", "start"):  # names, not where they were on some machine
        recipe[name] = Path(recipe.get(name) or "").name
    if model.base is not None and encoder == sha256(DEFAULT_MODEL / ENCODER_FILE):
        recipe["encoder"] = SHIPPED_ENCODER
    return {
        "format": FORMAT, **stored, "recipe": recipe, "window": recipe["window"],
        "both": bool(recipe.get("both")), "names": bool(recipe.get("names")),
        "parameters": {"all": known.get("parameters"), "trained": trained},
        "network": sha256(out / NETWORK),
        "encoder": encoder,
        "exported": __version__,
    }  # fmt: skip
