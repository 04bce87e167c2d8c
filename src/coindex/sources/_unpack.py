"""The bytes of a file, block by block, unpacked on the way: the one place that opens files here.

`coindex.io` gives whole files as lines of text and stops at what is broken. A shard
needs part of a file, the place of each byte, and whatever can be read around a damage.
So what cannot be unpacked comes as a `Broken` among the blocks. A bzip2 file is then
searched for its next stream; the other kinds end there.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from coindex.errors import InputError, MissingExtra

CHUNK = 4096
"""How many packed bytes are unpacked at a time: the borders of packed shards fall here."""

_PLAIN = 1 << 16
_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_WINDOW = 1 << 31  # Reddit's dumps are packed with `zstd --long=31`


class Block(NamedTuple):
    """Bytes of a file.

    raw     where, in the file itself, the piece begins that they were unpacked from
    stream  where, in the file itself, their bzip2 stream begins; 0 unless streams are counted
    offset  how many unpacked bytes are before them, in the stream if those are counted
    """

    raw: int
    stream: int
    offset: int
    data: bytes


class Broken(NamedTuple):
    """A place that could not be unpacked; the fields as in `Block`."""

    raw: int
    stream: int
    offset: int
    reason: str


def packed(path: str) -> str | None:
    """How a file is packed: by its first bytes, or by its name where those say nothing."""
    with opened(path) as raw:
        head = raw.read(6)
    found = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    return found or _SUFFIXES.get(Path(path).suffix.lower())


def opened(path: str) -> IO[bytes]:
    """A file to be read as bytes."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def head(path: str, size: int = 8192) -> bytes:
    """The first unpacked bytes, as many as can be read."""
    taken = b""
    for event in blocks(path):
        if isinstance(event, Broken):
            break
        taken += event.data
        if len(taken) >= size:
            break
    return taken[:size]


def blocks(path: str, start: int = 0) -> Iterator[Block | Broken]:
    """All of a file; of a plain one what follows `start`, and the byte before it."""
    kind = packed(path)
    with opened(path) as raw:
        if kind:
            yield from _Unpacking(kind).run(raw)
            return
        at = max(start - 1, 0)
        raw.seek(at)
        data = raw.read(1 if start else _PLAIN)
        while data:
            yield Block(at, 0, at, data)
            at += len(data)
            data = raw.read(_PLAIN)


def streams(path: str, start: int, end: int | None) -> Iterator[Block | Broken]:
    """The bzip2 streams between two bytes of a file, which are where streams begin."""
    with opened(path) as raw:
        raw.seek(start)
        yield from _Unpacking("bz2", start, end, counted=True).run(raw)


class _Unpacking:
    """Unpacks stream after stream."""

    def __init__(
        self, kind: str, start: int = 0, end: int | None = None, counted: bool = False
    ) -> None:
        self._kind, self._start, self._end, self._counted = kind, start, end, counted
        self._new, self._errors = _machine(kind)
        self._machine: Any = None
        self._lost: bytes | None = None
        self._stream = start if counted else 0
        self._offset = 0

    def run(self, raw: IO[bytes]) -> Iterator[Block | Broken]:
        at = self._start
        while data := raw.read(CHUNK if self._end is None else min(CHUNK, self._end - at)):
            try:
                yield from self._take(at, data)
            except EOFError:
                return
            at += len(data)
        if at == self._start:
            yield self._broken(at, f"expected {self._kind}, found nothing")
        elif self._machine is not None:
            yield self._broken(at, f"the file ends within its {self._kind} data")

    def _take(self, at: int, data: bytes) -> Iterator[Block | Broken]:
        end = at + len(data)
        while data := self._found(data):
            if self._machine is None:
                self._begin(end - len(data))
            try:
                out = self._machine.decompress(data)
            except self._errors as error:
                yield self._broken(at, f"cannot be unpacked as {self._kind}: {error}")
                self._machine = None
                if self._kind != "bz2":
                    raise EOFError from error
                self._lost, data = b"", data[1:]
                continue
            if out:
                yield Block(at, self._stream, self._offset, out)
                self._offset += len(out)
            data = b""
            if self._machine.eof:
                data, self._machine = self._machine.unused_data, None

    def _begin(self, at: int) -> None:
        self._machine = self._new()
        if self._counted:
            self._stream, self._offset = at, 0

    def _found(self, data: bytes) -> bytes:
        """What is left to unpack: after a damage, from the next stream on."""
        if self._lost is None:
            return data if self._machine else data.lstrip(b"\0")  # streams may be padded
        seen = self._lost + data
        match = _STREAM.search(seen)
        if match:
            self._lost = None
            return seen[match.start() :]
        self._lost = seen[-9:]
        return b""

    def _broken(self, at: int, reason: str) -> Broken:
        return Broken(at, self._stream, self._offset, reason)


def _machine(kind: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """What makes a decompressor, and the errors it raises."""
    if kind == "gz":
        return lambda: zlib.decompressobj(31), (zlib.error,)
    if kind == "bz2":
        return bz2.BZ2Decompressor, (OSError, ValueError)
    if kind == "xz":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), (lzma.LZMAError,)
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra("zstandard", "build") from error
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    return unpacker.decompressobj, (zstandard.ZstdError,)
