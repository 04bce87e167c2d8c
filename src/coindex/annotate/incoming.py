"""The items of an upload: any format, packed or not; a zip for formats of two files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

from coindex import formats
from coindex.annotate.arrivals import Item
from coindex.annotate.fail import Fail

MOST = 512 << 20
"""Bytes that an upload may unpack to."""
FILES = 20_000


def items(content: bytes, name: str, format: str | None) -> list[Item]:
    """The items of a file that was sent."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if content[:4] == b"PK\x03\x04":
            _unzip(content, root)
        else:
            suffix = PurePosixPath(name.replace("\\", "/")).suffix[:10]
            safe = suffix if suffix[1:].isalnum() else ""
            (root / f"upload{safe}").write_bytes(_unpacked(content))
        paths = formats.expand(sorted(str(each) for each in root.iterdir()))
        return [item for path in paths for item in formats.read(path, format)]


def _unpacked(content: bytes) -> bytes:
    """What a packed upload holds, within the limit; anything else as it is."""
    openers: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
    opener = next((open_ for magic, open_ in openers.items() if content.startswith(magic)), None)
    if opener is None:
        return content
    try:
        with opener(io.BytesIO(content)) as file:
            found: bytes = file.read(MOST + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise Fail(422, "invalid", f"the upload cannot be unpacked: {error}") from error
    if len(found) > MOST:
        raise Fail(413, "large", f"the upload unpacks to more than {MOST >> 20} MiB")
    return found


def _unzip(content: bytes, root: Path) -> None:
    """Unpack a zip's files, by their bare names, within the limits."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside = [each for each in archive.infolist() if not each.is_dir()]
            if len(inside) > FILES or sum(each.file_size for each in inside) > MOST:
                raise Fail(413, "large", f"the zip unpacks to more than {MOST >> 20} MiB")
            for each in inside:
                name = PurePosixPath(each.filename.replace("\\", "/")).name
                target = root / name
                if not name or name.startswith(".") or target.exists():
                    raise Fail(
                        422,
                        "invalid",
                        f"the zip has a file name that cannot be used: {name[:60]!r}",
                    )
                target.write_bytes(archive.read(each))
    except (
        zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError,
    ) as error:  # fmt: skip
        raise Fail(422, "invalid", "the upload begins like a zip but is none") from error
