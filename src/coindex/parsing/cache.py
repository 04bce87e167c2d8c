"""Parses kept on disk by content: one SQLite file for each pipeline.

The folder is `$COINDEX_CACHE`, else the user's cache folder (XDG). Two processes
may write at once. A cache never stops a run: a file that is damaged is put aside
and begun anew, and one that cannot be written is done without, with a warning each.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

_ASKED = 500  # keys in one SELECT; SQLite allows at least 999
_WAIT = 30.0  # seconds to wait for another process to finish writing
_TABLE = "CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, parse BLOB)"


def folder() -> Path:
    """Where caches are; it need not exist."""
    named = os.environ.get("COINDEX_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("coindex", appauthor=False))


@dataclass(slots=True)
class Cache:
    """Bytes by key, in one file."""

    path: Path
    _silent: bool = field(default=False, init=False)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is known of some keys."""
        if not self.path.is_file():
            return {}
        try:
            with closing(self._open("ro")) as connection:
                return dict(_select(connection, keys))
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                self._warn(f"cannot be read ({error})")
        except sqlite3.DatabaseError as error:
            self._put_aside(error)
        return {}

    def put(self, items: Mapping[bytes, bytes]) -> None:
        """Keep some; all or none of them, at once."""
        if not items:
            return
        try:
            self._write(items)
        except sqlite3.OperationalError as error:
            self._warn(f"cannot be written ({error}): parses are not kept")
        except sqlite3.DatabaseError as error:
            self._put_aside(error)
        except OSError as error:
            self._warn(f"cannot be written ({error.strerror}): parses are not kept")

    def _write(self, items: Mapping[bytes, bytes]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open("rwc")) as connection, connection:
            connection.execute(_TABLE)
            connection.executemany("INSERT OR REPLACE INTO parses VALUES (?, ?)", items.items())

    def _open(self, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(f"{self.path.as_uri()}?mode={mode}", uri=True, timeout=_WAIT)

    def _put_aside(self, error: sqlite3.DatabaseError) -> None:
        """A damaged file is renamed, so that the next write begins a new one."""
        aside = self.path.with_name(self.path.name + ".damaged")
        warnings.warn(f"{self.path}: damaged ({error}): begun anew", stacklevel=4)
        try:
            self.path.replace(aside)
        except OSError as problem:
            self._warn(f"cannot be replaced ({problem.strerror})")

    def _warn(self, what: str) -> None:
        if not self._silent:
            warnings.warn(f"{self.path}: {what}", stacklevel=4)
        self._silent = True


def _select(connection: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(keys), _ASKED):
        some = keys[start : start + _ASKED]
        marks = ",".join("?" * len(some))
        yield from connection.execute(f"SELECT key, parse FROM parses WHERE key IN ({marks})", some)
