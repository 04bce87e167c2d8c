"""The tensors inside an ONNX file, and where their bytes lie; numpy alone.

Another network beside the file can point at those bytes instead of holding them again
(`share`), and the encoder can be had as floating point without the package onnx
(`unpacked`). Of protobuf's format only what is needed is read: a message is a row of
fields, each a number and a kind, and those with a length can be stepped over.

    model  7: graph      graph  5: tensors
    tensor 1: sizes, 2: type, 8: name, 9: bytes
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError

TYPES: dict[int, type[np.generic]] = {
    1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 10: np.float16,
}  # fmt: skip
"""The types of tensors that our networks have, by ONNX's numbers."""
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor: its values, and where its bytes lie in the file."""

    name: str
    values: NDArray[Any]
    offset: int
    length: int


def stored(file: Path) -> dict[str, Stored]:
    """The tensors of an ONNX file by their names; those that lie elsewhere are left out."""
    try:
        data = file.read_bytes()
        found = [_tensor(data, *place) for place in _tensors(data)]
    except (OSError, IndexError, KeyError, ValueError) as error:
        raise InputError(f"{file}: expected an ONNX network: {error}") from None
    return {each.name: each for each in found if each is not None}


def _tensors(data: bytes) -> Iterator[tuple[int, int]]:
    for number, _, start, end in _fields(data, 0, len(data)):
        if number == 7:
            for inner, _, first, last in _fields(data, start, end):
                if inner == 5:
                    yield first, last


def _tensor(data: bytes, start: int, end: int) -> Stored | None:
    sizes: list[int] = []
    name, kind, place = "", 0, (0, 0)
    for number, wire, first, last in _fields(data, start, end):
        if number == 1 and wire == _VARINT:
            sizes.append(_varint(data, first)[0])
        elif number == 1:  # several sizes in one field
            while first < last:
                size, first = _varint(data, first)
                sizes.append(size)
        elif number == 2:
            kind = _varint(data, first)[0]
        elif number == 8:
            name = data[first:last].decode("utf-8")
        elif number == 9:
            place = first, last
    if place == (0, 0):
        return None
    values = np.frombuffer(data[slice(*place)], TYPES[kind]).reshape(sizes)
    return Stored(name, values, place[0], place[1] - place[0])


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, kind, start and end of each field of the message between two places."""
    while at < end:
        key, at = _varint(data, at)
        wire, start = key & 7, at
        if wire == _VARINT:
            at = _varint(data, at)[1]
        elif wire in (_EIGHT, _FOUR):
            at += 8 if wire == _EIGHT else 4
        elif wire == _BYTES:
            length, start = _varint(data, at)
            at = start + length
        else:
            raise ValueError(f"a field of kind {wire} at byte {start}")
        if at > end:
            raise ValueError(f"a field that ends at byte {at}, beyond its message's {end}")
        yield key >> 3, wire, start, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
