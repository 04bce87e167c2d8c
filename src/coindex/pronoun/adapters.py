"""Low-rank adapters: an encoder that stays as it is, with something small beside each matrix.

    y = W x + b + U D x        U (out, rank), D (rank, in)

Hu et al. (2022), "LoRA: Low-Rank Adaptation of Large Language Models". W and the embeddings
are frozen; U, D, the biases and the norms are trained, and they alone are stored. D is drawn,
U begins as 0, so that a new model is its encoder. Several models can so share one encoder,
as the shipped pronoun model shares that of the shipped coreference model.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor, nn

from coindex.errors import InputError

MATRICES = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip
"""The matrices of a layer, as BERT names them."""
DROPOUT = 0.1


class Adapted(nn.Linear):
    """A frozen matrix with a bias, and its adapter."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        """Takes the matrix of a layer as its own."""
        super().__init__(base.in_features, base.out_features, device="meta")
        self.weight, self.bias = base.weight, base.bias
        self.weight.requires_grad = False
        self.drop = nn.Dropout(DROPOUT)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, input: Tensor) -> Tensor:
        """The matrix's product and the adapter's."""
        beside: Tensor = self.up(self.down(self.drop(input)))
        return super().forward(input) + beside


def adapt(encoder: Any, rank: int, name: str) -> None:
    """Freeze an encoder, and give each matrix of its layers an adapter."""
    stack = getattr(getattr(encoder, "encoder", None), "layer", None)
    if stack is None or not hasattr(stack[0], "intermediate"):
        raise InputError(f"{name}: adapters are for encoders like BERT's, found another kind")
    for key, value in encoder.named_parameters():
        value.requires_grad = key.startswith("encoder.layer.") and value.ndim < 2
    for layer in stack:
        for path in MATRICES:
            home, _, last = path.rpartition(".")
            try:
                parent = layer.get_submodule(home)
                base = getattr(parent, last)
            except AttributeError:
                raise InputError(f"{name}: expected a matrix {path}, found none") from None
            setattr(parent, last, Adapted(base, rank))


def beside(model: nn.Module) -> Iterator[nn.Parameter]:
    """The parameters of the adapters themselves: what is new in the encoder."""
    for module in model.modules():
        if isinstance(module, Adapted):
            yield from (*module.down.parameters(), *module.up.parameters())


def frozen(model: nn.Module) -> dict[str, Tensor]:
    """What is not trained, by name."""
    return {n: p.detach() for n, p in model.named_parameters() if not p.requires_grad}


def fingerprint(model: nn.Module) -> str:
    """A checksum of what is not trained, in half precision: an encoder may be sent as that."""
    made = sha256()
    for name, value in sorted(frozen(model).items()):
        made.update(name.encode())
        made.update(value.to("cpu", torch.float16).contiguous().numpy().tobytes())
    return made.hexdigest()
