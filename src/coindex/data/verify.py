"""Is a file the one that is meant? Its size first, which is quick, then its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from coindex.data.catalogue import File
from coindex.errors import InputError

Watch = Callable[[int], None]

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is not as the catalogue says."""

    path: Path
    expected: str
    found: str

    @property
    def what(self) -> str:
        """What was expected and what was found."""
        return f"expected {self.expected}, found {self.found}"

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def sha256(path: Path, watch: Watch | None = None) -> str:
    """The checksum of a file; `watch` is told how many bytes have been read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                if watch is not None:
                    watch(file.tell())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def fault(path: Path, file: File, watch: Watch | None = None) -> Fault | None:
    """What is wrong with the copy of a file at `path`; None if nothing is."""
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        return Fault(path, f"a file of {file.bytes} bytes", found)
    size = path.stat().st_size
    if size != file.bytes:
        return Fault(path, f"{file.bytes} bytes", f"{size} bytes")
    found = sha256(path, watch)
    if found != file.sha256:
        return Fault(path, f"sha256 {file.sha256}", f"sha256 {found}")
    return None


def faults(places: Iterable[tuple[File, Path]], watch: Watch | None = None) -> list[Fault]:
    """What is wrong with any of these files; `watch` is told how many bytes are done."""
    wrong = []
    done = 0
    for file, path in places:
        each = fault(path, file, watch and offset(watch, done))
        done += file.bytes
        if each is not None:
            wrong.append(each)
    return wrong


def offset(watch: Watch, start: int) -> Watch:
    """A watch for one file of several, which starts after so many bytes."""
    return lambda position: watch(start + position)
