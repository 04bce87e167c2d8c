"""A trained substitution model as files that need no torch: `pronoun.onnx`, `pronoun.json`.

    pieces (rows, n), own (rows, n)  →  score (rows)

Rows of one call have the same length, so nothing is padded or masked. Matrices are stored
in eight bits as those of the shipped resolver are (`training.quantise`), but adapters and
scorer count in 32: they are stored in fewer, and unpacked at loading. A model of adapters
stands beside the encoder it was trained over, and what they share is stored once: see
`share`.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from coindex import __version__
from coindex.data.verify import sha256
from coindex.errors import InputError
from coindex.pronoun import shipped
from coindex.pronoun.package import LIGHT, NETWORK, TOKENIZER, facts_of, write_facts
from coindex.pronoun.share import share
from coindex.pronoun.substituted import Substitution
from coindex.pronoun.weights import load
from coindex.training.export import Embedding
from coindex.training.quantise import quantise

FORMAT = 1
_EXACT = ("/down/", "/up/", "/scorer/")
_TOLD = ("kind", "recipe", "seed", "dev", "neither", "data", "left out", "lost", "versions")


class _Scores(nn.Module):
    """What the network computes for rows of one length."""

    def __init__(self, model: Substitution) -> None:
        super().__init__()
        self.encoder, self.scorer = model.encoder, model.scorer

    def forward(self, pieces: Tensor, own: Tensor) -> Tensor:
        vectors = self.encoder(input_ids=pieces).last_hidden_state
        mean = (vectors * own[..., None]).sum(1) / own.sum(1, keepdim=True).clamp(min=1)
        scored: Tensor = self.scorer(torch.cat([vectors[:, 0], mean], -1))
        return scored[:, 0]


def export(folder: Path, out: Path) -> Path:
    """Write a trained model of the kind substitution for use without torch.

    One with adapters goes beside the encoder: where `out` has none, the shipped one is
    copied there. One without has all of its weights in its own network.
    """
    model = load(folder, "substitution")
    if not isinstance(model, Substitution):
        raise InputError(f"{folder}: expected a model of the kind substitution")
    out.mkdir(parents=True, exist_ok=True)
    adapted = model.base is not None
    if adapted:
        _beside(out)
    elif not (out / TOKENIZER).is_file():
        shutil.copyfile(folder / TOKENIZER, out / TOKENIZER)
    if (out / TOKENIZER).read_bytes() != (folder / TOKENIZER).read_bytes():
        raise InputError(f"{out}: expected the model's own {TOKENIZER}, found another")
    _network(model, out, out / shipped.ENCODER if adapted else None)
    write_facts(out, _facts(folder, model, out), LIGHT)
    return out


def _beside(out: Path) -> None:
    """An encoder to share, and its tokenizer."""
    for name in (shipped.ENCODER, TOKENIZER):
        if not (out / name).is_file():
            shutil.copyfile(shipped.FOLDER / name, out / name)


def _network(model: Substitution, out: Path, encoder: Path | None) -> None:
    words = model.encoder.embeddings.word_embeddings
    model.encoder.embeddings.word_embeddings = Embedding(words.weight.detach())
    with tempfile.TemporaryDirectory() as work:
        plain, small = Path(work) / "plain.onnx", Path(work) / "small.onnx"
        _write(model, plain)
        quantise(plain, small, keep=_EXACT)
        share(small, out / NETWORK, encoder)


def _write(model: Substitution, file: Path) -> None:
    network = _Scores(model).eval()
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


def _facts(folder: Path, model: Substitution, out: Path) -> dict[str, Any]:
    """What `pronoun.json` says; a changed encoder would be read wrongly, so its checksum too."""
    known = facts_of(folder, "substitution")
    told = {name: known[name] for name in _TOLD if name in known}
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    encoder = sha256(out / shipped.ENCODER) if model.base is not None else None
    recipe = {**known["recipe"]}
    for name in ("encoder", "start"):  # names, not where they were on some machine
        recipe[name] = Path(recipe.get(name) or "").name
    if encoder == sha256(shipped.FOLDER / shipped.ENCODER):
        recipe["encoder"] = shipped.NAME
    return {
        "format": FORMAT, **told, "recipe": recipe, "window": recipe["window"],
        "both": bool(recipe.get("both")),
        "parameters": {"all": known.get("parameters"), "trained": trained},
        "network": sha256(out / NETWORK),
        "encoder": encoder,
        "exported": __version__,
    }  # fmt: skip
