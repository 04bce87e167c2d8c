"""Progress bars: drawn on a terminal only, with counts in the unit of the task."""

from __future__ import annotations

import io
import re

import pytest

from coindex.report.progress_bar import LARGE, progress_bar
from coindex.types.progress import Progress, ignore_progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_drawn_without_a_terminal() -> None:
    with progress_bar() as on_progress:
        assert on_progress is ignore_progress


def test_counts_are_drawn_in_the_unit_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as on_progress:
        on_progress(Progress("small file", 1, LARGE - 1, "bytes"))
        assert stream.getvalue() == ""
        on_progress(Progress("reading", 3_400_000, 12_000_000, "bytes"))
        on_progress(Progress("folds", 3, 12))
        on_progress(Progress("items", 7))
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())
    assert "small file" not in drawn
    assert "items" in drawn
    assert "3.4/12.0 MB" in drawn
    assert "7/?" in drawn
