"""A causal language model with Qwen2's architecture that scores whole passages.

The rows of a reading are one sequence: the shared subwords, then the remainder of each row. A
remainder attends to the shared subwords and to itself, at the positions that it has in its own
row, so the scores are those of separate rows, for about two thirds of the computation.

This module needs numpy and torch. It does not need coindex.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from research.pronoun_teacher.packed_readings import Batch


@dataclass(frozen=True, slots=True)
class ModelSize:
    """The sizes of a model; the defaults are those of Qwen2.5-Coder-1.5B."""

    layers: int = 28
    width: int = 1536
    inner: int = 8960
    heads: int = 12
    key_value_heads: int = 2
    vocabulary: int = 151_936
    rope_base: float = 1e6
    eps: float = 1e-6

    @property
    def head_width(self) -> int:
        """The width of one attention head."""
        return self.width // self.heads


TINY = ModelSize(layers=2, width=64, inner=96, heads=4, key_value_heads=2)
"""A model for trials on a CPU."""


class Layer(nn.Module):
    """Attention and a gated feed-forward layer, each after a norm."""

    def __init__(self, size: ModelSize) -> None:
        """Create the weights."""
        super().__init__()
        self.size = size
        small = size.key_value_heads * size.head_width
        self.norm = nn.Parameter(torch.ones(size.width))
        self.norm_inner = nn.Parameter(torch.ones(size.width))
        self.q = nn.Linear(size.width, size.width)
        self.k = nn.Linear(size.width, small)
        self.v = nn.Linear(size.width, small)
        self.o = nn.Linear(size.width, size.width, bias=False)
        self.gate = nn.Linear(size.width, size.inner, bias=False)
        self.up = nn.Linear(size.width, size.inner, bias=False)
        self.down = nn.Linear(size.inner, size.width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        """One layer."""
        size, (many, long, _) = self.size, x.shape
        h = rms_norm(x, self.norm, size.eps)
        q = self.q(h).view(many, long, size.heads, size.head_width).transpose(1, 2)
        k = self.k(h).view(many, long, size.key_value_heads, size.head_width).transpose(1, 2)
        v = self.v(h).view(many, long, size.key_value_heads, size.head_width).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        groups = size.heads // size.key_value_heads
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
        mixed = F.scaled_dot_product_attention(q, k.to(v.dtype), v, attn_mask=mask)
        x = x + self.o(mixed.transpose(1, 2).reshape(many, long, size.width))
        h = rms_norm(x, self.norm_inner, size.eps)
        return x + cast(Tensor, self.down(F.silu(self.gate(h)) * self.up(h)))


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Root mean square norm, computed in 32 bits."""
    wide = x.float()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return (wide * weight).to(x.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Apply rotary position embeddings."""
    one, two = x.chunk(2, -1)
    return (x * cos + torch.cat((-two, one), -1) * sin).to(x.dtype)


def attention_mask(row: Tensor) -> Tensor:
    """Which subwords each one attends to: the shared ones and its own row, up to itself."""
    long = row.shape[1]
    before = torch.ones(long, long, dtype=torch.bool, device=row.device).tril()
    own = (row[:, None, :] == 0) | (row[:, None, :] == row[:, :, None])
    return (before & own)[:, None]


class Teacher(nn.Module):
    """Layers over frozen embeddings, and a linear score of the last vector of each row."""

    embedding: Tensor

    def __init__(self, size: ModelSize) -> None:
        """Create the weights; those of the score are zero."""
        super().__init__()
        self.size = size
        self.register_buffer(
            "embedding", torch.zeros(size.vocabulary, size.width, dtype=torch.bfloat16)
        )
        self.layers = nn.ModuleList(Layer(size) for _ in range(size.layers))
        self.norm = nn.Parameter(torch.ones(size.width))
        self.score = nn.Linear(size.width, 1, bias=False)
        nn.init.zeros_(self.score.weight)

    def vectors(self, batch: Batch) -> Tensor:
        """The vector of every subword after the last norm.

        Under autocast the residual stream is float32, else it has the type of the weights.
        """
        x = F.embedding(batch.subwords, self.embedding)
        x = x.to(torch.float32 if torch.is_autocast_enabled() else self.norm.dtype)
        cos, sin = self._positions(batch.position, x.dtype)
        mask = attention_mask(batch.row)
        for layer in self.layers:
            x = cast(Tensor, layer(x, cos, sin, mask))
        return rms_norm(x, self.norm, self.size.eps)

    def _positions(self, position: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Cosines and sines of the rotary positions."""
        width = self.size.head_width
        half = torch.arange(0, width, 2, device=position.device, dtype=torch.float32)
        angle = position[:, None, :, None].float() * self.size.rope_base ** (-half / width)
        angle = torch.cat((angle, angle), -1)
        return angle.cos().to(dtype), angle.sin().to(dtype)

    def forward(self, batch: Batch) -> Tensor:
        """The score of each row."""
        last = self.vectors(batch)[batch.last[:, 0], batch.last[:, 1]].float()
        with torch.autocast(last.device.type, enabled=False):
            return F.linear(last, self.score.weight.float())[:, 0]

    def load_gguf_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of a GGUF file, by its names."""
        with torch.no_grad():
            self.embedding.copy_(weights["output.weight"])
            self.norm.copy_(weights["output_norm.weight"])
            for number, layer in enumerate(self.layers):
                for name, own in GGUF_NAMES.items():
                    layer.get_parameter(own).copy_(weights[f"blk.{number}.{name}"])


GGUF_NAMES = {
    "attn_norm.weight": "norm", "ffn_norm.weight": "norm_inner",
    "attn_q.weight": "q.weight", "attn_q.bias": "q.bias",
    "attn_k.weight": "k.weight", "attn_k.bias": "k.bias",
    "attn_v.weight": "v.weight", "attn_v.bias": "v.bias",
    "attn_output.weight": "o.weight", "ffn_gate.weight": "gate.weight",
    "ffn_up.weight": "up.weight", "ffn_down.weight": "down.weight",
}  # fmt: skip
"""The parameters of a layer: the name in a GGUF file, and the name in `Layer`."""
