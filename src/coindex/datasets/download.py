"""Downloads of corpora, file by file; only files with the right checksum are stored.

A file gets its name when it is complete and verified; an error before that leaves nothing
behind. Files that are present and right are skipped, so that a second run resumes an
interrupted one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex import io
from coindex.datasets import checksums, locate, registry
from coindex.datasets.catalogue import Corpus, File
from coindex.errors import CoindexError, UsageError
from coindex.types.progress import OnProgress, Progress, ignore_progress

TIMEOUT = 30
"""Seconds without data after which a download fails."""

_CHUNK = 1 << 16


class DownloadError(CoindexError):
    """A file that could not be downloaded; the message says from where and what to do."""


@dataclass(frozen=True, slots=True)
class DownloadStep:
    """What has to be done for one file: it is present, can be downloaded, or cannot."""

    file: File
    target: Path
    state: str

    HERE = "here"
    DOWNLOAD = "download"
    NO_ADDRESS = "no address"

    def as_json(self) -> dict[str, Any]:
        """The step after its completion, as JSON values."""
        return {
            "file": self.file.path,
            "state": "downloaded" if self.state == self.DOWNLOAD else self.state,
            "where": str(self.target) if self.state != self.NO_ADDRESS else None,
            "note": self.file.note,
        }


def plan_download(corpus: Corpus, to: Path | None = None) -> list[DownloadStep]:
    """The steps to get a corpus; with `to`, only that folder is searched for its files."""
    if corpus.own:
        raise UsageError(f"{corpus.name!r} is your own corpus; there is nothing to download")
    return [_step(file, to) for file in corpus.files]


def _step(file: File, to: Path | None) -> DownloadStep:
    folders = [to] if to is not None else [folder for _, folder in locate.data_folders()]
    for folder in folders:
        path = folder / file.path
        if path.is_file() and checksums.find_mismatch(path, file) is None:
            return DownloadStep(file, path, DownloadStep.HERE)
    target = (to if to is not None else registry.user_data_folder() / "data") / file.path
    return DownloadStep(
        file, target, DownloadStep.DOWNLOAD if file.url else DownloadStep.NO_ADDRESS
    )


def run_download(
    steps: list[DownloadStep], on_progress: OnProgress = ignore_progress, task: str = "download"
) -> Iterator[DownloadStep]:
    """Carry out a plan; yields each step when it is done, and stops at the first failure."""
    done, total = 0, download_size(steps)
    for step in steps:
        if step.state == DownloadStep.DOWNLOAD:
            progress = checksums.file_progress(on_progress, task, done, total)
            download_file(step.file, step.target, progress)
            done += step.file.bytes
        yield step


def download_size(steps: list[DownloadStep]) -> int:
    """The number of bytes that a plan downloads."""
    return sum(step.file.bytes for step in steps if step.state == DownloadStep.DOWNLOAD)


def remarks(steps: list[DownloadStep], to: Path | None) -> Iterator[str]:
    """Remarks on a plan that was carried out: missing files, other copies, COINDEX_DATA."""
    for step in steps:
        copy = locate.locate_file(step.file)
        if step.state == DownloadStep.NO_ADDRESS:
            yield f"{step.file.path}: cannot be downloaded: {step.file.note}"
        elif to is None and copy != step.target:
            yield f"{step.target}: another copy comes first and is not the same: {copy}"
    if to is not None and to not in [root for _, root in locate.data_folders()]:
        yield f"set COINDEX_DATA={to} to use what is there"


def download_file(file: File, target: Path, on_progress: OnProgress = ignore_progress) -> None:
    """Download and verify one file, or raise `DownloadError` and leave nothing behind."""
    import pooch

    if file.url is None:
        raise UsageError(f"{file.path}: there is no address to download it from; {file.note}")
    io.make_folder(target.parent)
    bar: Any = _PoochProgress(file, on_progress)
    try:
        with _quiet(pooch.get_logger()), _responses() as hooks:
            downloader = pooch.HTTPDownloader(bar, _CHUNK, timeout=TIMEOUT, hooks=hooks)
            pooch.retrieve(
                file.url,
                known_hash=f"sha256:{file.sha256}",
                fname=target.name,
                path=target.parent,
                downloader=downloader,
            )
    except (OSError, ValueError) as error:
        raise DownloadError(
            f"{file.path}: cannot be downloaded from {file.url}: {_reason(error, file)}; "
            f"put your own copy at {target}, or set COINDEX_DATA to a folder that holds {file.path}"
        ) from error


class _PoochProgress:
    """The interface that pooch requires of a progress bar.

    Pooch counts whole chunks; the number reported never exceeds the size of the file.
    """

    def __init__(self, file: File, on_progress: OnProgress) -> None:
        self.total = file.bytes
        self._file = file
        self._on_progress = on_progress
        self._done = 0

    def update(self, count: int) -> None:
        """Report that more bytes have arrived."""
        self._done = min(self._done + count, self._file.bytes)
        self._on_progress(Progress(self._file.path, self._done, self._file.bytes, "bytes"))

    def reset(self) -> None:
        """Start again: pooch does so at the end, to count the exact size."""
        self._done = 0

    def close(self) -> None:
        """Nothing to close."""


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Suppress the log lines of the library."""
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _responses() -> Iterator[dict[str, Any]]:
    """Hooks for requests that close a connection even if it was interrupted."""
    responses: list[Any] = []
    try:
        yield {"response": lambda response, *_, **__: responses.append(response)}
    finally:
        for response in responses:
            response.close()


def _reason(error: Exception, file: File) -> str:
    """The reason of a failure, in one line."""
    from requests import exceptions

    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code}"
    if isinstance(error, exceptions.Timeout):
        return f"no answer within {TIMEOUT} seconds"
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "the connection was cut"
    if isinstance(error, exceptions.ConnectionError):
        return "the server cannot be reached (are you offline?)"
    if isinstance(error, OSError):
        return str(error.strerror or error)
    return f"expected sha256 {file.sha256}, found another: the file there has changed"
