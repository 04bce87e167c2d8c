"""Low-rank adapters (LoRA): a frozen encoder with a small trained product added to each matrix.

    y = W x + b + U D x        U (out, rank), D (rank, in)

Hu et al. (2022), "LoRA: Low-Rank Adaptation of Large Language Models". W and the embeddings are
frozen; U, D, the biases and the norms are trained, and they alone are stored. D is drawn at
random and U is 0 at first, so that a new model equals its encoder. Several models can share one
encoder, as the shipped pronoun model shares that of the shipped coreference model.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor, nn

from coindex.errors import InputError

FEED_FORWARD = ("intermediate.dense", "output.dense")
MATRICES = {
    "bert": (
        "attention.self.query", "attention.self.key", "attention.self.value",
        "attention.output.dense", *FEED_FORWARD,
    ),
    "mpnet": (
        "attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o",
        *FEED_FORWARD,
    ),
}  # fmt: skip
"""The matrices of a layer, as BERT and MPNet name them."""
DROPOUT = 0.1


class LoraLinear(nn.Linear):
    """A linear layer with a frozen matrix and an adapter."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        """Takes over the matrix and the bias of a layer."""
        super().__init__(base.in_features, base.out_features, device="meta")
        self.weight, self.bias = base.weight, base.bias
        self.weight.requires_grad = False
        self.drop = nn.Dropout(DROPOUT)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, input: Tensor) -> Tensor:
        """The sum of the layer's product and the adapter's."""
        adapted: Tensor = self.up(self.down(self.drop(input)))
        return super().forward(input) + adapted


def add_adapters(encoder: Any, rank: int, name: str) -> None:
    """Freeze an encoder and add an adapter to each matrix of its layers."""
    stack = getattr(getattr(encoder, "encoder", None), "layer", None)
    if stack is None or not hasattr(stack[0], "intermediate"):
        raise InputError(f"{name}: adapters are for encoders like BERT's, found another kind")
    for key, value in encoder.named_parameters():
        value.requires_grad = key.startswith("encoder.layer.") and value.ndim < 2
    kind = "mpnet" if encoder.config.model_type == "mpnet" else "bert"
    for layer in stack:
        for path in MATRICES[kind]:
            parent_name, _, last = path.rpartition(".")
            try:
                parent = layer.get_submodule(parent_name)
                base = getattr(parent, last)
            except AttributeError:
                raise InputError(f"{name}: expected a matrix {path}, found none") from None
            setattr(parent, last, LoraLinear(base, rank))


def adapter_parameters(model: nn.Module) -> Iterator[nn.Parameter]:
    """The parameters of the adapters."""
    for module in model.modules():
        if isinstance(module, LoraLinear):
            yield from (*module.down.parameters(), *module.up.parameters())


def frozen_parameters(model: nn.Module) -> dict[str, Tensor]:
    """The parameters that are not trained, by name."""
    return {n: p.detach() for n, p in model.named_parameters() if not p.requires_grad}


def frozen_checksum(model: nn.Module) -> str:
    """A checksum of the parameters that are not trained, in half precision."""
    made = sha256()
    for name, value in sorted(frozen_parameters(model).items()):
        made.update(name.encode())
        made.update(value.to("cpu", torch.float16).contiguous().numpy().tobytes())
    return made.hexdigest()
