"""Reading an upload: any format, compressed or not; a zip archive for two-file formats."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
import zipfile
import zlib
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from coindex import formats, io
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange.import_context import Item

MAX_BYTES = 512 << 20
"""The largest size of an upload after decompression."""
MAX_FILES = 20_000


def read_upload(content: bytes, name: str, format: str | None) -> list[Item]:
    """Return the documents or problems of an uploaded file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if content[:4] == b"PK\x03\x04":
            _unzip(content, root)
        else:
            suffix = PurePosixPath(name.replace("\\", "/")).suffix[:10]
            safe = suffix if suffix[1:].isalnum() else ""
            io.write_bytes(root / f"upload{safe}", _decompressed(content))
        paths = formats.expand_paths(sorted(str(each) for each in root.iterdir()))
        return [item for path in paths for item in formats.read(path, format)]


def _decompressed(content: bytes) -> bytes:
    """Return the decompressed content, within the limit; other content as it is."""
    openers: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
    opener = next((open_ for magic, open_ in openers.items() if content.startswith(magic)), None)
    if opener is None:
        return content
    try:
        with opener(BytesIO(content)) as file:
            data: bytes = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ApiError(422, "invalid", f"the upload cannot be unpacked: {error}") from error
    if len(data) > MAX_BYTES:
        raise ApiError(413, "large", f"the upload unpacks to more than {MAX_BYTES >> 20} MiB")
    return data


def _unzip(content: bytes, root: Path) -> None:
    """Extract the files of a zip archive, without their folders, within the limits."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            inside = [each for each in archive.infolist() if not each.is_dir()]
            if len(inside) > MAX_FILES or sum(each.file_size for each in inside) > MAX_BYTES:
                raise ApiError(413, "large", f"the zip unpacks to more than {MAX_BYTES >> 20} MiB")
            for each in inside:
                name = PurePosixPath(each.filename.replace("\\", "/")).name
                target = root / name
                if not name or name.startswith(".") or target.exists():
                    raise ApiError(
                        422,
                        "invalid",
                        f"the zip has a file name that cannot be used: {name[:60]!r}",
                    )
                io.write_bytes(target, archive.read(each))
    except (
        zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError,
    ) as error:  # fmt: skip
        raise ApiError(
            422, "invalid", "the upload begins like a zip archive but cannot be read as one"
        ) from error
