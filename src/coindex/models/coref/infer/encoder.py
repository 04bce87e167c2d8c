"""The encoder of a coreference model, run by ONNX Runtime or by torch, one window at a time.

One call reads one window: nothing is padded, so that other windows cannot change a bit of the
result. Several threads read several windows; results come in the order of the inputs.

    inputs   pieces (1, n), places (words), shapes (words), scheme ()
    outputs  x (words, d), left and ends (words, h), start, end and attend (words)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError, MissingExtra
from coindex.models.common.artifact import METADATA, read_json
from coindex.models.common.device import torch_device
from coindex.models.common.inference import map_in_order, onnx_session
from coindex.models.common.packed_weights import integer_tensors
from coindex.models.coref.artifact import (
    CorefMetadata,
    HeadWeights,
    check_head,
    inference_metadata,
    parse_metadata,
)

if TYPE_CHECKING:
    from torch import Tensor

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

WINDOW = 512
"""The subwords of a full window; of smaller ones, such as short texts, more are encoded ahead."""
SMALLEST = 64
"""What a smaller window counts as: what it costs besides its subwords."""
OUTPUTS = ("x", "left", "ends", "start", "end", "attend")


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """One window: its subwords, the position of each word's first one, the words' shapes."""

    subwords: Ints
    positions: Ints
    shapes: Ints


@dataclass(frozen=True, slots=True)
class WordRows:
    """What the encoder computes for each word of a window; see the outputs above."""

    x: Floats
    left: Floats
    ends: Floats
    start: Floats
    end: Floats
    attend: Floats


def _no_rows() -> WordRows:
    """The rows of a window without words."""
    return WordRows(*(np.zeros((0, 0), np.float32) for _ in OUTPUTS))


class Encoder(Protocol):
    """Anything that turns windows into rows, in their order; a window may be without words."""

    def run(self, inputs: Iterable[EncoderInput], scheme: int) -> Iterator[WordRows]:
        """The rows of each window."""


class OnnxEncoder:
    """The network in `encoder.onnx`."""

    def __init__(
        self, file: Path, threads: int, batch: int | None = None, device: str = "cpu"
    ) -> None:
        """Load the network; `batch` windows are encoded ahead of what was consumed."""
        if not file.is_file():
            raise InputError(f"{file}: expected an ONNX network, found no file")
        self._session = onnx_session(file, integer_tensors(file.parent), device)
        self._threads = max(threads, 1)
        self._ahead = (batch or 2 * self._threads) * WINDOW

    def run(self, inputs: Iterable[EncoderInput], scheme: int) -> Iterator[WordRows]:
        """The rows of each window."""
        number = np.array(scheme, dtype=np.int64)
        return map_in_order(
            lambda window: self._encode(window, number), inputs, self._threads, self._ahead,
            lambda window: max(len(window.subwords), SMALLEST),
        )  # fmt: skip

    def _encode(self, window: EncoderInput, scheme: NDArray[np.int64]) -> WordRows:
        if not len(window.positions):
            return _no_rows()
        inputs = {
            "pieces": window.subwords[None],
            "places": window.positions,
            "shapes": window.shapes,
            "scheme": scheme,
        }
        return WordRows(*self._session.run(OUTPUTS, inputs))


def word_rows(
    encoder: Any, head: Mapping[str, Tensor], inputs: tuple[Tensor, Tensor, Tensor, Tensor]
) -> tuple[Tensor, ...]:
    """The same outputs computed by torch; this is what is exported to ONNX.

    inputs  subwords (1, n), positions, shapes, scheme
    """
    from torch.nn import functional as f

    subwords, positions, shapes, scheme = inputs

    def linear(name: str, x: Tensor) -> Tensor:
        return f.linear(x, head[f"{name}.weight"], head.get(f"{name}.bias"))

    hidden = encoder(input_ids=subwords)
    vectors = hidden.last_hidden_state[0].index_select(0, positions)
    mixed = vectors + head["shapes.weight"][shapes] + head["schemes.weight"][scheme]
    x = f.layer_norm(mixed, (len(head["norm.weight"]),), head["norm.weight"], head["norm.bias"])
    starts, ends = f.gelu(linear("start", x)), f.gelu(linear("end", x))
    left = linear("biaffine", starts) / math.sqrt(len(head["start.bias"]))
    start, end = linear("start_score", starts)[:, 0], linear("end_score", ends)[:, 0]
    return x, left, ends, start, end, linear("attend", x)[:, 0]


class TorchEncoder:
    """The encoder of a trained folder; slower than ONNX Runtime, and with its dropout layers."""

    def __init__(self, encoder: Any, head: Mapping[str, Tensor]) -> None:
        """A transformers model and the tensors of the head, on one device."""
        self.encoder, self.head = encoder, head
        self.device = head["norm.weight"].device

    def run(self, inputs: Iterable[EncoderInput], scheme: int) -> Iterator[WordRows]:
        """The rows of each window."""
        import torch

        number = torch.tensor(scheme, device=self.device)
        for window in inputs:
            if not len(window.positions):
                yield _no_rows()
                continue
            with torch.no_grad():
                subwords, positions, shapes = (
                    torch.from_numpy(each).to(self.device)
                    for each in (window.subwords, window.positions, window.shapes)
                )
                tensors = subwords[None], positions, shapes, number
                rows = word_rows(self.encoder, self.head, tensors)
            yield WordRows(*(part.cpu().numpy() for part in rows))


def load_torch_model(
    folder: Path, device: str = "cpu"
) -> tuple[CorefMetadata, HeadWeights, TorchEncoder]:
    """The model of a folder that training wrote."""
    try:
        import torch

        from coindex.models.common.encoders import encoder_from_config
    except ImportError as error:
        raise MissingExtra(error.name or "torch", "train") from None
    trained = read_json(folder / METADATA)
    try:
        weights = torch.load(folder / "weights.pt", map_location="cpu", weights_only=True)
        encoder = encoder_from_config(str(folder)).eval()
        encoder.pooler = None
        encoder.load_state_dict(_part(weights, "encoder."))
    except ImportError as error:
        raise MissingExtra(error.name or "transformers", "train") from None
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise InputError(
            f"{folder}: expected a folder that `coindex train` wrote: {error}"
        ) from None
    metadata = parse_metadata(inference_metadata(trained), str(folder / METADATA))
    tensors = _part(weights, "head.")
    head = HeadWeights({name: value.numpy() for name, value in tensors.items()})
    check_head(head, metadata, str(folder))
    used = torch_device(device)
    moved = {name: value.to(used) for name, value in tensors.items()}
    return metadata, head, TorchEncoder(encoder.to(used), moved)


def _part(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value.float() if value.is_floating_point() else value
        for name, value in weights.items()
        if name.startswith(prefix)
    }
