"""Progress bars for people: on standard error, and only if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from coindex.types.progress import OnProgress, Progress, ignore_progress

LARGE = 2_000_000
"""The size in bytes of the smallest input file whose reading is shown."""


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """A callback that draws a bar for the task it is called with, and a new bar for a new task.

    Nothing is drawn if standard error is not a terminal, or for small input files.
    """
    if not sys.stderr.isatty():
        yield ignore_progress
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
        if progress.unit == "bytes" and (progress.total or 0) < LARGE:
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


def _counts(progress: Progress) -> str:
    """`3/12`, or `3.4/12.0 MB`."""
    if progress.unit == "bytes":
        return f"{progress.done / 1e6:.1f}/{(progress.total or 0) / 1e6:.1f} MB"
    return f"{progress.done}/{'?' if progress.total is None else progress.total}"
