"""Progress for people, on standard error: a bar on a terminal, a line a minute in a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from coindex.types.progress import OnProgress, Progress

LARGE = 2_000_000
"""The size in bytes of the smallest input file whose reading is shown."""
EVERY = 60.0
"""How many seconds pass between two lines of a log."""


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """A callback that draws a bar for the task it is called with, and a new bar for a new task.

    If standard error is not a terminal, a task that takes longer than a minute prints a line each
    minute. Nothing is shown for small input files.
    """
    if not sys.stderr.isatty():
        yield ProgressLog()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    task, counts = TextColumn("{task.description}"), TextColumn("{task.fields[counts]}")
    columns = (task, BarColumn(), counts, TimeRemainingColumn())
    # Results may be printed meanwhile: they stay on standard output.
    bar = Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    shown = bar.add_task("", counts="")
    last = None

    def on_progress(progress: Progress) -> None:
        nonlocal last
        if _small(progress):
            return
        if progress.task != last:
            bar.reset(shown)
            last = progress.task
        bar.update(
            shown,
            description=progress.task,
            completed=progress.done,
            total=progress.total,
            counts=_counts(progress),
        )
        bar.start()

    try:
        yield on_progress
    finally:
        bar.stop()


class ProgressLog:
    """A callback that prints a line a minute, with the time that is left."""

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._task = ""
        self._started = self._printed = time.monotonic()
        self._first = 0

    def __call__(self, progress: Progress) -> None:
        """Print the progress, if a minute has passed."""
        now = time.monotonic()
        if progress.task != self._task:
            self._task, self._started, self._first = progress.task, now, progress.done
        if now - self._printed < self._every or _small(progress):
            return
        self._printed = now
        line = f"coindex: {progress.task}: {_counts(progress)}{self._left(progress, now)}"
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def _left(self, progress: Progress, now: float) -> str:
        done = progress.done - self._first
        if not progress.total or done <= 0:
            return ""
        left = (progress.total - progress.done) / done * (now - self._started)
        share = 100 * progress.done / progress.total
        hours, minutes = divmod(round(left / 60), 60)
        time_left = f"{hours} h {minutes} min" if hours else f"{max(minutes, 1)} min"
        return f", {share:.0f} %, about {time_left} left"


def _small(progress: Progress) -> bool:
    return progress.unit == "bytes" and (progress.total or 0) < LARGE


def _counts(progress: Progress) -> str:
    """The note of a task, or `3/12`, or `3.4/12.0 MB`."""
    if progress.note:
        return progress.note
    if progress.unit == "bytes":
        return f"{progress.done / 1e6:.1f}/{(progress.total or 0) / 1e6:.1f} MB"
    return f"{progress.done}/{'?' if progress.total is None else progress.total}"
