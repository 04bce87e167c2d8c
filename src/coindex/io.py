"""The only module that opens files.

Reads UTF-8 text (or what an XML declaration names) line by line, plain or compressed (gzip, bzip2,
xz, and zstd when `zstandard` is installed), recognised by its first bytes; `-` is standard input.
Lines end at `\\n` alone and keep it, so that no character of a text is lost or invented. Writes are
atomic: the target is replaced when everything is written, and stays as it was when anything fails.

Libraries that open a path themselves (SQLite, torch, onnxruntime) read it directly, and write to
the temporary path that `replace_file` gives them. What few files need is imported for them.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, cast

from coindex.errors import FormatError, InputError, import_extra

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_XML = rb"<\?xml[^>]*?encoding=[\"']([A-Za-z0-9._-]+)[\"']"
_SINGLE_BYTE = frozenset(["iso8859-1", "iso8859-15", "cp1252"])
SUFFIXES = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}


def _unpacking_errors() -> tuple[type[Exception], ...]:
    lzma, zlib = import_module("lzma"), import_module("zlib")  # only if something was raised
    return (EOFError, zlib.error, lzma.LZMAError, OSError, RuntimeError)


class Lines:
    """The lines of one input; `position` and `size` are for a progress bar."""

    def __init__(
        self, name: str, raw: IO[bytes], size: int | None, encoding: str | None = None
    ) -> None:
        self.name, self.size, self._raw = name, size, raw
        try:
            content = _unpack(cast(io.BufferedReader, raw), name, encoding)
            self.encoding = encoding or _declared(content) or "utf-8-sig"
        except _unpacking_errors() as error:
            raise InputError(f"{name}: cannot be read: {error}") from error
        self._text = io.TextIOWrapper(content, self.encoding, newline="\n")

    @property
    def position(self) -> int:
        """How many bytes of the file have been read so far."""
        return self._raw.tell() if self.size else 0

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._text
        except UnicodeDecodeError as error:
            line = self._bad_line()
            expected = "UTF-8" if self.encoding.startswith("utf-8") else self.encoding
            actual = f"found the byte 0x{error.object[error.start]:02x}"
            raise FormatError(self.name, line, f"expected {expected} text, {actual}") from error
        except _unpacking_errors() as error:
            raise InputError(f"{self.name}: cannot be unpacked: {error}") from error

    def _bad_line(self) -> int | None:
        """The first line that is not UTF-8; unknown for standard input, which is read once."""
        if self.size is None:
            return None
        with suppress(*_unpacking_errors()), open(self.name, "rb") as raw:
            for number, line in enumerate(_unpack(raw, self.name, self.encoding), 1):
                try:
                    line.decode(self.encoding)
                except UnicodeDecodeError:
                    return number
        return None

    def text(self) -> str:
        """The whole input as one string."""
        return "".join(self)


@contextmanager
def open_lines(path: str | os.PathLike[str], encoding: str | None = None) -> Iterator[Lines]:
    """Open a file, or standard input for `-`, to read its lines; UTF-8 without an `encoding`."""
    with _open_raw(path) as (name, raw, size):
        yield Lines(name, raw, size, encoding)


@contextmanager
def open_unpacked(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The bytes of a file or of standard input, decompressed; and as they are, for their position."""
    with _open_raw(path) as (name, raw, _):
        yield unpacked(cast(io.BufferedReader, raw), name), raw


def unpacked(raw: io.BufferedReader, name: str) -> IO[bytes]:
    """A stream of bytes, decompressed if it is compressed."""
    try:
        return cast(IO[bytes], _unpack(raw, name, "bytes"))
    except _unpacking_errors() as error:
        raise InputError(f"{name}: cannot be read: {error}") from error


