"""A real browser for all pages, started once a process, or a visible skip.

Chromium may never answer when it is asked to close a page (seen in CI: one such wait took the
whole of its time), and playwright then waits for ever. So pages are closed under a watch, which
ends a browser that does not answer; the next test gets another one.
"""

from __future__ import annotations

import os
import shutil
import signal
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60.0  # seconds for closing what one test has opened


class Browsers:
    """A browser that lives, whatever became of the one before it."""

    def __init__(self, play: Any, path: str, patience: float = PATIENCE) -> None:
        self.play, self.path, self.patience = play, path, patience
        self.mark = f"--coindex-tests={uuid.uuid4().hex}"
        self.browser: Any = None

    def get(self) -> Any:
        if self.browser is None or not self.browser.is_connected():
            self.browser = self.play.chromium.launch(
                executable_path=self.path, args=[*ARGS, self.mark]
            )
        return self.browser

    def tidy(self) -> None:
        """Close all that was opened."""
        self._close(self.browser.contexts)

    def close(self) -> None:
        self._close([self.browser] if self.browser else [])

    def processes(self) -> list[int]:
        """Those that were started with our mark."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self.mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def kill(self) -> None:
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _close(self, opened: list[Any]) -> None:
        """In time, or by force; an error (it is gone, a request was held) is an end too."""
        from playwright.sync_api import Error

        watch = Timer(self.patience, self.kill)
        watch.start()
        try:
            for one in opened:
                with suppress(Error):
                    one.close()
        finally:
            watch.cancel()


@pytest.fixture(scope="session")
def browsers() -> Iterator[Browsers]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip(f"no Chromium on the path: looked for {', '.join(names)}")
    with playwright.sync_playwright() as play:
        made = Browsers(play, path)
        yield made
        made.close()


@pytest.fixture
def chromium(browsers: Browsers) -> Iterator[Any]:
    """A browser; what a test opens in it is closed after the test."""
    yield browsers.get()
    browsers.tidy()
