"""Commands that are ended from outside: by Ctrl-C, or by SIGTERM."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click


class Terminated(KeyboardInterrupt):
    """The process was sent SIGTERM, by `kill`, systemd or a cluster's scheduler."""


def forget_interrupt() -> None:
    """Let the process end with the exit code that it is given.

    Python notes that an interrupt left an `exec` of source text, as `dataclass` runs it, and kills
    the process by SIGINT at its end, also if the interrupt was caught; the next `exec` clears that.
    """
    exec("")


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the work as Ctrl-C does: worker processes end, temporary files are removed."""

    def terminate(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one is enough
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread has signals
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def resume_hint(where: str = "to resume") -> Iterator[None]:
    """Tell a user who interrupts or terminates the work how to resume it."""
    try:
        with ended_by_sigterm():
            yield
    except KeyboardInterrupt:
        click.echo(f"coindex: run the same command again {where}", err=True)
        raise
