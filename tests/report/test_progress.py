"""Progress bars: drawn on a terminal only, with counts in the unit of the task."""

from __future__ import annotations

import io
import re

import pytest

from coindex.report.progress_bar import LARGE, progress_bar
from coindex.types.progress import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_drawn_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as on_progress:
        on_progress(Progress("folds", 3, 12))
        on_progress(Progress("folds", 4, 12))
    assert capsys.readouterr().err == ""


def test_a_log_has_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with progress_bar() as on_progress:
        for second in range(0, 7200, 7):
            now = 1000.0 + second
            on_progress(Progress("texts", second, 14400, note=f"{second} texts"))
            on_progress(Progress("texts", second, 14400, note=f"{second} texts"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "coindex: texts: 63 texts, 0 %, about 3 h 59 min left"
    assert 110 <= len(lines) <= 120
    assert lines[-1].endswith("50 %, about 2 h 0 min left")


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
