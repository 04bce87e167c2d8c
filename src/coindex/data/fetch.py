"""Downloads a corpus, file by file, and keeps only what has the right checksum.

A file is written under its name when it is complete and verified; whatever goes
wrong before leaves nothing behind. Files that are there and right are skipped,
so that a second run goes on where the first was stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex.data import register, verify, where
from coindex.data.catalogue import Corpus, File
from coindex.data.verify import Watch
from coindex.errors import CoindexError, InputError, UsageError

TIMEOUT = 30
"""Seconds without a byte before a download is given up."""

_CHUNK = 1 << 16


class DownloadError(CoindexError):
    """A file that could not be downloaded; the message says from where and what to do."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done for one file: it is there, can be downloaded, or cannot."""

    file: File
    target: Path
    state: str

    HERE = "here"
    DOWNLOAD = "download"
    NO_ADDRESS = "no address"


def plan(corpus: Corpus, to: Path | None = None) -> list[Step]:
    """What `get` has to do; with `to`, only that folder counts, else every place looked in."""
    if corpus.own:
        raise UsageError(f"{corpus.name!r} is your own corpus; there is nothing to download")
    return [_step(file, to) for file in corpus.files]


def _step(file: File, to: Path | None) -> Step:
    roots = [to] if to is not None else [root for _, root in where.roots()]
    for root in roots:
        place = root / file.path
        if place.is_file() and verify.fault(place, file) is None:
            return Step(file, place, Step.HERE)
    target = (to if to is not None else register.home() / "data") / file.path
    return Step(file, target, Step.DOWNLOAD if file.url else Step.NO_ADDRESS)


def get(steps: list[Step], watch: Watch | None = None) -> Iterator[Step]:
    """Carry out a plan; yields each step when it is done, and stops at the first failure.

    `watch` is told how many bytes of the whole plan have arrived.
    """
    done = 0
    for step in steps:
        if step.state == Step.DOWNLOAD:
            download(step.file, step.target, watch and verify.offset(watch, done))
            done += step.file.bytes
        yield step


def size(steps: list[Step]) -> int:
    """How many bytes a plan downloads."""
    return sum(step.file.bytes for step in steps if step.state == Step.DOWNLOAD)


def remarks(steps: list[Step], to: Path | None) -> Iterator[str]:
    """What is worth saying when a plan is carried out."""
    for step in steps:
        found = where.locate(step.file)
        if step.state == Step.NO_ADDRESS:
            yield f"{step.file.path}: cannot be downloaded: {step.file.note}"
        elif to is None and found != step.target:
            yield f"{step.target}: another copy comes first and is not the same: {found}"
    if to is not None and to not in [root for _, root in where.roots()]:
        yield f"set COINDEX_DATA={to} to use what is there"


def download(file: File, target: Path, watch: Watch | None = None) -> None:
    """Download and verify one file, or raise `DownloadError` and leave nothing behind.

    `watch` is told how many bytes have arrived.
    """
    import pooch

    if file.url is None:
        raise UsageError(f"{file.path}: there is no address to download it from; {file.note}")
    _make(target.parent)
    bar: Any = _Bar(watch, file.bytes) if watch is not None else False
    try:
        with _quiet(pooch.get_logger()), _answers() as hooks:
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


class _Bar:
    """What pooch takes for a progress bar; it counts in whole chunks, so never beyond the size."""

    def __init__(self, watch: Watch, size: int) -> None:
        self.total = size
        self._watch = watch
        self._size = size
        self._done = 0

    def update(self, count: int) -> None:
        """More bytes have arrived."""
        self._done = min(self._done + count, self._size)
        self._watch(self._done)

    def reset(self) -> None:
        """Start over: pooch does so at the end, to count the exact size once more."""
        self._done = 0

    def close(self) -> None:
        """Nothing to close."""


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Without the library's own lines on each download."""
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _answers() -> Iterator[dict[str, Any]]:
    """Hooks for requests, so that a connection is closed even if it was cut half-way."""
    answers: list[Any] = []
    try:
        yield {"response": lambda answer, *_, **__: answers.append(answer)}
    finally:
        for answer in answers:
            answer.close()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from error


def _reason(error: Exception, file: File) -> str:
    """One line on what went wrong."""
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