@contextmanager
def _open_raw(path: str | os.PathLike[str]) -> Iterator[tuple[str, IO[bytes], int | None]]:
    """The name, the bytes and the size of a file; standard input has no size."""
    name = os.fspath(path)
    if name == "-":
        if getattr(sys.stdin, "coindex_taken", False):
            raise InputError("<stdin>: standard input can be read only once")
        setattr(sys.stdin, "coindex_taken", True)  # noqa: B010 (not an attribute that mypy knows)
        yield "<stdin>", sys.stdin.buffer, None
        return
    try:
        raw = open(name, "rb")  # noqa: SIM115 (closed below; the caller's errors are not caught)
    except IsADirectoryError as error:
        raise InputError(f"{name}: expected a file, found a folder") from error
    except FileNotFoundError as error:
        raise InputError(f"{name}: no such file") from error
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from error
    with raw:
        yield name, raw, os.fstat(raw.fileno()).st_size


def read_text(path: str | os.PathLike[str]) -> str:
    """The whole text of a file."""
    with open_lines(path) as lines:
        return lines.text()


def open_binary(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file to read its bytes as they are; the caller closes it."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read: {error.strerror}") from error


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file as they are; errors of the operating system are not converted."""
    with open(path, "rb") as raw:
        return raw.read()


def package_text(package: str, *names: str) -> str:
    """The text of a data file inside a package of coindex."""
    from importlib.resources import files

    return files(package).joinpath(*names).read_text(encoding="utf-8")


@contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a file that is replaced once everything is written; `-` is standard output."""
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    if not os.path.isdir(os.path.dirname(os.path.realpath(name))):
        raise InputError(f"{name}: no such folder to write in")
    try:
        if os.path.exists(name) and not stat.S_ISREG(os.stat(name).st_mode):
            if os.path.isdir(name):
                raise InputError(f"{name}: expected a file to write, found a folder")
            with open(name, "w", encoding="utf-8", newline="") as stream:
                yield stream
            return
        with _replacing(name) as stream:
            yield stream
    except FileNotFoundError:
        raise  # it concerns an input file of the caller
    except OSError as error:
        raise InputError(f"{name}: cannot be written: {error.strerror}") from error
    except UnicodeEncodeError as error:
        actual = f"half a character (\\u{ord(error.object[error.start]):04x})"
        raise InputError(f"{name}: expected text that UTF-8 can hold, found {actual}") from error


def make_folder(path: Path) -> None:
    """Create a folder and its parents, unless it exists."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(f"{path}: expected a folder, found a file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be made: {error.strerror}") from error


def stem(name: str) -> str:
    """The name of a file without folders, compression and suffix; `stdin` for standard input."""
    from pathlib import Path

    bare = Path(name).name.strip("<>")
    packed = bare.removesuffix(Path(bare).suffix) if Path(bare).suffix in SUFFIXES else bare
    return packed.removesuffix(Path(packed).suffix) or packed or "_"


def file_name(id: str) -> str:
    """An id as the name of a file: no folders, not too long, not hidden."""
    safe = "".join(char if char.isalnum() or char in "-_.," else "_" for char in id)
    return safe.encode("utf-8", "ignore")[:200].decode("utf-8", "ignore").strip(".") or "_"


def write_text(path: str | os.PathLike[str], chunks: Iterable[str]) -> None:
    """Write a file in one atomic step."""
    with open_output(path) as stream:
        stream.writelines(chunks)


def write_bytes(path: str | os.PathLike[str], data: bytes | Iterable[bytes]) -> None:
    """Write a file of bytes, given whole or in chunks, in one atomic step."""
    with replace_file(path) as temporary, open(temporary, "wb") as raw:
        raw.writelines([data] if isinstance(data, bytes) else data)


def copy_file(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Copy a file as it is, in one atomic step."""
    with replace_file(target) as temporary:
        import_module("shutil").copyfile(source, temporary)


