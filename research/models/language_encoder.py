"""A causal language model as the encoder of a document model, with attention in both directions.

`coref_device` with ENCODER=language trains over WORK/qwen, whose files are:

    tokenizer.json   the model's byte-level tokenizer, by `language_encoder tokenizer GGUF-TOKENIZER OUT`:
                     a word is read with the space before it, and the names of BERT's special tokens
                     stand for the model's own
    parts/           its weights, quantised, as `research.pronoun_teacher.weights split` writes them

`use_language_encoders` makes the trainer and teachers load such encoders. Word embeddings are frozen.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from research.pronoun_teacher.model import GGUF_NAMES, TINY, Layer, ModelSize, rms_norm

MODEL_TYPE = "qwen2-both-directions"
SPECIAL = {
    "[CLS]": "<|endoftext|>", "[SEP]": "<|im_end|>", "[PAD]": "<|im_start|>",
    "[UNK]": "<|repo_name|>",
}  # fmt: skip
"""BERT's special tokens, and the model's own token that each one renames."""
_CLOSES = r"^ (?=[,.;:!?'’”)\]}%])"
"""Where no space stands before: a comma, a full stop, what closes."""


class EncoderConfig(SimpleNamespace):
    """What the document model asks of an encoder's config."""

    def to_json_file(self, file: Path) -> None:
        """Write it, as transformers does."""
        Path(file).write_text(json.dumps(vars(self)), encoding="utf-8")


def encoder_config(size: ModelSize) -> EncoderConfig:
    """The config of an encoder of a size."""
    return EncoderConfig(
        model_type=MODEL_TYPE, hidden_size=size.width, vocab_size=size.vocabulary,
        max_position_embeddings=32_768, _attn_implementation="sdpa", layers=size.layers,
    )  # fmt: skip


class LanguageEncoder(nn.Module):
    """The layers of a language model, without a causal mask."""

    embedding: Tensor

    def __init__(self, size: ModelSize, *, checkpoints: bool = False) -> None:
        """Create the weights.

        checkpoints   whether activations are computed again for the gradient, to save memory
        """
        super().__init__()
        self.size, self.checkpoints = size, checkpoints
        self.config = encoder_config(size)
        words = torch.zeros(size.vocabulary, size.width, dtype=torch.bfloat16)
        self.register_buffer("embedding", words)
        self.layers = nn.ModuleList(Layer(size) for _ in range(size.layers))
        self.norm = nn.Parameter(torch.ones(size.width))
        self.pooler = None

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, position_ids: Tensor | None = None
    ) -> SimpleNamespace:
        """The last vectors; `attention_mask` is (rows, length), or (rows, 1, length, length)."""
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        if attention_mask.ndim == 2:
            attention_mask = (attention_mask > 0)[:, None, None, :]
        x = functional.embedding(input_ids, self.embedding).float()
        cos, sin = self._positions(position_ids)
        for layer in self.layers:
            if self.checkpoints and self.training:
                x = checkpoint(layer, x, cos, sin, attention_mask, use_reentrant=False)
            else:
                x = layer(x, cos, sin, attention_mask)
        return SimpleNamespace(last_hidden_state=rms_norm(x, self.norm, self.size.eps))

    def _positions(self, position: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines of the rotary positions."""
        width = self.size.head_width
        half = torch.arange(0, width, 2, device=position.device, dtype=torch.float32)
        angle = position[:, None, :, None].float() * self.size.rope_base ** (-half / width)
        angle = torch.cat((angle, angle), -1)
        return angle.cos(), angle.sin()

    @torch.no_grad()
    def load_gguf_weights(self, weights: dict[str, Tensor]) -> None:
        """Take the weights of a GGUF file, by its names."""
        self.embedding.copy_(weights["output.weight"])
        self.norm.copy_(weights["output_norm.weight"])
        for number, layer in enumerate(self.layers):
            for name, own in GGUF_NAMES.items():
                layer.get_parameter(own).copy_(weights[f"blk.{number}.{name}"])


def load_language_encoder(folder: Path, *, checkpoints: bool = False) -> LanguageEncoder:
    """The encoder of a folder with `parts`; a tiny one of random weights where there are none."""
    from research.pronoun_teacher.weights import join

    if not (folder / "parts").is_dir():
        torch.manual_seed(1)
        encoder = LanguageEncoder(TINY, checkpoints=checkpoints)
        for value in encoder.parameters():
            if value.ndim > 1:
                nn.init.normal_(value, std=0.02)
        encoder.embedding.normal_(std=0.02)
        return encoder
    encoder = LanguageEncoder(ModelSize(), checkpoints=checkpoints)
    encoder.load_gguf_weights(dict(join(folder / "parts")))
    return encoder


def is_language_encoder(folder: str | Path) -> bool:
    """Whether a folder holds such an encoder, or a model that was trained over one."""
    config = Path(folder) / "config.json"
    if config.is_file():
        return bool(json.loads(config.read_text(encoding="utf-8"))["model_type"] == MODEL_TYPE)
    return Path(folder).name == "qwen"


def use_language_encoders(*, checkpoints: bool = False) -> None:
    """Make `coindex.models.coref` load language models as encoders, by their folders."""
    from coindex.models.coref import network, weights

    modules: Any = weights
    load: Callable[..., Any] = modules.load_encoder
    from_config: Callable[..., Any] = modules.encoder_from_config

    def load_encoder(name: str, layers: int = 0, **options: Any) -> Any:
        if is_language_encoder(name):
            return load_language_encoder(Path(name), checkpoints=checkpoints)
        return load(name, layers, **options)

    def encoder_from_config(folder: str, **options: Any) -> Any:
        if not is_language_encoder(folder):
            return from_config(folder, **options)
        stored = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
        with torch.device("meta"):
            encoder = LanguageEncoder(TINY if stored["layers"] == TINY.layers else ModelSize())
        return encoder.to_empty(device="cpu")

    modules.load_encoder, modules.encoder_from_config = load_encoder, encoder_from_config
    network._FIRST_POSITION[MODEL_TYPE] = 0


def write_tokenizer(source: Path, out: Path) -> None:
    """Write the tokenizer for single words, with the names of BERT's special tokens."""
    from tokenizers import Regex, Tokenizer, normalizers

    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Prepend(" "),
            normalizers.Replace(Regex(_CLOSES), ""),
        ]
    )
    content = json.loads(tokenizer.to_str())
    vocabulary = content["model"]["vocab"]
    content["added_tokens"] = []
    for name, own in SPECIAL.items():
        vocabulary[name] = vocabulary.pop(own)
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["tokenizer", source, out]:
            write_tokenizer(Path(source), Path(out))
        case _:
            sys.exit(__doc__)
