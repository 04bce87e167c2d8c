"""A cache of parses on disk, by content: one SQLite file per pipeline.

The folder is `$COINDEX_CACHE`, or else the user's cache folder (XDG). Several processes may
write at once. The cache never stops a run: a damaged file is renamed and replaced by a new one,
and a file that cannot be written is not used, with one warning each.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

_KEYS = 500  # in one SELECT; SQLite allows at least 999
_WAIT = 30.0  # seconds to wait for another process to finish writing
_TABLE = "CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, parse BLOB)"


def cache_folder() -> Path:
    """The folder of all caches, which need not exist."""
    named = os.environ.get("COINDEX_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("coindex", appauthor=False))


@dataclass(slots=True)
class ParseCache:
    """Packed parses by key, in one file."""

    path: Path
    _warned: bool = field(default=False, init=False)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The entries of some keys; keys without an entry are left out."""
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
        """Store some entries in one transaction."""
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
        """Rename a damaged file, so that the next write creates a new one."""
        aside = self.path.with_name(self.path.name + ".damaged")
        warnings.warn(f"{self.path}: damaged ({error}): begun anew", stacklevel=4)
        try:
            self.path.replace(aside)
        except OSError as problem:
            self._warn(f"cannot be replaced ({problem.strerror})")

    def _warn(self, what: str) -> None:
        if not self._warned:
            warnings.warn(f"{self.path}: {what}", stacklevel=4)
        self._warned = True


def _select(connection: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(keys), _KEYS):
        some = keys[start : start + _KEYS]
        marks = ",".join("?" * len(some))
        yield from connection.execute(f"SELECT key, parse FROM parses WHERE key IN ({marks})", some)
