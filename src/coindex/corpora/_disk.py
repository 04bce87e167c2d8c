"""Keys of items on disk, so that a run of any size can be balanced in little memory.

What is done with all items of a run (each one once, balance, figures) goes over them again and
again, each time from their files, and remembers a key of each at most. The keys lie in
temporary databases of SQLite that no other process sees, in the folder that `TMPDIR` names,
gone when they are closed; `CACHE` of each is in memory.

    with closing(Seen()) as seen:
        fresh = [problem for problem in problems if seen.add(problem.text)]
    with closing(Rows((fraction(1, problem.id), problem.id) for problem in problems)) as rows:
        first = next(iter(rows))
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import groupby, islice

CACHE = 8 << 20
"""How many bytes of a database are in memory at most."""

Row = tuple[str | int | float | bytes, ...]


def _database() -> sqlite3.Connection:
    base = sqlite3.connect("")  # a private file, removed when it is closed
    base.execute(f"PRAGMA cache_size = {-CACHE // 1024}")
    for setting in ("journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
        base.execute(f"PRAGMA {setting}")
    return base


class Seen:
    """A set of keys on disk. A key is told from others by 128 bits of a digest."""

    def __init__(self) -> None:
        self._base = _database()
        self._base.execute("CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID")

    def add(self, *key: str) -> bool:
        """Put a key into the set; whether it is new there."""
        done = self._base.execute("INSERT OR IGNORE INTO seen VALUES (?)", (_digest(key),))
        return done.rowcount == 1

    def has(self, *key: str) -> bool:
        """Whether a key is in the set."""
        found = self._base.execute("SELECT 1 FROM seen WHERE key = ?", (_digest(key),))
        return found.fetchone() is not None

    def close(self) -> None:
        """Remove the set from the disk."""
        self._base.close()


def _digest(key: tuple[str, ...]) -> bytes:
    return blake2b("\x1f".join(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Rows:
    """Rows on disk, all as long as the first one, to be gone over in their order."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._base = _database()
        self._names = self._insert = ""
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        """One more row."""
        if not self._names:
            self._names = ", ".join(f"c{at}" for at in range(len(row)))
            self._base.execute(f"CREATE TABLE rows ({self._names})")
            self._insert = f"INSERT INTO rows VALUES ({', '.join('?' * len(row))})"
        self._base.execute(self._insert, row)

    def __iter__(self) -> Iterator[Row]:
        if self._names:
            yield from self._base.execute(f"SELECT * FROM rows ORDER BY {self._names}")

    def close(self) -> None:
        """Remove the rows from the disk."""
        self._base.close()


def borders(rows: Iterable[Row], width: int, most: Mapping[Row, int]) -> dict[Row, Row]:
    """For each group the last row that is among the first so many of it; none where that is 0.

    rows   in order; the first `width` values are the group, the others are what is given back
    """
    found: dict[Row, Row] = {}
    for group, ranked in groupby(rows, lambda row: row[:width]):
        for row in islice(ranked, most.get(group, 0)):
            found[group] = row[width:]
    return found


def within(group: Row, rank: Row, limits: Mapping[Row, Row]) -> bool:
    """Whether a row is at the border of its group or before it."""
    return group in limits and rank <= limits[group]
