"""Fused attention for MPNet on a GPU; transformers computes it in several steps.

Its relative positions, which some versions of transformers compute on the CPU for every batch, are
computed once for each length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MAX_VECTOR_DIFFERENCE, _MAX_GRADIENT_DIFFERENCE = 0.15, 0.1


def fused_forward(plain: Callable[..., Any]) -> Callable[..., Any]:
    """A replacement of the forward method of MPNet's attention; calls `plain` where it must."""
    from torch.nn.functional import scaled_dot_product_attention

    def fused(
        self: Any, hidden_states: Any, attention_mask: Any = None, position_bias: Any = None,
        **options: Any,
    ) -> Any:  # fmt: skip
        if options.get("output_attentions") or position_bias is None:
            return plain(self, hidden_states, attention_mask, position_bias, **options)
        shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
        q, k, v = (f(hidden_states).view(shape).transpose(1, 2) for f in (self.q, self.k, self.v))
        bias = getattr(position_bias, "with_mask", None)
        if bias is None:  # computed once for all layers
            bias = position_bias if attention_mask is None else position_bias + attention_mask
            bias = position_bias.with_mask = bias.to(q.dtype)
        dropout = self.dropout.p if self.training else 0.0
        mixed = scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=dropout)
        return (self.o(mixed.transpose(1, 2).flatten(-2)),)

    return fused


def cached_position_bias(plain: Callable[..., Any]) -> Callable[..., Any]:
    """A replacement of the method of MPNet's encoder, that remembers the buckets of positions."""
    buckets: dict[tuple[int, Any], Any] = {}

    def cached(self: Any, x: Any, position_ids: Any = None, num_buckets: int = 32) -> Any:
        import torch

        if position_ids is not None:
            return plain(self, x, position_ids, num_buckets)
        key = x.size(1), x.device
        if key not in buckets:
            at = torch.arange(x.size(1))
            own = self.relative_position_bucket(at[None, :] - at[:, None], num_buckets=num_buckets)
            buckets[key] = own.to(x.device)
        values = self.relative_attention_bias(buckets[key]).permute(2, 0, 1)[None]
        return values.expand(x.size(0), -1, -1, -1)

    return cached


def use_fused_attention(log: Callable[[str], None]) -> bool:
    """Replace MPNet's attention by fused attention; returns whether that was done.

    It is tried first on a small batch, forwards and backwards. If it fails or differs there,
    nothing is changed.
    """
    from transformers.models.mpnet import modeling_mpnet

    attention: Any = modeling_mpnet.MPNetSelfAttention
    plain = attention.forward
    fused = fused_forward(plain)
    try:
        vectors, gradients = _differences(attention, plain, fused)
    except Exception as error:
        log(f"plain attention: {error}"[:300])
        return False
    differs = f"fused attention differs by {vectors:.2g} (vectors) and {gradients:.2g} (gradients)"
    if not (vectors < _MAX_VECTOR_DIFFERENCE and gradients < _MAX_GRADIENT_DIFFERENCE):
        log(f"plain attention: {differs}")
        return False
    log(differs)
    attention.forward = fused
    encoder: Any = modeling_mpnet.MPNetEncoder
    encoder.compute_position_bias = cached_position_bias(encoder.compute_position_bias)
    return True


def _differences(
    attention: Any, plain: Callable[..., Any], fused: Callable[..., Any]
) -> tuple[float, float]:
    """By how much vectors and gradients differ between two kinds of attention."""
    import torch
    from transformers import MPNetConfig, MPNetModel

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    mpnet: Any = MPNetModel
    model = mpnet(MPNetConfig(num_hidden_layers=2))
    model.to(device).eval()
    subwords = torch.randint(5, 900, (24, 75), device=device)
    seen = torch.arange(75, device=device)[None] < torch.randint(20, 76, (24, 1), device=device)
    weights = torch.randn(24 * 75, 768, device=device)
    results = []
    for forward in (plain, fused):
        attention.forward = forward
        try:
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                output = model(input_ids=subwords, attention_mask=seen.long()).last_hidden_state
            model.zero_grad()
            (output[seen].float() * weights[: int(seen.sum())]).sum().backward()
            gradient = model.encoder.relative_attention_bias.weight.grad.clone()
        finally:
            attention.forward = plain
        results.append((output[seen].float().detach(), gradient))
    (one, one_gradient), (two, two_gradient) = results
    relative = (one_gradient - two_gradient).norm() / one_gradient.norm()
    return float((one - two).abs().max()), float(relative)
