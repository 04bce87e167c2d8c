"""Fused attention for MPNet on a GPU; transformers computes it in several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def faster(say: Callable[[str], None]) -> None:
    """Put fused attention in the place of plain attention.

    Tried first on a small batch, forwards and backwards: if it fails there, all stays as it was.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention
    from transformers.models.mpnet import modeling_mpnet as module

    plain = module.MPNetSelfAttention.forward

    def fused(self, hidden_states, attention_mask=None, position_bias=None, **more):  # type: ignore[no-untyped-def]
        if more.get("output_attentions") or position_bias is None:
            return plain(self, hidden_states, attention_mask, position_bias, **more)
        shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
        q, k, v = (f(hidden_states).view(shape).transpose(1, 2) for f in (self.q, self.k, self.v))
        bias = getattr(position_bias, "together", None)
        if bias is None:  # once for all layers
            bias = position_bias if attention_mask is None else position_bias + attention_mask
            bias = position_bias.together = bias.to(q.dtype)
        drop = self.dropout.p if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=drop)
        return (self.o(found.transpose(1, 2).flatten(-2)),)

    try:
        worst = _differs(module, fused, "cuda" if torch.cuda.is_available() else "cpu")
        say(f"fused attention differs by {worst[0]:.2g} and {worst[1]:.2g}")
        module.MPNetSelfAttention.forward = fused
    except Exception as error:
        say(f"plain attention: {error}"[:300])


def _differs(module: Any, fused: Any, device: str) -> tuple[float, float]:
    """By how much vectors and slopes differ from plain attention; an error if by much."""
    import torch

    torch.manual_seed(1)
    config = module.MPNetConfig(num_hidden_layers=2)
    model = module.MPNetModel(config).to(device).eval()
    pieces = torch.randint(5, 900, (24, 75), device=device)
    seen = torch.arange(75, device=device)[None] < torch.randint(20, 76, (24, 1), device=device)
    weights = torch.randn(24 * 75, 768, device=device)
    told = []
    plain = module.MPNetSelfAttention.forward
    for way in (plain, fused):
        module.MPNetSelfAttention.forward = way
        try:
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                found = model(input_ids=pieces, attention_mask=seen.long()).last_hidden_state
            model.zero_grad()
            (found[seen].float() * weights[: int(seen.sum())]).sum().backward()
            slope = model.encoder.relative_attention_bias.weight.grad.clone()
        finally:
            module.MPNetSelfAttention.forward = plain
        told.append((found[seen].float().detach(), slope))
    (a, c), (b, d) = told
    worst = float((a - b).abs().max()), float((c - d).norm() / c.norm())
    if not (worst[0] < 0.15 and worst[1] < 0.1):
        raise ValueError(f"fused attention differs by {worst}")
    return worst
