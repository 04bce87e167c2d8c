"""The files of a source, and how they are split into shards.

A shard is a range of bytes of a file. An uncompressed file is split anywhere: a reader looks for
the first record that begins in its range. A compressed file has to be decompressed from its
beginning for each shard, which is quadratic in their number: it has `MOST` shards at most.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from coindex.builders.sources.decompress import CHUNK, compression
from coindex.builders.sources.protocol import Shard
from coindex.datasets.checksums import sha256
from coindex.errors import InputError, InvalidValue
from coindex.types.mention import Pairs

MOST = 16
"""The maximum number of shards of a compressed file."""


def list_files(path: str | os.PathLike[str]) -> list[str]:
    """The file, or the files of a folder and of those below it, in the order of their paths."""
    root = Path(path)
    if root.is_file():
        return [os.fspath(path)]
    if not root.is_dir():
        raise InputError(f"{root}: expected a file or a folder, found nothing")
    inside = (each.relative_to(root).parts for each in root.rglob("*") if each.is_file())
    files = [parts for parts in inside if not any(part.startswith(".") for part in parts)]
    if not files:
        raise InputError(f"{root}: expected files to read, found an empty folder")
    return [str(root.joinpath(*parts)) for parts in sorted(files)]


def file_checksum(path: str) -> str:
    """The SHA-256 of a file as it is, compressed or not."""
    return f"sha256:{sha256(Path(path))}"


def renumber(shards: Iterable[Shard]) -> tuple[Shard, ...]:
    """The shards of several files, numbered consecutively."""
    return tuple(
        Shard(each.path, number, each.start, each.end, each.metadata)
        for number, each in enumerate(shards)
    )


def split_by_bytes(path: str, size: int, metadata: Pairs = (), step: int = 1) -> Iterator[Shard]:
    """Ranges of about `size` bytes of a file; the last has no end.

    step  the boundaries in an uncompressed file are multiples of this
    """
    check_shard_size(size)
    total = _size(path)
    if compression(path):
        step = CHUNK
        size = max(size, -(-total // MOST))
    width = -(-size // step) * step
    starts = range(0, max(total, 1), width)
    for number, start in enumerate(starts):
        end = start + width if start + width < total else None
        yield Shard(path, number, start, end, metadata)


def byte_range_shards(path: str | os.PathLike[str], size: int) -> tuple[Shard, ...]:
    """Ranges of bytes of a file, or of the files of a folder, numbered consecutively."""
    return renumber(shard for file in list_files(path) for shard in split_by_bytes(file, size))


def file_bundles(path: str | os.PathLike[str], size: int) -> tuple[Shard, ...]:
    """Whole files in bundles of about `size` bytes; the metadata name the files."""
    check_shard_size(size)
    groups: list[list[str]] = [[]]
    size_so_far = 0
    for name in list_files(path):
        if size_so_far >= size:
            groups.append([])
            size_so_far = 0
        groups[-1].append(name)
        size_so_far += _size(name)
    return renumber(
        Shard(os.fspath(path), 0, metadata=tuple(("file", name) for name in group))
        for group in groups
    )


def bundled_files(shard: Shard) -> list[str]:
    """The files of a shard that `file_bundles` made; none for other shards."""
    return [value for key, value in shard.metadata if key == "file"]


def check_shard_size(size: int) -> int:
    """The size of a shard, which must be at least one byte."""
    if size < 1:
        raise InvalidValue(f"expected a shard size of at least 1 byte, found {size}")
    return size


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
