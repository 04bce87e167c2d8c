"""The files in zip and tar archives, one after the other; nothing is unpacked to the disk."""

from __future__ import annotations

import io as standard_io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, Any

from coindex import io
from coindex.batch.inputs import matches
from coindex.errors import InputError

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)

DAMAGED = (zipfile.BadZipFile, tarfile.TarError)
"""What reading the content of a damaged file raises, beside the errors of its compression."""

Member = tuple[str, standard_io.BufferedReader | str]
"""The path of a file in an archive with its content, or with the reason why it has none.

The content is read before the next file is asked for, and unpacked as it is read: it may be large.
"""


class _MemberBytes(standard_io.RawIOBase):
    """The content of a file in an archive; that of a tar archive that is a stream cannot be asked
    whether it is seekable."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._content.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def members(path: str, kind: str, stream: IO[bytes], patterns: Sequence[str]) -> Iterator[Member]:
    """The files of an archive that match one of the patterns, in the order of the archive.

    stream   the bytes of the archive, decompressed, for tar
    """
    return _zip_members(path, patterns) if kind == "zip" else _tar_members(path, stream, patterns)


def member_names(path: str, kind: str, stream: IO[bytes], patterns: Sequence[str]) -> list[str]:
    """The paths of the files that `members` gives; a tar archive is read for that once more."""
    if kind == "zip":
        with io.open_binary(path) as raw, _opened_zip(path, raw) as archive:
            return [info.filename for info in _zip_files(archive, patterns)]
    with _opened_tar(path, stream) as tar:
        return [info.name for info in _tar_files(tar, patterns)]


def _wanted(name: str, patterns: Sequence[str]) -> bool:
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return not hidden and "__MACOSX" not in parts and matches(name, patterns)


def _zip_members(path: str, patterns: Sequence[str]) -> Iterator[Member]:
    with io.open_binary(path) as raw, _opened_zip(path, raw) as archive:
        for info in _zip_files(archive, patterns):
            try:
                content = archive.open(info)
            except _BROKEN as error:
                yield info.filename, f"cannot be unpacked: {error}"
                continue
            with content:
                yield info.filename, standard_io.BufferedReader(_MemberBytes(content))


def _opened_zip(path: str, raw: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(raw)
    except _BROKEN as error:
        raise InputError(f"{path}: expected a zip archive: {error}") from error


def _zip_files(archive: zipfile.ZipFile, patterns: Sequence[str]) -> Iterator[zipfile.ZipInfo]:
    for info in archive.infolist():
        if not info.is_dir() and _wanted(info.filename, patterns):
            yield info


def _tar_members(path: str, stream: IO[bytes], patterns: Sequence[str]) -> Iterator[Member]:
    with _opened_tar(path, stream) as archive:
        for info in _tar_files(archive, patterns):
            content = archive.extractfile(info)
            if content is None:
                yield info.name, "cannot be unpacked"
            else:
                yield info.name, standard_io.BufferedReader(_MemberBytes(content))


@contextmanager
def _opened_tar(path: str, stream: IO[bytes]) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, "r|", stream) as archive:  # of the stream, not of the path
            yield archive
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise InputError(f"{path}: expected a tar archive: {error}") from error


def _tar_files(archive: tarfile.TarFile, patterns: Sequence[str]) -> Iterator[tarfile.TarInfo]:
    for info in archive:
        if info.isfile() and _wanted(info.name, patterns):
            yield info


def as_stream(data: bytes) -> standard_io.BufferedReader:
    """The content of a file in memory as a stream that can be peeked at."""
    return standard_io.BufferedReader(standard_io.BytesIO(data))
