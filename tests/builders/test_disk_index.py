"""Indexes on disk: what breaks leaves nothing open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from coindex.builders.disk_index import Row, SortedRows


def test_rows_that_break_leave_no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.13 warns of a connection that is not closed; its file stays on the disk till then."""
    opened = []
    connect = sqlite3.connect

    def listed(path: str) -> sqlite3.Connection:
        opened.append(connect(path))
        return opened[-1]

    def rows() -> Iterator[Row]:
        yield ("a", 1)
        raise ValueError("broken")

    monkeypatch.setattr(sqlite3, "connect", listed)
    with pytest.raises(ValueError, match="broken"):
        SortedRows(rows())
    (database,) = opened
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")
