"""A frozen encoder with the weights that its quantized network will compute with.

Adapters that are trained over rounded weights correct for the rounding. The rules are those of
`coindex train export`: four bits in blocks of 32 along the input, of which the scale with the
smallest error is taken; eight bits with a scale for each output and each block of about 384.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from coindex.models.pronoun.lora import LoraLinear

BITS = ("", "8", "4", "mixed")
"""Not rounded; all in eight bits; all in four; four in feed-forward layers and embeddings."""
_BLOCK4, _BLOCK8 = 32, 384
_DIVISORS = (8.0, 7.75, 8.25, 8.5, 9.0, 9.5, 10.0)


def round4(matrix: Tensor) -> Tensor:
    """A matrix (out, in) in blocks of four bits."""
    rows, size = matrix.shape
    padded = nn.functional.pad(matrix, (0, -size % _BLOCK4))
    blocks = padded.reshape(-1, _BLOCK4)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    best = torch.zeros_like(blocks)
    least = torch.full_like(largest, float("inf"))
    for divisor in _DIVISORS:
        scale = (largest / -divisor).half().float()
        ratio = torch.where(scale != 0, blocks / scale, torch.zeros_like(blocks))
        tried = ratio.round().clamp(-8, 7) * scale
        error = (tried - blocks).square().sum(1, keepdim=True)
        best, least = torch.where(error < least, tried, best), torch.minimum(error, least)
    return best.reshape(rows, -1)[:, :size]


def round8(matrix: Tensor) -> Tensor:
    """A matrix (out, in) in eight bits."""
    blocks = torch.tensor_split(matrix, max(matrix.shape[1] // _BLOCK8, 1), 1)
    return torch.cat([_round_rows(block) for block in blocks], 1)


def _round_rows(block: Tensor) -> Tensor:
    step = block.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
    return (block / step).round() * step


@torch.no_grad()
def round_encoder(encoder: Any, bits: str, dtype: torch.dtype) -> dict[str, Tensor]:
    """Round the frozen matrices in place; returns the original ones, for `restore_encoder`.

    dtype   in which matrices are kept afterwards; embeddings stay as they are
    """
    originals = {}
    for name, module in encoder.named_modules():
        if isinstance(module, LoraLinear):
            originals[f"{name}.weight"] = module.weight.detach().clone()
            feed_forward = "attention" not in name
            four = bits == "4" or (bits == "mixed" and feed_forward)
            if bits:
                module.weight.data = (round4 if four else round8)(module.weight.data)
            module.weight.data = module.weight.data.to(dtype)
    words = encoder.embeddings.word_embeddings
    originals["embeddings.word_embeddings.weight"] = words.weight.detach().clone()
    if bits:
        words.weight.data = (_round_rows if bits == "8" else round4)(words.weight.data)
    return originals


@torch.no_grad()
def restore_encoder(encoder: Any, originals: dict[str, Tensor]) -> None:
    """Put the original matrices back."""
    named = dict(encoder.named_parameters())
    for name, value in originals.items():
        named[name].data = value
