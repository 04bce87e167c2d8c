"""Indexes of items on disk, so that a run of any size can be balanced in little memory.

Deduplication, balancing and statistics iterate over all items of a run repeatedly, each time
from their files, and hold at most a key of each. The keys are in private temporary SQLite
databases, in the folder that `TMPDIR` names, which are removed when they are closed; at most
`CACHE` bytes of each are in memory.

    with closing(DiskSet()) as seen:
        new = [problem for problem in problems if seen.add(problem.text)]
    with closing(SortedRows((seeded_fraction(1, p.id), p.id) for p in problems)) as rows:
        first = next(iter(rows))
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby, islice

from coindex.builders.protocol import Dropped
from coindex.types.problem import Problem

CACHE = 8 << 20
"""The maximum number of bytes of a database in memory."""

Row = tuple[str | int | float | bytes, ...]


def _database() -> sqlite3.Connection:
    database = sqlite3.connect("")  # a private file, removed when it is closed
    database.execute(f"PRAGMA cache_size = {-CACHE // 1024}")
    for setting in ("journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
        database.execute(f"PRAGMA {setting}")
    return database


class DiskSet:
    """A set of keys on disk. Keys are compared by a digest of 128 bits."""

    def __init__(self) -> None:
        self._database = _database()
        self._database.execute("CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID")

    def add(self, *key: str) -> bool:
        """Add a key; returns whether it is new."""
        done = self._database.execute("INSERT OR IGNORE INTO seen VALUES (?)", (_digest(key),))
        return done.rowcount == 1

    def has(self, *key: str) -> bool:
        """Whether a key is in the set."""
        rows = self._database.execute("SELECT 1 FROM seen WHERE key = ?", (_digest(key),))
        return rows.fetchone() is not None

    def close(self) -> None:
        """Remove the set from the disk."""
        self._database.close()


def _digest(key: tuple[str, ...]) -> bytes:
    return blake2b("\x1f".join(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class SortedRows:
    """Rows on disk, all as long as the first one; iteration is in sorted order."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._database = _database()
        self._columns = self._insert = ""
        try:
            for row in rows:
                self.add(row)
        except BaseException:  # nobody else could close it
            self.close()
            raise

    def add(self, row: Row) -> None:
        """Add a row."""
        if not self._columns:
            self._columns = ", ".join(f"c{index}" for index in range(len(row)))
            self._database.execute(f"CREATE TABLE rows ({self._columns})")
            self._insert = f"INSERT INTO rows VALUES ({', '.join('?' * len(row))})"
        self._database.execute(self._insert, row)

    def __iter__(self) -> Iterator[Row]:
        if self._columns:
            yield from self._database.execute(f"SELECT * FROM rows ORDER BY {self._columns}")

    def close(self) -> None:
        """Remove the rows from the disk."""
        self._database.close()


def group_limits(rows: Iterable[Row], width: int, most: Mapping[Row, int]) -> dict[Row, Row]:
    """For each group, the last row among its first `most[group]` ones; none where that is 0.

    rows   in sorted order; the first `width` values are the group, the others are returned
    """
    limits: dict[Row, Row] = {}
    for group, ranked in groupby(rows, lambda row: row[:width]):
        for row in islice(ranked, most.get(group, 0)):
            limits[group] = row[width:]
    return limits


def within_limit(group: Row, rank: Row, limits: Mapping[Row, Row]) -> bool:
    """Whether a row of a group is at the limit of the group or before it."""
    return group in limits and rank <= limits[group]


def problem_key(problem: Problem) -> tuple[str, ...]:
    """What two copies of one item have in common: text, pronoun and names of the candidates."""
    names = (candidate.text for candidate in problem.candidates)
    return problem.text, str(problem.target.start), *names


def deduplicate(problems: Iterable[Problem]) -> Iterator[Problem | Dropped]:
    """The first copy of each item, and the other copies as dropped.

    Pages copy from each other, and result tables are made from templates.
    """
    with closing(DiskSet()) as seen:
        for problem in problems:
            if seen.add(*problem_key(problem)):
                yield problem
            else:
                yield Dropped(problem.id, "collect", "the same item again", problem.text)


@dataclass(frozen=True, slots=True)
class UniqueProblems:
    """The first copy of each item, at every iteration."""

    problems: Iterable[Problem]

    def __iter__(self) -> Iterator[Problem]:
        return (each for each in deduplicate(self.problems) if isinstance(each, Problem))
