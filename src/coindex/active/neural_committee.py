"""Neural models as a committee: checkpoints of a training, or Monte Carlo dropout.

They are not trained here. Named by their folders, they can be passed to another process:

    NeuralCommittee(checkpoints=("epoch-3", "epoch-4", "epoch-5"))
    NeuralCommittee(dropout="trained")        # one network, with other units dropped per member

Monte Carlo dropout (Gal and Ghahramani 2016) needs the network in torch, as training saved it:
an exported one has no dropout. It acts within the encoder; mentions and links are scored by
numpy, without dropout. The random state depends on the seed, the member and the subwords of
the window, so that predictions do not depend on other documents or their order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from coindex import io
from coindex.active.strategies.protocol import TrainedResolver
from coindex.errors import InputError, InvalidValue
from coindex.models.coref.infer.encoder import EncoderInput, TorchEncoder, WordRows
from coindex.models.coref.infer.engine import Engine, load_engine
from coindex.types.document import Document

_FILES = ("model.json", "tokenizer.json", "encoder.onnx", "head.npz", "config.json",
              "weights.pt")  # fmt: skip


@dataclass(frozen=True, slots=True)
class NeuralCommittee:
    """The neural models that vote, by their folders.

    checkpoints   two or more models
    dropout       one model as training saved it, which votes once for each member
    """

    checkpoints: tuple[str, ...] = ()
    dropout: str | None = None

    def __post_init__(self) -> None:
        if self.checkpoints and self.dropout is not None:
            raise InvalidValue("expected checkpoints or a network under dropout, found both")
        if len(self.checkpoints) == 1:
            raise InvalidValue("one checkpoint alone agrees with itself: expected two or more")

    def members(self, count: int, seed: int) -> tuple[TrainedResolver, ...]:
        """The models that vote; empty if no network is named."""
        if self.dropout is not None:
            if count < 2:
                raise InvalidValue(f"members: expected 2 or more under dropout, found {count}")
            network = load_network(self.dropout)
            return tuple(with_dropout(network, seed, number) for number in range(count))
        return tuple(map(load_network, self.checkpoints))


@dataclass(frozen=True, slots=True)
class Network:
    """A neural model as a member; `digest` is of all its files, and of the dropout."""

    folder: str
    engine: Engine
    digest: str

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, singletons included, in the order given."""
        metadata = self.engine.metadata
        return self.engine.resolve(documents, metadata.scheme(metadata.single))


def load_network(folder: str) -> Network:
    """The model of a folder, exported or as training saved it; loaded again if it changed."""
    if not Path(folder, "model.json").is_file():
        raise InputError(f"{folder}: expected a model's folder with model.json, found none")
    whole = sha256()
    for name in _FILES:
        file = Path(folder, name)
        whole.update(sha256(io.read_bytes(file)).digest() if file.is_file() else b"-")
    return _loaded(folder, whole.hexdigest()[:16])


@lru_cache(maxsize=8)
def _loaded(folder: str, digest: str) -> Network:
    made = load_engine(Path(folder), os.cpu_count() or 1)
    return Network(folder, made, f"model:{made.metadata.name}-{digest}")


def with_dropout(network: Network, seed: int, number: int) -> Network:
    """The same model with dropout in its encoder."""
    inner = network.engine.encoder
    if not isinstance(inner, TorchEncoder):
        raise InputError(
            f"{network.folder}: expected a network as training left it (weights.pt), found an"
            " exported one (encoder.onnx), which has no dropout"
        )
    changed = replace(
        network.engine, encoder=DropoutEncoder(inner, network.folder, f"{seed} {number}")
    )
    return replace(network, engine=changed, digest=f"{network.digest}|dropout:{seed}.{number + 1}")


class DropoutEncoder(TorchEncoder):
    """An encoder with dropout; the random state depends on the window."""

    def __init__(self, plain: TorchEncoder, folder: str, draw: str) -> None:
        """`draw` identifies the random state."""
        super().__init__(plain.encoder, plain.head)
        self._draw = draw
        from torch import nn

        parts = self.encoder.modules()
        if not any(isinstance(part, nn.Dropout) and part.p for part in parts):
            raise InputError(f"{folder}: expected an encoder with dropout, found one without")

    def run(self, inputs: Iterable[EncoderInput], scheme: int) -> Iterator[WordRows]:
        """The rows of each window; torch's global random state is not changed."""
        import torch

        for window in inputs:
            named = f"{self._draw} {scheme} ".encode() + window.subwords.tobytes()
            drawn = int.from_bytes(sha256(named).digest()[:7], "big")
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(drawn)
                self.encoder.train()
                try:
                    result = list(super().run([window], scheme))
                finally:
                    self.encoder.eval()
            yield from result
