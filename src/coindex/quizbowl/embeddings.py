"""The input embeddings of an exported neural model, as word vectors: no torch, no run of it.

The network's file holds a table with a row for each word piece, in floating point or
in eight bits with a scale for each row (see `training.export`). A word's vector is the
mean of its pieces'; what only has the piece for "unknown" has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError, MissingExtra

Table = NDArray[np.float32]


def read(folder: Path) -> tuple[Table, Callable[[Sequence[str]], list[list[int]]], str]:
    """The table of a model's folder, the rows of words in it, and a digest of both."""
    file, split = folder / "encoder.onnx", folder / "tokenizer.json"
    for needed in (file, split):
        if not needed.is_file():
            raise InputError(f"{folder}: expected a model with {needed.name}, found none")
    from tokenizers import Tokenizer

    from coindex.neural.windows import Pieces

    try:
        tokenizer = Tokenizer.from_file(str(split))
    except Exception as error:  # the library raises plain Exceptions
        raise InputError(f"{split}: expected a tokenizer: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pieces = Pieces(tokenizer)
    unknown = {tokenizer.token_to_id(mark) for mark in ("[UNK]", "<unk>")}
    table = _table(file, tokenizer.get_vocab_size())

    def rows(words: Sequence[str]) -> list[list[int]]:
        return [[piece for piece in each if piece not in unknown] for each in pieces.of(words)]

    digest = sha256(np.ascontiguousarray(table).tobytes() + split.read_bytes())
    return table, rows, digest.hexdigest()


def _table(file: Path, words: int) -> Table:
    """The widest table with a row for each word piece, scaled where it is in eight bits."""
    try:
        import onnx
    except ImportError:
        raise MissingExtra("onnx (to read the encoder's embeddings)", "train") from None
    try:
        graph = onnx.load(str(file)).graph
    except Exception as error:  # protobuf's own kinds
        raise InputError(f"{file}: expected an ONNX network: {error}") from None
    tables = [onnx.numpy_helper.to_array(each) for each in _held(graph) if each.dims[0] >= words]
    wide = [table for table in tables if table.shape[1] > 1]
    if not wide:
        raise InputError(f"{file}: expected a table of {words} word pieces, found none")
    table = max(wide, key=lambda each: each.shape[1])
    found: Table = table.astype(np.float32)
    if table.dtype != np.int8:
        return found
    scales = [each for each in tables if each.shape == (len(table), 1)]
    if len(scales) != 1:
        raise InputError(f"{file}: expected a scale for each word piece, found {len(scales)}")
    return np.asarray(found * scales[0].astype(np.float32), np.float32)


def _held(graph: Any) -> Iterator[Any]:
    """All matrices in a network's file."""
    yield from (tensor for tensor in graph.initializer if len(tensor.dims) == 2)
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value" and len(attribute.t.dims) == 2:
                    yield attribute.t