def append_lines(path: str | os.PathLike[str], lines: Iterable[str], *, sync: bool = False) -> None:
    """Append lines to a file, which is created if it does not exist.

    An incomplete last line, left by a process that was killed, is terminated first. With `sync` the
    lines are on the disk when this returns. Errors of the operating system are not converted.
    """
    with open(path, "a+b") as raw:
        if raw.tell():
            raw.seek(-1, os.SEEK_END)
            if raw.read(1) != b"\n":
                raw.write(b"\n")
        raw.write("".join(lines).encode())
        if sync:
            raw.flush()
            os.fsync(raw.fileno())


@contextmanager
def replace_file(path: str | os.PathLike[str], *, sync: bool = False) -> Iterator[Path]:
    """A temporary path that replaces `path` when the block ends without an error.

    It is in the same folder, has the same suffix, and is removed after an error. With `sync`
    the file survives a power failure once it has been renamed.
    """
    from pathlib import Path
    from tempfile import mkstemp

    target = Path(path).resolve()
    handle, name = mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=target.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if sync:
            _sync(temporary)
        temporary.chmod(_mode(target))
        temporary.replace(target)
        if sync:
            _sync(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows waits only for files that may be written
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def discard_output() -> None:
    """Discard further standard output: its reader has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _replacing(path: str) -> Iterator[IO[str]]:
    with (
        replace_file(path) as temporary,
        open(temporary, "wb") as raw,
        _packed(raw, os.path.splitext(os.path.realpath(path))[1]) as packed,
    ):
        stream = io.TextIOWrapper(packed, "utf-8", newline="")
        yield stream
        stream.flush()
        stream.detach()


def _mode(path: Path) -> int:
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    os.umask(mask := os.umask(0))
    return 0o666 & ~mask


def _declared(raw: Any) -> str | None:
    """The encoding that an XML declaration names: the only case in which it is not UTF-8."""
    match = re.match(_XML, raw.peek(200)[:200])
    if not match:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
    except LookupError:
        return None
    return None if name in ("utf-8", "ascii") or name not in _SINGLE_BYTE else name


def _unpack(raw: io.BufferedReader, name: str, encoding: str | None = None) -> Any:
    head = raw.peek(6)[:6]
    kind = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)
    if kind == "gz":
        return import_module("gzip").GzipFile(fileobj=raw)
    if kind == "bz2":
        return import_module("bz2").BZ2File(raw)
    if kind == "xz":
        return import_module("lzma").LZMAFile(raw)
    if kind == "zst":
        return io.BufferedReader(_ZstdFile(raw))
    if encoding is None and head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError(name, 1, "expected UTF-8 text, found UTF-16")
    return raw


@contextmanager
def _packed(raw: IO[bytes], suffix: str) -> Iterator[Any]:
    kind = SUFFIXES.get(suffix)
    if kind is None:
        yield raw
        return
    if kind == "gz":  # no time stamp: the same content gives the same bytes
        packed: Any = import_module("gzip").GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
    elif kind == "bz2":
        packed = import_module("bz2").BZ2File(raw, "wb")
    elif kind == "xz":
        packed = import_module("lzma").LZMAFile(raw, "wb")
    else:
        packed = io.BufferedWriter(
            import_extra("zstandard", "zstd").ZstdCompressor().stream_writer(raw, closefd=False)
        )
    try:
        yield packed
    finally:
        packed.close()


class _ZstdFile(io.RawIOBase):
    """Decompresses zstd, frame by frame; a file that ends within a frame is an error."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._new = import_extra("zstandard", "zstd").ZstdDecompressor().decompressobj
        self._frame = self._new()
        self._ready, self._begun = b"", False

    def readable(self) -> bool:
        """Always true."""
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


def check_writable(path: str | Path) -> None:
    """An error if a file cannot be written, before any work goes into it."""
    folder, name = os.path.split(os.path.abspath(path))
    if os.path.isdir(path):
        raise InputError(f"{path}: expected a file to write, found a folder")
    if not os.path.isdir(folder):
        raise InputError(f"{path}: no such folder to write in")
    try:
        import_module("tempfile").NamedTemporaryFile(dir=folder, prefix=f".{name}.").close()
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
