"""Word vectors for the cosine features: any text file of them, or the shipped encoder's own.

A text file has a word and its numbers on each line, by spaces (GloVe, fastText,
word2vec's text format with its header line). A source is named by a path, by a
corpus of the registry, or `encoder`: the input embeddings of the neural model in
`models/default`, a word being the mean of its pieces (see `embeddings`). Where that
model cannot be read there are no vectors and no cosine feature: `lacking` says why,
and a model's file says which it was.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coindex import data, io
from coindex.errors import FormatError, InputError
from coindex.quizbowl import embeddings
from coindex.quizbowl.ground import Meaning

ENCODER = "encoder"
NONE = "none"
SHIPPED = Path(__file__).parent.parent / "models" / "default"

Rows = Callable[[Sequence[str]], list[list[int]]]
"""Words in; for each the rows of the table whose mean it is, none for a word not known."""


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
    """A table of vectors, and which of its rows words stand on."""

    facts: Facts
    table: NDArray[np.float32]
    rows: Rows

    def lookup(self, words: Sequence[str]) -> Meaning:
        """The vectors of words (given in small letters); zeros for those not known.

        Rows of the table are named, not copied: a document then takes no more memory than
        its words do, whatever the length of vectors.
        """
        found = self.rows(words)
        sizes = [len(each) for each in found]
        ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        columns = np.array([row for each in found for row in each], np.int64)
        shares = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        shape = len(words), len(self.table)
        return Meaning(sparse.csr_matrix((shares, columns, ends), shape), self.table)


def lacking(source: str) -> str | None:
    """Why a source gives no vectors, if it gives none."""
    if source == NONE:
        return "none are wanted"
    if source == ENCODER and not (SHIPPED / "encoder.onnx").is_file():
        return "no neural model is shipped with this version"
    if source == ENCODER and find_spec("onnx") is None:
        return "no onnx to read the shipped model with (pip install 'coindex[train]')"
    return None


def load(source: str) -> Vectors | None:
    """The vectors of a source; None for `none`, and for `encoder` where it cannot be read."""
    if lacking(source):
        return None
    if source == ENCODER:
        return _encoder(SHIPPED, source)
    path = Path(source).expanduser()
    if path.is_dir():
        return _encoder(path, source)
    if not path.is_file():
        if source not in data.names():
            raise InputError(
                f"{source}: expected a file of vectors, the folder of a model, encoder, none"
                " or a corpus of the registry, found none of them"
            )
        path = data.path(source)
    return read(path, source)


def read(path: Path, source: str | None = None) -> Vectors:
    """The vectors of a text file; of a word's spellings (`It`, `it`) the first is taken."""
    places: dict[str, int] = {}
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
            if places.setdefault(word.lower(), len(places)) < len(numbers) // size:
                continue
            try:
                numbers.extend(map(float, values))
            except ValueError:
                raise FormatError(str(path), number, "expected numbers after the word") from None
    table = np.frombuffer(numbers, np.float32).reshape(len(places), size or 1)
    if not places or not np.isfinite(table).all():
        what = "endless ones, or none at all" if places else "none"
        raise FormatError(str(path), None, f"expected vectors of numbers, found {what}")
    digest = sha256(path.read_bytes()).hexdigest()

    def rows(words: Sequence[str]) -> list[list[int]]:
        found = (places.get(word) for word in words)
        return [[] if place is None else [place] for place in found]

    return Vectors(Facts(source or str(path), digest, size), table, rows)


def _encoder(folder: Path, source: str) -> Vectors:
    """The input embeddings of an exported model."""
    table, rows, digest = embeddings.read(folder)
    return Vectors(Facts(source, digest, table.shape[1]), table, rows)
