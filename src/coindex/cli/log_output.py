"""The log messages of coindex, shown on standard error while a command runs."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class _StderrHandler(logging.Handler):
    """Writes the messages of log records to standard error, whatever that is at the time."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one message."""
        sys.stderr.write(f"{self.format(record)}\n")


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Show what coindex logs, from level INFO on, for the duration of a command."""
    logger, handler = logging.getLogger("coindex"), _StderrHandler()
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
