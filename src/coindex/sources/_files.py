"""Which files a source is given, and how they are cut into shards.

A shard is a range of the file's own bytes. A plain file is cut anywhere: a reader
looks for the first record that begins in its range. A packed file has to be unpacked
from its beginning, so that the work of skipping grows with the square of the number of
shards: it is cut into `MOST` at most.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from coindex.core.mention import Pairs
from coindex.errors import InputError, InvalidValue
from coindex.sources._page import Shard
from coindex.sources._unpack import CHUNK, opened, packed

MOST = 16
"""How many shards a packed file is cut into at most."""

_HASHED = 1 << 20


def files(path: str | os.PathLike[str]) -> list[str]:
    """The file, or the files of a folder and of those below it, in the order of their paths."""
    root = Path(path)
    if root.is_file():
        return [os.fspath(path)]
    if not root.is_dir():
        raise InputError(f"{root}: expected a file or a folder, found nothing")
    inside = (each for each in root.rglob("*") if each.is_file())
    found = [each for each in inside if not _hidden(each.relative_to(root))]
    if not found:
        raise InputError(f"{root}: expected files to read, found an empty folder")
    return [str(each) for each in sorted(found, key=lambda each: each.relative_to(root).parts)]


def checksum(path: str) -> str:
    """The SHA-256 of a file as it is, packed or not: what tells one dump from another."""
    total = hashlib.sha256()
    with opened(path) as raw:
        while data := raw.read(_HASHED):
            total.update(data)
    return f"sha256:{total.hexdigest()}"


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def numbered(shards: Iterable[Shard]) -> tuple[Shard, ...]:
    """The shards of several files, counted through."""
    return tuple(
        Shard(each.path, number, each.start, each.end, each.facts)
        for number, each in enumerate(shards)
    )


def cut(path: str, size: int, facts: Pairs = (), step: int = 1) -> Iterator[Shard]:
    """Ranges of about `size` bytes of a file; the last is open.

    step  what a plain file's borders are multiples of
    """
    checked(size)
    total = _size(path)
    if packed(path):
        step = CHUNK
        size = max(size, -(-total // MOST))
    width = -(-size // step) * step
    starts = range(0, max(total, 1), width)
    for number, start in enumerate(starts):
        end = start + width if start + width < total else None
        yield Shard(path, number, start, end, facts)


def ranges(path: str | os.PathLike[str], size: int) -> tuple[Shard, ...]:
    """Ranges of bytes of the file, or of the files of a folder, counted through."""
    return numbered(shard for file in files(path) for shard in cut(file, size))


def bundles(path: str | os.PathLike[str], size: int) -> tuple[Shard, ...]:
    """Whole files, put together until they hold `size` bytes; their names are the facts."""
    checked(size)
    groups: list[list[str]] = [[]]
    held = 0
    for name in files(path):
        if held >= size:
            groups.append([])
            held = 0
        groups[-1].append(name)
        held += _size(name)
    return numbered(
        Shard(os.fspath(path), 0, facts=tuple(("file", name) for name in group)) for group in groups
    )


def bundled(shard: Shard) -> list[str]:
    """The files that a shard of `bundles` names."""
    return [value for key, value in shard.facts if key == "file"]


def checked(size: int) -> int:
    """The size of a shard: at least a byte."""
    if size < 1:
        raise InvalidValue(f"expected a shard size of at least 1 byte, found {size}")
    return size


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
