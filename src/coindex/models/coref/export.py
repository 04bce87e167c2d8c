"""Export of a trained model for use without torch: ONNX for the encoder, numpy for the head.

The network takes one window and computes what the mention scorer needs of each word. `int8`
stores the encoder's matrices as eight-bit integers with one scale per column and block of 384
rows (see `quantization`), and multiplies integers that are scaled row by row. On the base model
this costs nothing measurable, while ONNX Runtime's dynamic quantization, with one scale per
matrix, costs two points. Embeddings have one scale per subword. The mention scorer stays in
floating point.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from coindex import io
from coindex.models.common.artifact import METADATA, TOKENIZER, read_json, write_json
from coindex.models.common.encoder_packing import pack_encoder, store_packed
from coindex.models.common.encoders import CONFIG, ENCODER_FILE, stored_config
from coindex.models.common.packed_weights import remove_packed
from coindex.models.common.quantization import QuantizedEmbedding, quantize
from coindex.models.common.subwords import unused_subwords
from coindex.models.coref.artifact import inference_metadata
from coindex.models.coref.infer.encoder import OUTPUTS, word_rows
from coindex.models.coref.network import Model
from coindex.models.coref.weights import load_trained

_IN_ENCODER = ("shapes", "schemes", "norm", "start", "end", "start_score", "end_score", "biaffine",
               "attend")  # fmt: skip


class _WordRows(nn.Module):
    """The network to export: a window in, rows of words out."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.encoder = model.encoder
        self.head = {name: value for name, value in model.head.state_dict().items()}

    def forward(
        self, pieces: Tensor, places: Tensor, shapes: Tensor, scheme: Tensor
    ) -> tuple[Tensor, ...]:
        return word_rows(self.encoder, self.head, (pieces, places, shapes, scheme))


def export(
    folder: Path,
    out: Path,
    *,
    int8: bool = True,
    bits: str = "8",
    metadata: dict[str, Any] | None = None,
) -> Path:
    """Write `out` from a trained folder; further metadata is added to its `model.json`.

    int8   whether the network computes with integers
    bits   the bits of stored weights (`block_packing.BITS`); fewer than eight are unpacked at
           loading
    """
    attention, _, feed_forward = bits.partition("/")
    widths = int(attention), int(feed_forward or attention)
    model, _, _ = load_trained(folder)
    io.make_folder(out)
    remove_packed(out)
    packed = pack_encoder(model.encoder, *widths) if int8 and max(widths) < 8 else {}
    with tempfile.TemporaryDirectory() as work:
        plain = Path(work) / "plain.onnx"
        if int8:
            words = model.encoder.embeddings.word_embeddings
            model.encoder.embeddings.word_embeddings = QuantizedEmbedding(
                words.weight.detach(), () if packed else unused_subwords(folder)
            )
        _write(model, plain)
        if int8:
            with io.replace_file(out / ENCODER_FILE) as file:
                quantize(plain, file, keep=("biaffine",), halves=True)
        else:
            io.copy_file(plain, out / ENCODER_FILE)
    if packed:
        store_packed(out, packed)
    with io.replace_file(out / "head.npz") as file:
        _write_head(model, file)
    io.copy_file(folder / TOKENIZER, out / TOKENIZER)
    trained = read_json(folder / METADATA)
    exported = {
        **inference_metadata(trained),
        **(metadata or {}),
        "bits": bits if "/" in bits else widths[0] if int8 else 32,
        CONFIG: stored_config(model.encoder),
        "trained": trained,
    }
    write_json(out / METADATA, exported)
    return out


def _write(model: Model, file: Path) -> None:
    network = _WordRows(model.eval())
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
