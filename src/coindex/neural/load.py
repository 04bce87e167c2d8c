"""A model's folder made ready: exported (ONNX), or as training left it (torch)."""

from __future__ import annotations

from pathlib import Path

from coindex.errors import InputError
from coindex.neural.package import read_facts, read_head
from coindex.neural.resolve import Engine
from coindex.neural.windows import Pieces


def engine(folder: Path, threads: int, batch: int | None = None) -> Engine:
    """Everything needed to resolve with the model of a folder.

    batch   how many windows are worked on ahead of what is asked for
    """
    pieces = _pieces(folder)
    if (folder / "encoder.onnx").is_file():
        from coindex.neural.encoder import OnnxEncoder

        facts = read_facts(folder)
        encoder = OnnxEncoder(folder / "encoder.onnx", threads, batch)
        return Engine(facts, read_head(folder, facts), pieces, encoder)
    from coindex.neural import with_torch

    found, head, torch_encoder = with_torch.load(folder)
    return Engine(found, head, pieces, torch_encoder)


def _pieces(folder: Path) -> Pieces:
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exceptions
        raise InputError(f"{file}: expected a tokenizer: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Pieces(tokenizer)
