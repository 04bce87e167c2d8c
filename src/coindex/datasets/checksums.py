"""Whether a file is the expected one: by its size, which is quick, then by its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coindex import io
from coindex.datasets.catalogue import File
from coindex.errors import InputError
from coindex.types.progress import OnProgress, Progress, ignore_progress

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ChecksumMismatch:
    """A file that differs from what the catalogue states."""

    path: Path
    expected: str
    found: str

    @property
    def what(self) -> str:
        """What was expected and what was found."""
        return f"expected {self.expected}, found {self.found}"

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def sha256(path: Path, on_progress: OnProgress = ignore_progress) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with io.open_binary(path) as file:
        try:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                on_progress(Progress(str(path), file.tell(), None, "bytes"))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def find_mismatch(
    path: Path, file: File, on_progress: OnProgress = ignore_progress
) -> ChecksumMismatch | None:
    """How the copy of a file at `path` differs from the expected one; None if it does not."""
    if not path.is_file():
        actual = "a folder" if path.is_dir() else "no such file"
        return ChecksumMismatch(path, f"a file of {file.bytes} bytes", actual)
    size = path.stat().st_size
    if size != file.bytes:
        return ChecksumMismatch(path, f"{file.bytes} bytes", f"{size} bytes")
    actual = sha256(path, on_progress)
    if actual != file.sha256:
        return ChecksumMismatch(path, f"sha256 {file.sha256}", f"sha256 {actual}")
    return None


def find_mismatches(
    copies: Sequence[tuple[File, Path]],
    on_progress: OnProgress = ignore_progress,
    task: str = "checksums",
) -> list[ChecksumMismatch]:
    """The mismatches among the copies of some files."""
    mismatches = []
    done, total = 0, sum(file.bytes for file, _ in copies)
    for file, path in copies:
        mismatch = find_mismatch(path, file, file_progress(on_progress, task, done, total))
        done += file.bytes
        if mismatch is not None:
            mismatches.append(mismatch)
    return mismatches


def file_progress(on_progress: OnProgress, task: str, before: int, total: int) -> OnProgress:
    """A callback for one file of a task, which begins after so many bytes of the total."""
    return lambda progress: on_progress(Progress(task, before + progress.done, total, "bytes"))
