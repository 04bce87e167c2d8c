"""An encoder's weights in files of packed blocks, beside a network that computes in eight bits.

    encoder.json      which matrix is where, and the checksums of the files below
    encoder-1.bin ... blocks of four to six bits (`block_packing`), at most 48 MB each
    encoder.onnx      the network; the packed matrices are external tensors without bytes

At loading the matrices are unpacked, rounded to eight bits as in training's export (see
`quantization`), and given to ONNX Runtime in place of the external tensors. So the network is as
fast as one that is stored in eight bits; only its files are smaller. Networks that share the
encoder (pronoun model, parser) get the same arrays.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex import io
from coindex.errors import InputError
from coindex.models.common.artifact import check_file, digest_of, read_json, write_json
from coindex.models.common.block_packing import PackedRows, packed_size, unpack_rows
from coindex.models.common.integer_rounding import column_blocks, round_columns, round_rows

INDEX = "encoder.json"
FORMAT = 1
MAX_BYTES = 48_000_000
"""The most bytes of one file."""
EMBEDDINGS = "embeddings.word_embeddings.weight"
EMBEDDING_ROWS = "encoder.embeddings.word_embeddings.rows"

Integers = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PackedPlace:
    """Where a packed matrix is: its name in transformers, its shape (out, in), file and offset."""

    name: str
    rows: int
    columns: int
    bits: int
    file: str
    offset: int

    @property
    def length(self) -> int:
        """How many bytes it has."""
        return packed_size(self.rows, self.columns, self.bits)


def is_packed(folder: Path) -> bool:
    """Whether a folder's encoder is packed."""
    return (folder / INDEX).is_file()


def packed_files(folder: Path) -> tuple[str, ...]:
    """The names of the index and of the files that it lists; none if nothing is packed."""
    if not is_packed(folder):
        return ()
    return (INDEX, *_index(folder)["files"])


def write_packed(out: Path, matrices: Mapping[str, PackedRows]) -> dict[str, PackedPlace]:
    """Write matrices into as few files as they fit, and the index."""
    places: dict[str, PackedPlace] = {}
    parts: list[list[bytes]] = [[]]
    for name, matrix in matrices.items():
        used = sum(map(len, parts[-1]))
        if parts[-1] and used + len(matrix.data) > MAX_BYTES:
            parts.append([])
            used = 0
        file = f"encoder-{len(parts)}.bin"
        shape = matrix.rows, matrix.columns, matrix.bits
        places[name] = PackedPlace(name, *shape, file, used)
        parts[-1].append(matrix.data)
    files = {}
    for number, part in enumerate(parts, 1):
        data = b"".join(part)
        io.write_bytes(out / f"encoder-{number}.bin", data)
        files[f"encoder-{number}.bin"] = digest_of(data)
    rows = [asdict(place) for place in places.values()]
    write_json(out / INDEX, {"format": FORMAT, "files": files, "tensors": rows})
    return places


def remove_packed(folder: Path) -> None:
    """Remove the packed weights of an earlier export."""
    for name in packed_files(folder):
        (folder / name).unlink(missing_ok=True)


def _index(folder: Path) -> dict[str, Any]:
    index = read_json(folder / INDEX)
    if index.get("format") != FORMAT:
        raise InputError(
            f"{folder / INDEX}: expected packed weights of format {FORMAT},"
            f" found {index.get('format')!r}"
        )
    return index


def read_places(folder: Path) -> dict[str, PackedPlace]:
    """The packed matrices of a folder by their names."""
    return {row["name"]: PackedPlace(**row) for row in _index(folder)["tensors"]}


def read_packed(folder: Path) -> Iterator[tuple[str, PackedRows]]:
    """The packed matrices of a folder; files are checked before they are read."""
    for name, expected in _index(folder)["files"].items():
        check_file(folder / name, expected)
        data = io.read_bytes(folder / name)
        for place in read_places(folder).values():
            if place.file == name:
                part = data[place.offset : place.offset + place.length]
                yield place.name, PackedRows(place.rows, place.columns, place.bits, part)


def tensor_names(folder: Path) -> dict[str, PackedPlace]:
    """The ONNX tensors that are packed, by their names, with where they are."""
    return {
        tensor: place
        for place in read_places(folder).values()
        for tensor in _tensors_of(place.name, place.columns)
    }


def integer_tensors(folder: Path, names: Collection[str] | None = None) -> dict[str, Integers]:
    """The packed tensors in eight bits by their ONNX names: all of a folder, or some of them."""
    tensors: dict[str, Integers] = {}
    for name, packed in read_packed(folder) if is_packed(folder) else ():
        wanted = _tensors_of(name, packed.columns)
        if names is not None and not set(wanted) & set(names):
            continue
        matrix = unpack_rows(packed)
        if name == EMBEDDINGS:
            tensors[EMBEDDING_ROWS] = round_rows(matrix)[0]
            continue
        blocks = column_blocks(np.ascontiguousarray(matrix.T))
        rounded = (round_columns(block)[0] for block in blocks)
        tensors.update(zip(wanted, rounded, strict=True))
    return tensors


def shared_tensors(folder: Path, metadata: Mapping[str, Any]) -> dict[str, Integers]:
    """The packed tensors of the encoder that a network shares, as its metadata lists them."""
    packed = metadata.get("packed")
    if not packed:
        return {}
    check_file(folder / INDEX, packed["index"])
    return integer_tensors(folder, packed["tensors"])


def _tensors_of(name: str, columns: int) -> list[str]:
    """The ONNX names of the integers of a matrix, one for each block of rows."""
    if name == EMBEDDINGS:
        return [EMBEDDING_ROWS]
    path = re.sub(r"\.(?!\d)", "/", name.removesuffix(".weight"))
    count = len(column_blocks(np.empty((columns, 0), np.float32)))
    return [f"int8//encoder/{path}/MatMul_output_0/{number}/matrix" for number in range(count)]
