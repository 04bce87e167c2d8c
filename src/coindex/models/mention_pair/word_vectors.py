"""Word vectors for the cosine features: any text file of them, or the shipped encoder's own.

A text file has a word and its numbers on each line, by spaces (GloVe, fastText,
word2vec's text format with its header line). A source is named by a path, by a
corpus of the registry, or `encoder`: the input embeddings of the neural model in
`models/default`, the vector of a word being the mean of its subwords'. Where that
model cannot be read there are no vectors and no cosine feature: `unavailable_reason` says
why.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex import datasets, io
from coindex.assets import DEFAULT_MODEL
from coindex.errors import FormatError, InputError, import_extra
from coindex.installation import this_installation
from coindex.models.common.block_packing import unpack_rows
from coindex.models.common.packed_weights import EMBEDDINGS, is_packed, read_packed
from coindex.models.mention_pair.token_arrays import TokenVectors

ENCODER = "encoder"
NONE = "none"
SHIPPED = DEFAULT_MODEL

Rows = Callable[[Sequence[str]], list[list[int]]]
"""For each word the rows of the table whose mean is its vector; none for unknown words."""


@dataclass(frozen=True, slots=True)
class VectorsInfo:
    """Identifies the vectors that a model was trained with, and needs for inference."""

    source: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Vectors:
    """A table of vectors, and the rows of words in it."""

    info: VectorsInfo
    table: NDArray[np.float32]
    rows: Rows

    def lookup(self, words: Sequence[str]) -> TokenVectors:
        """The vectors of lowercase words; zeros for unknown words.

        Rows of the table are referred to, not copied, so that the memory of a document does
        not depend on the length of vectors.
        """
        from scipy import sparse

        result = self.rows(words)
        sizes = [len(each) for each in result]
        ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        columns = np.array([row for each in result for row in each], np.int64)
        shares = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        shape = len(words), len(self.table)
        return TokenVectors(sparse.csr_matrix((shares, columns, ends), shape), self.table)


def unavailable_reason(source: str) -> str | None:
    """Why a source has no vectors here, or None if it has."""
    if source == NONE:
        return "none are wanted"
    if source == ENCODER and not (SHIPPED / "encoder.onnx").is_file():
        return "no neural model is shipped with this version"
    if source == ENCODER and find_spec("onnx") is None:
        return (
            f"no onnx to read the shipped model with ({this_installation().install_line('train')})"
        )
    return None


def load(source: str) -> Vectors | None:
    """The vectors of a source; None for `none`, and for `encoder` where it cannot be read."""
    if unavailable_reason(source):
        return None
    if source == ENCODER:
        return _encoder(SHIPPED, source)
    path = Path(source).expanduser()
    if path.is_dir():
        return _encoder(path, source)
    if not path.is_file():
        if source not in datasets.names():
            raise InputError(
                f"{source}: expected a file of vectors, the folder of a model, encoder, none"
                " or a corpus of the registry, found none of them"
            )
        path = datasets.path(source)
    return read(path, source)


def read(path: Path, source: str | None = None) -> Vectors:
    """The vectors of a text file; of several spellings (`It`, `it`) the first is taken."""
    index: dict[str, int] = {}
    numbers = array("f")
    size = 0
    with io.open_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            # a few words of GloVe's largest file have spaces in them: numbers come last
            word, *values = line.rstrip().rsplit(" ", size or -1)
            if number == 1 and len(values) == 1:
                continue  # word2vec's header: how many words, how many numbers
            size = size or len(values)
            if len(values) != size or not size:
                raise FormatError(
                    str(path), number, f"expected {size} numbers, found {len(values)}"
                )
            if index.setdefault(word.lower(), len(index)) < len(numbers) // size:
                continue
            try:
                numbers.extend(map(float, values))
            except ValueError:
                raise FormatError(str(path), number, "expected numbers after the word") from None
    table = np.frombuffer(numbers, np.float32).reshape(len(index), size or 1)
    if not index or not np.isfinite(table).all():
        what = "endless ones, or none at all" if index else "none"
        raise FormatError(str(path), None, f"expected vectors of numbers, found {what}")
    digest = sha256(io.read_bytes(path)).hexdigest()

    def rows(words: Sequence[str]) -> list[list[int]]:
        result = (index.get(word) for word in words)
        return [[] if row is None else [row] for row in result]

    return Vectors(VectorsInfo(source or str(path), digest, size), table, rows)


def _encoder(folder: Path, source: str) -> Vectors:
    """The input embeddings of an exported model."""
    table, rows, digest = read_embeddings(folder)
    return Vectors(VectorsInfo(source, digest, table.shape[1]), table, rows)


Table = NDArray[np.float32]


def read_embeddings(folder: Path) -> tuple[Table, Callable[[Sequence[str]], list[list[int]]], str]:
    """The input embeddings of an exported model, the rows of words in them, and a digest.

    They are read from the ONNX file, without torch and without running the network: one row
    for each subword, in floating point or in eight bits with a scale for each row.
    """
    file, split = folder / "encoder.onnx", folder / "tokenizer.json"
    for needed in (file, split):
        if not needed.is_file():
            raise InputError(f"{folder}: expected a model with {needed.name}, found none")
    from coindex.models.common.subwords import SubwordTokenizer, read_tokenizer

    tokenizer = read_tokenizer(split)
    subwords = SubwordTokenizer(tokenizer)
    unknown = {tokenizer.token_to_id(mark) for mark in ("[UNK]", "<unk>")}
    table = _table(file, tokenizer.get_vocab_size())

    def rows(words: Sequence[str]) -> list[list[int]]:
        return [[part for part in each if part not in unknown] for each in subwords.of(words)]

    digest = sha256(np.ascontiguousarray(table).tobytes() + io.read_bytes(split))
    return table, rows, digest.hexdigest()


def _table(file: Path, words: int) -> Table:
    """The widest table with a row for each subword, scaled if it is in eight bits."""
    onnx = import_extra("onnx", "train", "onnx (to read the encoder's embeddings)")
    if is_packed(file.parent):
        return unpack_rows(dict(read_packed(file.parent))[EMBEDDINGS])
    try:
        graph = onnx.load(str(file)).graph
    except Exception as error:  # protobuf's own kinds
        raise InputError(f"{file}: expected an ONNX network: {error}") from None
    tables = [
        onnx.numpy_helper.to_array(each) for each in _matrices(graph) if each.dims[0] >= words
    ]
    wide = [table for table in tables if table.shape[1] > 1]
    if not wide:
        raise InputError(f"{file}: expected a table of {words} word pieces, found none")
    table = max(wide, key=lambda each: each.shape[1])
    result: Table = table.astype(np.float32)
    if table.dtype != np.int8:
        return result
    scales = [each for each in tables if each.shape == (len(table), 1)]
    if len(scales) != 1:
        raise InputError(f"{file}: expected a scale for each word piece, found {len(scales)}")
    return np.asarray(result * scales[0].astype(np.float32), np.float32)


def _matrices(graph: Any) -> Iterator[Any]:
    """All matrices in a network's file."""
    yield from (tensor for tensor in graph.initializer if len(tensor.dims) == 2)
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value" and len(attribute.t.dims) == 2:
                    yield attribute.t
