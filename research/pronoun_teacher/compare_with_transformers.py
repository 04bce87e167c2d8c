"""Compare the model's vectors with those of transformers' Qwen2: `compare_with_transformers NPZ`.

The model computes the rows of a reading as one sequence, transformers each row by itself. Both
have the same random weights. NPZ is a set of `prepare`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch

from research.pronoun_teacher.model import GGUF_NAMES, TINY, Teacher
from research.pronoun_teacher.packed_readings import PackedReadings

_MODULES = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj",
    "o": "self_attn.o_proj", "gate": "mlp.gate_proj", "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}  # fmt: skip


def random_teacher() -> Teacher:
    """A small model with random weights."""
    torch.manual_seed(1)
    model = Teacher(TINY).eval()
    for value in model.parameters():
        torch.nn.init.normal_(value, std=0.3 if value.ndim > 1 else 1.0)
    model.embedding.normal_()
    return model


@torch.no_grad()
def qwen2_with_weights(model: Teacher) -> Any:
    """The model of transformers with the weights of another."""
    from transformers import Qwen2Config, Qwen2Model

    size = model.size
    settings: dict[str, Any] = {
        "vocab_size": size.vocabulary, "hidden_size": size.width, "intermediate_size": size.inner,
        "num_hidden_layers": size.layers, "num_attention_heads": size.heads,
        "num_key_value_heads": size.key_value_heads, "rms_norm_eps": size.eps,
        "rope_theta": size.rope_base,
        "rope_parameters": {"rope_type": "default", "rope_theta": size.rope_base},
    }  # fmt: skip
    other: Any = Qwen2Model(Qwen2Config(**settings))
    other.eval().float()
    other.embed_tokens.weight.copy_(model.embedding)
    other.norm.weight.copy_(model.norm)
    for layer, target in zip(model.layers, other.layers, strict=True):
        target.input_layernorm.weight.copy_(layer.get_parameter("norm"))
        target.post_attention_layernorm.weight.copy_(layer.get_parameter("norm_inner"))
        for name in GGUF_NAMES.values():
            module, _, kind = name.partition(".")
            if kind:
                own = layer.get_parameter(name)
                target.get_parameter(f"{_MODULES[module]}.{kind}").copy_(own)
    return other


@torch.no_grad()
def largest_difference(readings: PackedReadings, count: int) -> float:
    """The largest relative difference of the last vectors of the rows of some readings."""
    model = random_teacher()
    other = qwen2_with_weights(model)
    batch = readings.batch(range(count))
    vectors = model.vectors(batch)[batch.last[:, 0], batch.last[:, 1]]
    worst = 0.0
    for row, (number, end) in enumerate(batch.last.tolist()):
        which = batch.row[number, end]
        own = (batch.row[number] == 0) | (batch.row[number] == which)
        subwords = batch.subwords[number][own]
        expected = other(input_ids=subwords[None]).last_hidden_state[0, -1]
        worst = max(worst, float((expected - vectors[row]).norm() / expected.norm()))
    return worst


def main() -> None:
    """Compare the first readings of a set."""
    readings = PackedReadings(dict(np.load(sys.argv[1])))
    worst = largest_difference(readings, min(12, len(readings)))
    print(f"largest relative difference {worst:.2e}")  # noqa: T201


if __name__ == "__main__":
    main()
