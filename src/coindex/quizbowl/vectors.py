"""Word vectors for the cosine features: any text file of them, or the shipped encoder's own.

A text file has a word and its numbers on each line, by spaces (GloVe, fastText,
word2vec's text format with its header line). A source is named by a path, by a
corpus of the registry, or `encoder`: the input embeddings of the neural model in
`models/default`, a word being the mean of its pieces. Where there is no such model, or
no `onnx` to read it with, there are no vectors and no cosine feature; a model's file
says which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from coindex import data, io
from coindex.errors import FormatError, InputError, MissingExtra
from coindex.quizbowl.ground import Floats

ENCODER = "encoder"
NONE = "none"
SHIPPED = Path(__file__).parent.parent / "models" / "default"


@dataclass(frozen=True, slots=True)
class Facts:
    """Which vectors a model was trained with; they must be there when it is used."""

    source: str
    sha256: str
    size: int

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"source": self.source, "sha256": self.sha256, "size": self.size}


@dataclass(frozen=True, slots=True)
class Vectors:
    """Words with their vectors; words that are not known are zeros."""

    facts: Facts
    table: Floats
    places: dict[str, int]
    pieces: Any = None
    _known: dict[str, Floats] = field(default_factory=dict)

    def lookup(self, words: Sequence[str]) -> Floats:
        """One row for each word (given in small letters)."""
        rows = [self._row(word) for word in words]
        return np.stack(rows) if rows else np.zeros((0, self.facts.size))

    def _row(self, word: str) -> Floats:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._make(word)
        return found

    def _make(self, word: str) -> Floats:
        if self.pieces is None:
            at = self.places.get(word)
            return np.zeros(self.facts.size) if at is None else self.table[at]
        ids = self.pieces.encode(word, add_special_tokens=False).ids
        return self.table[ids].mean(axis=0) if ids else np.zeros(self.facts.size)


def load(source: str) -> Vectors | None:
    """The vectors of a source; None for `none`, and for `encoder` where it cannot be read."""
    if source == NONE:
        return None
    if source == ENCODER:
        readable = (SHIPPED / "encoder.onnx").is_file() and find_spec("onnx") is not None
        return _encoder(SHIPPED) if readable else None
    path = Path(source).expanduser()
    if path.is_dir():
        if not (path / "encoder.onnx").is_file():
            raise InputError(f"{path}: expected a model with encoder.onnx, found none")
        return _encoder(path)
    if not path.is_file():
        if source not in data.names():
            raise InputError(
                f"{source}: expected a file of vectors, the folder of a model, encoder, none"
                " or a corpus of the registry, found none of them"
            )
        path = data.path(source)
    return read(path, source)


def read(path: Path, source: str | None = None) -> Vectors:
    """The vectors of a text file."""
    places: dict[str, int] = {}
    rows: list[Floats] = []
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
            try:
                row = np.array(values, np.float64)
            except ValueError:
                raise FormatError(str(path), number, "expected numbers after the word") from None
            if places.setdefault(word.lower(), len(rows)) == len(rows):
                rows.append(row)
    if not rows:
        raise FormatError(str(path), None, "expected vectors, found none")
    digest = sha256(path.read_bytes()).hexdigest()
    return Vectors(Facts(source or str(path), digest, size), np.stack(rows), places)


def _encoder(folder: Path) -> Vectors:
    """The input embeddings of an exported model."""
    file = folder / "encoder.onnx"
    try:
        import onnx
    except ImportError:
        raise MissingExtra("onnx (to read the encoder's embeddings)", "train") from None
    from tokenizers import Tokenizer

    pieces = Tokenizer.from_file(str(folder / "tokenizer.json"))
    table = _embeddings(onnx, file, pieces.get_vocab_size())
    source = ENCODER if folder == SHIPPED else str(folder)
    digest = sha256(np.ascontiguousarray(table, np.float32).tobytes()).hexdigest()
    return Vectors(Facts(source, digest, table.shape[1]), table, {}, pieces)


def _embeddings(onnx: Any, file: Path, words: int) -> Floats:
    """The widest table with a row for each word piece, scaled where it is in eight bits."""
    from onnx import numpy_helper

    graph = onnx.load(str(file)).graph
    held = [tensor for tensor in graph.initializer if len(tensor.dims) == 2]
    held += [
        attribute.t
        for node in graph.node
        if node.op_type == "Constant"
        for attribute in node.attribute
        if attribute.name == "value" and len(attribute.t.dims) == 2
    ]
    tables = [numpy_helper.to_array(each) for each in held if each.dims[0] >= words]
    wide = [table for table in tables if table.shape[1] > 1]
    if not wide:
        raise InputError(f"{file}: expected a table of {words} word pieces, found none")
    table = max(wide, key=lambda each: each.shape[1])
    if table.dtype != np.int8:
        return np.asarray(table, np.float64)
    scales = [each for each in tables if each.shape == (table.shape[0], 1)]
    scale = scales[0] if scales else np.ones((table.shape[0], 1))
    return np.asarray(table, np.float64) * scale
