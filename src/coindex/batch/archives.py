"""The files in zip and tar archives, one after the other; nothing is unpacked to the disk."""

from __future__ import annotations

import io as standard_io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import PurePosixPath
from typing import IO

from coindex import io
from coindex.batch.inputs import matches
from coindex.errors import InputError

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)

Member = tuple[str, bytes | str]
"""The path of a file in an archive with its content, or with the reason why it has none."""


def members(path: str, kind: str, stream: IO[bytes], patterns: Sequence[str]) -> Iterator[Member]:
    """The files of an archive that match one of the patterns, in the order of the archive.

    stream   the bytes of the archive, decompressed, for tar
    """
    return _zip_members(path, patterns) if kind == "zip" else _tar_members(path, stream, patterns)


def _wanted(name: str, patterns: Sequence[str]) -> bool:
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return not hidden and "__MACOSX" not in parts and matches(name, patterns)


def _zip_members(path: str, patterns: Sequence[str]) -> Iterator[Member]:
    with io.open_binary(path) as raw:
        try:
            archive = zipfile.ZipFile(raw)
        except _BROKEN as error:
            raise InputError(f"{path}: expected a zip archive: {error}") from error
        with closing(archive):
            for info in archive.infolist():
                if info.is_dir() or not _wanted(info.filename, patterns):
                    continue
                try:
                    yield info.filename, archive.read(info)
                except _BROKEN as error:
                    yield info.filename, f"cannot be unpacked: {error}"


def _tar_members(path: str, stream: IO[bytes], patterns: Sequence[str]) -> Iterator[Member]:
    try:
        with tarfile.open(path, "r|", stream) as archive:  # of the stream, not of the path
            for info in archive:
                if not info.isfile() or not _wanted(info.name, patterns):
                    continue
                content = archive.extractfile(info)
                yield info.name, content.read() if content is not None else "cannot be unpacked"
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise InputError(f"{path}: expected a tar archive: {error}") from error


def as_stream(data: bytes) -> standard_io.BufferedReader:
    """The content of a file in memory as a stream that can be peeked at."""
    return standard_io.BufferedReader(standard_io.BytesIO(data))
