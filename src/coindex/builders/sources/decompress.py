"""The decompressed bytes of a file, block by block.

`coindex.io` reads whole files as lines of text and stops at damaged data. A shard needs part of
a file, the offset of each byte, and everything that can be read before and after damage. So
data that cannot be decompressed is reported as a `DamagedBlock` among the blocks. A bzip2 file
is then searched for its next stream; files of other kinds end there.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from coindex import io
from coindex.errors import import_extra

CHUNK = 4096
"""How many compressed bytes are read at a time: boundaries of shards are multiples of this."""

_PLAIN = 1 << 16
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_WINDOW = 1 << 31  # Reddit's dumps are packed with `zstd --long=31`


class Block(NamedTuple):
    """Decompressed bytes of a file.

    raw     offset in the file of the compressed data that they come from
    stream  offset in the file of their bzip2 stream; 0 unless streams are counted
    offset  number of decompressed bytes before them, in the stream if streams are counted
    """

    raw: int
    stream: int
    offset: int
    data: bytes


class DamagedBlock(NamedTuple):
    """Data that could not be decompressed; the fields as in `Block`."""

    raw: int
    stream: int
    offset: int
    reason: str


def compression(path: str) -> str | None:
    """How a file is compressed, by its first bytes or else by its name; None if it is not."""
    with io.open_binary(path) as raw:
        head = raw.read(6)
    by_magic = next((kind for magic, kind in io.MAGIC.items() if head.startswith(magic)), None)
    return by_magic or io.SUFFIXES.get(Path(path).suffix.lower())


def read_head(path: str, size: int = 8192) -> bytes:
    """The first `size` decompressed bytes, or as many as can be read."""
    data = b""
    for event in read_blocks(path):
        if isinstance(event, DamagedBlock):
            break
        data += event.data
        if len(data) >= size:
            break
    return data[:size]


def read_blocks(path: str, start: int = 0) -> Iterator[Block | DamagedBlock]:
    """All of a compressed file; of any other what follows `start`, and the byte before it."""
    kind = compression(path)
    with io.open_binary(path) as raw:
        if kind:
            yield from _Decompressor(kind).run(raw)
            return
        at = max(start - 1, 0)
        raw.seek(at)
        data = raw.read(1 if start else _PLAIN)
        while data:
            yield Block(at, 0, at, data)
            at += len(data)
            data = raw.read(_PLAIN)


def read_bz2_streams(path: str, start: int, end: int | None) -> Iterator[Block | DamagedBlock]:
    """The bzip2 streams between two offsets of a file at which streams begin."""
    with io.open_binary(path) as raw:
        raw.seek(start)
        yield from _Decompressor("bz2", start, end, counted=True).run(raw)


class _Decompressor:
    """Decompresses one stream after the other."""

    def __init__(
        self, kind: str, start: int = 0, end: int | None = None, counted: bool = False
    ) -> None:
        self._kind, self._start, self._end, self._counted = kind, start, end, counted
        self._new, self._errors = _factory(kind)
        self._stream_decompressor: Any = None
        self._lost: bytes | None = None
        self._stream = start if counted else 0
        self._offset = 0

    def run(self, raw: IO[bytes]) -> Iterator[Block | DamagedBlock]:
        at = self._start
        while data := raw.read(CHUNK if self._end is None else min(CHUNK, self._end - at)):
            try:
                yield from self._take(at, data)
            except EOFError:
                return
            at += len(data)
        if at == self._start:
            yield self._damaged(at, f"expected {self._kind}, found nothing")
        elif self._stream_decompressor is not None:
            yield self._damaged(at, f"the file ends within its {self._kind} data")

    def _take(self, at: int, data: bytes) -> Iterator[Block | DamagedBlock]:
        end = at + len(data)
        while data := self._remaining(data):
            if self._stream_decompressor is None:
                self._begin(end - len(data))
            try:
                out = self._stream_decompressor.decompress(data)
            except self._errors as error:
                yield self._damaged(at, f"cannot be unpacked as {self._kind}: {error}")
                self._stream_decompressor = None
                if self._kind != "bz2":
                    raise EOFError from error
                self._lost, data = b"", data[1:]
                continue
            if out:
                yield Block(at, self._stream, self._offset, out)
                self._offset += len(out)
            data = b""
            if self._stream_decompressor.eof:
                data, self._stream_decompressor = self._stream_decompressor.unused_data, None

    def _begin(self, at: int) -> None:
        self._stream_decompressor = self._new()
        if self._counted:
            self._stream, self._offset = at, 0

    def _remaining(self, data: bytes) -> bytes:
        """The data still to be decompressed: after damage, from the next stream on."""
        if self._lost is None:
            return (
                data if self._stream_decompressor else data.lstrip(b"\0")
            )  # streams may be padded
        seen = self._lost + data
        match = _STREAM.search(seen)
        if match:
            self._lost = None
            return seen[match.start() :]
        self._lost = seen[-9:]
        return b""

    def _damaged(self, at: int, reason: str) -> DamagedBlock:
        return DamagedBlock(at, self._stream, self._offset, reason)


def _factory(kind: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """A function that makes a decompressor, and the errors that it raises."""
    if kind == "gz":
        return lambda: zlib.decompressobj(31), (zlib.error,)
    if kind == "bz2":
        return bz2.BZ2Decompressor, (OSError, ValueError)
    if kind == "xz":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), (lzma.LZMAError,)
    zstandard = import_extra("zstandard", "build")
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    return decompressor.decompressobj, (zstandard.ZstdError,)
