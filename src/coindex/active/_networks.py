"""Neural models as a committee: checkpoints of a training, or one network under dropout.

They are not trained here. Named by their folders, they can be told to another process:

    Networks(checkpoints=("epoch-3", "epoch-4", "epoch-5"))
    Networks(dropout="trained")         # one network, another part of it left out for each member

Dropout (Gal and Ghahramani 2016) takes the network as training left it, in torch: an
exported one has lost its dropout. It acts within the encoder; mentions and links are
scored by numpy, all of them. What is left out is drawn from the seed, the member and the
window's own pieces, so that neither the order nor the company of documents changes an
answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from coindex.active import Trained
from coindex.core.document import Document
from coindex.errors import InputError, InvalidValue
from coindex.neural.encoder import Rows, Task
from coindex.neural.load import engine
from coindex.neural.resolve import Engine
from coindex.neural.with_torch import TorchEncoder

_ANSWERING = ("model.json", "tokenizer.json", "encoder.onnx", "head.npz", "config.json",
              "weights.pt")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Networks:
    """Which neural models vote, by their folders.

    checkpoints   two or more models
    dropout       one model as training left it, asked as often as there are members
    """

    checkpoints: tuple[str, ...] = ()
    dropout: str | None = None

    def __post_init__(self) -> None:
        if self.checkpoints and self.dropout is not None:
            raise InvalidValue("expected checkpoints or a network under dropout, found both")
        if len(self.checkpoints) == 1:
            raise InvalidValue("one checkpoint alone agrees with itself: expected two or more")

    def members(self, count: int, seed: int) -> tuple[Trained, ...]:
        """The models that vote; none if no network is named."""
        if self.dropout is not None:
            if count < 2:
                raise InvalidValue(f"members: expected 2 or more under dropout, found {count}")
            plain = network(self.dropout)
            return tuple(noisy(plain, seed, number) for number in range(count))
        return tuple(map(network, self.checkpoints))


@dataclass(frozen=True, slots=True)
class Network:
    """A neural model as a member; `digest` is of all its files, and of what is left out."""

    folder: str
    engine: Engine
    digest: str

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, single mentions too, in their order."""
        facts = self.engine.facts
        return self.engine.resolve(documents, facts.scheme(facts.single))


def network(folder: str) -> Network:
    """The model of a folder, exported or as training left it; loaded again if it changed."""
    if not Path(folder, "model.json").is_file():
        raise InputError(f"{folder}: expected a model's folder with model.json, found none")
    whole = sha256()
    for name in _ANSWERING:
        file = Path(folder, name)
        whole.update(sha256(file.read_bytes()).digest() if file.is_file() else b"-")
    return _loaded(folder, whole.hexdigest()[:16])


@lru_cache(maxsize=8)
def _loaded(folder: str, digest: str) -> Network:
    made = engine(Path(folder), os.cpu_count() or 1)
    return Network(folder, made, f"model:{made.facts.name}-{digest}")


def noisy(plain: Network, seed: int, number: int) -> Network:
    """The same model with a part of its encoder left out."""
    inner = plain.engine.encoder
    if not isinstance(inner, TorchEncoder):
        raise InputError(
            f"{plain.folder}: expected a network as training left it (weights.pt), found an"
            " exported one (encoder.onnx), which has no dropout"
        )
    changed = replace(plain.engine, encoder=NoisyEncoder(inner, plain.folder, f"{seed} {number}"))
    return replace(plain, engine=changed, digest=f"{plain.digest}|dropout:{seed}.{number + 1}")


class NoisyEncoder(TorchEncoder):
    """An encoder with dropout on; each window draws anew, the same window the same."""

    def __init__(self, plain: TorchEncoder, folder: str, draw: str) -> None:
        """`draw` names what is left out."""
        super().__init__(plain._encoder, plain._head)
        self._draw = draw
        if not any(_dropout_of(part) for part in self._encoder.modules()):
            raise InputError(f"{folder}: expected an encoder with dropout, found one without")

    def run(self, tasks: Iterable[Task], scheme: int) -> Iterator[Rows]:
        """The rows of each window, one after the other; chance elsewhere is left as it was."""
        import torch

        for task in tasks:
            named = f"{self._draw} {scheme} ".encode() + task.pieces.tobytes()
            drawn = int.from_bytes(sha256(named).digest()[:7], "big")
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(drawn)
                self._encoder.train()
                try:
                    found = list(super().run([task], scheme))
                finally:
                    self._encoder.eval()
            yield from found


def _dropout_of(part: Any) -> float:
    from torch import nn

    return float(part.p) if isinstance(part, nn.Dropout) else 0.0
