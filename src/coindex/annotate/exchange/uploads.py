"""Uploads: a file of any format, compressed or not, or a zip archive of several.

They are read by `upload_reader`, in a process with limits; the server itself only parses
coindex's own JSON lines. At most `AT_ONCE` uploads are read at the same time.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from coindex import formats, io
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange.import_context import Item
from coindex.annotate.exchange.upload_reader import (
    CONTENT,
    FILES,
    RESULT,
    UploadLimits,
    UploadRequest,
)
from coindex.jobs.child_process import ended_by_limit

AT_ONCE = 2
WAIT = 60.0
"""Seconds after which an upload that waits for others is refused."""
NAME_BYTES = 180

_turn = BoundedSemaphore(AT_ONCE)
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upload:
    """What was read of an upload.

    items     the documents or problems, one by one
    skipped   files of an archive that cannot be read: `name` and `reason`
    """

    items: Iterator[Item]
    skipped: list[dict[str, str]]


@contextmanager
def read_upload(
    content: bytes, name: str, format: str | None, limits: UploadLimits | None = None, *,
    lines: bool = False,
) -> Iterator[Upload]:  # fmt: skip
    """The documents or problems of an uploaded file."""
    limits = limits or UploadLimits()
    with _waiting(), tempfile.TemporaryDirectory(prefix="coindex-upload-") as folder:
        root = Path(folder)
        (root / FILES).mkdir()
        io.write_bytes(root / CONTENT, content)
        request = UploadRequest(folder, file_name(name), format, os.getpid(), limits, lines)
        skipped = _run(request)
        empty = not (root / RESULT).stat().st_size
        yield Upload(iter(()) if empty else formats.read(root / RESULT), skipped)


@contextmanager
def _waiting() -> Iterator[None]:
    if not _turn.acquire(timeout=WAIT):
        raise ApiError(503, "busy", "other uploads are being read; try again")
    try:
        yield
    finally:
        _turn.release()


def file_name(name: str) -> str:
    """Return the name of an uploaded file without folders and what no file can be called."""
    last = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(char for char in last if char.isprintable() and char != ":")
    stem, dot, suffix = shown.strip(" .").rpartition(".")
    if not dot:
        stem, suffix = suffix, ""
    short = stem.encode("utf-8", "ignore")[:NAME_BYTES].decode("utf-8", "ignore")
    return f"{short or 'upload'}{dot}{suffix[:20]}" if short or suffix else "upload"


def _run(request: UploadRequest) -> list[dict[str, str]]:
    """Run the reader and return what it skipped; an error with its reason, or what became of it."""
    seconds = request.limits.seconds
    command = [sys.executable, "-m", "coindex.annotate.exchange.upload_reader"]
    try:
        done = subprocess.run(
            [*command, json.dumps(asdict(request))], stdin=subprocess.DEVNULL,
            capture_output=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise _too_long(seconds) from error
    answer = _answer(done.stdout)
    if "items" in answer:
        return list(answer.get("skipped", ()))
    if done.stderr:
        logger.warning("an upload could not be read: %s", done.stderr[-2000:].decode(errors="replace"))  # fmt: skip
    if "message" in answer:
        said = str(answer["message"])
        named = said if said.startswith(f"{request.name}:") else f"{request.name}: {said}"
        raise ApiError(answer["status"], answer["code"], named)
    if ended_by_limit(done.returncode):
        raise _too_long(seconds)
    raise ApiError(422, "invalid", f"{request.name}: reading it failed, or took too much memory")


def _too_long(seconds: int) -> ApiError:
    return ApiError(413, "large", f"reading it takes longer than {seconds} s: split the file")


def _answer(output: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(output)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
