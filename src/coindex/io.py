"""The only place that opens files.

Reads UTF-8 text (or what an XML declaration names) line by line, plain or
compressed (gzip, bzip2, xz, and zstd when `zstandard` is installed), recognised
by its first bytes; `-` is standard input. Lines end at `\\n` alone and keep it, so that no character of a text is
lost or invented. Writes are atomic: the target is replaced when all is written,
and untouched when anything failed.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from coindex.errors import FormatError, InputError, MissingExtra

_BROKEN = (EOFError, zlib.error, lzma.LZMAError, OSError, RuntimeError)
_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_XML = re.compile(rb"<\?xml[^>]*?encoding=[\"']([A-Za-z0-9._-]+)[\"']")
_SINGLE_BYTE = frozenset(["iso8859-1", "iso8859-15", "cp1252"])
_SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}


class Lines:
    """The lines of one input; `position` and `size` are for a progress bar."""

    def __init__(self, name: str, raw: IO[bytes], size: int | None) -> None:
        self.name = name
        self.size = size
        self._raw = raw
        buffered = cast(io.BufferedReader, raw)
        try:
            unpacked = _unpack(buffered, name)
            self.encoding = _declared(unpacked) or "utf-8-sig"
        except _BROKEN as error:
            raise InputError(f"{name}: cannot be read: {error}") from error
        self._text = io.TextIOWrapper(unpacked, self.encoding, newline="\n")

    @property
    def position(self) -> int:
        """How many bytes of the file have been taken so far."""
        return self._raw.tell() if self.size else 0

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._text
        except UnicodeDecodeError as error:
            line = self._bad_line()
            found = f"found the byte 0x{error.object[error.start]:02x}"
            raise FormatError(self.name, line, f"expected UTF-8 text, {found}") from error
        except _BROKEN as error:
            raise InputError(f"{self.name}: cannot be unpacked: {error}") from error

    def _bad_line(self) -> int | None:
        """The first line that is not UTF-8; unknown for standard input, which is read once."""
        if self.size is None:
            return None
        with suppress(*_BROKEN), open(self.name, "rb") as raw:
            for number, line in enumerate(_unpack(raw, self.name), 1):
                try:
                    line.decode(self.encoding)
                except UnicodeDecodeError:
                    return number
        return None

    def text(self) -> str:
        """All of it at once."""
        return "".join(self)


@contextmanager
def open_lines(path: str | os.PathLike[str]) -> Iterator[Lines]:
    """Open a file, or standard input for `-`, to read its lines."""
    name = os.fspath(path)
    if name == "-":
        if getattr(sys.stdin, "coindex_taken", False):
            raise InputError("<stdin>: standard input can be read only once")
        setattr(sys.stdin, "coindex_taken", True)  # noqa: B010 (a mark of ours on it)
        yield Lines("<stdin>", sys.stdin.buffer, None)
        return
    try:
        raw = open(name, "rb")  # noqa: SIM115 (closed below; errors of the caller are not ours)
    except IsADirectoryError as error:
        raise InputError(f"{name}: expected a file, found a folder") from error
    except FileNotFoundError as error:
        raise InputError(f"{name}: no such file") from error
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from error
    with raw:
        yield Lines(name, raw, os.fstat(raw.fileno()).st_size)


def read_text(path: str | os.PathLike[str]) -> str:
    """The whole text of a file."""
    with open_lines(path) as lines:
        return lines.text()


@contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a file to be replaced when all is written; `-` is standard output."""
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    if not Path(name).resolve().parent.is_dir():
        raise InputError(f"{name}: no such folder to write in")
    try:
        if os.path.exists(name) and not stat.S_ISREG(os.stat(name).st_mode):
            if os.path.isdir(name):
                raise InputError(f"{name}: expected a file to write, found a folder")
            with open(name, "w", encoding="utf-8", newline="") as stream:
                yield stream
            return
        with _replacing(Path(name)) as stream:
            yield stream
    except FileNotFoundError:
        raise  # another file's, that what is written is made from
    except OSError as error:
        raise InputError(f"{name}: cannot be written: {error.strerror}") from error
    except UnicodeEncodeError as error:
        found = f"half a character (\\u{ord(error.object[error.start]):04x})"
        raise InputError(f"{name}: expected text that UTF-8 can hold, found {found}") from error


def make_folder(path: Path) -> None:
    """Make a folder, with those above it, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(f"{path}: expected a folder, found a file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be made: {error.strerror}") from error


def stem(name: str) -> str:
    """The name of a file without folders, compression and ending; `stdin` for that."""
    bare = Path(name).name.strip("<>")
    packed = bare.removesuffix(Path(bare).suffix) if Path(bare).suffix in _SUFFIXES else bare
    return packed.removesuffix(Path(packed).suffix) or packed or "_"


def write_text(path: str | os.PathLike[str], chunks: Iterable[str]) -> None:
    """Write a file in one atomic step."""
    with open_output(path) as stream:
        stream.writelines(chunks)


@contextmanager
def _replacing(path: Path) -> Iterator[IO[str]]:
    path = path.resolve()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as raw, _packed(raw, path.suffix) as packed:
            stream = io.TextIOWrapper(packed, "utf-8", newline="")
            yield stream
            stream.flush()
            stream.detach()
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: Path) -> int:
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _declared(raw: Any) -> str | None:
    """The encoding that an XML declaration names: the one case where it is not UTF-8."""
    match = _XML.match(raw.peek(200)[:200])
    if not match:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
    except LookupError:
        return None
    return None if name in ("utf-8", "ascii") or name not in _SINGLE_BYTE else name


def _unpack(raw: io.BufferedReader, name: str) -> Any:
    head = raw.peek(6)[:6]
    kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    if kind == "gz":
        return gzip.GzipFile(fileobj=raw)
    if kind == "bz2":
        return bz2.BZ2File(raw)
    if kind == "xz":
        return lzma.LZMAFile(raw)
    if kind == "zst":
        return io.BufferedReader(_ZstdFile(raw))
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError(name, 1, "expected UTF-8 text, found UTF-16")
    return raw


@contextmanager
def _packed(raw: IO[bytes], suffix: str) -> Iterator[Any]:
    kind = _SUFFIXES.get(suffix)
    if kind is None:
        yield raw
        return
    if kind == "gz":  # no time stamp: the same content gives the same bytes
        packed: Any = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
    elif kind == "bz2":
        packed = bz2.BZ2File(raw, "wb")
    elif kind == "xz":
        packed = lzma.LZMAFile(raw, "wb")  # noqa: SIM115 (closed below)
    else:
        packed = io.BufferedWriter(_zstandard().ZstdCompressor().stream_writer(raw, closefd=False))
    try:
        yield packed
    finally:
        packed.close()


class _ZstdFile(io.RawIOBase):
    """Unpacks zstd, frame by frame; a file that ends within a frame is an error."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._new = _zstandard().ZstdDecompressor().decompressobj
        self._frame = self._new()
        self._ready = b""
        self._begun = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end."""
        while not self._ready:
            packed = (self._frame.unused_data if self._frame.eof else b"") or self._raw.read(65536)
            if not packed:
                if self._begun and not self._frame.eof:
                    raise EOFError("the file ends before its last frame does")
                return 0
            if self._frame.eof:
                self._frame = self._new()
            self._begun = True
            self._ready = self._frame.decompress(packed)
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra("zstandard", "zstd") from error
    return zstandard
