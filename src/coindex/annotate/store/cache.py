"""The one cache of the app: values that are valid for exactly one revision.

The records of an assignment are cached under its revision; agreement, the leaderboard and
kappa under the ids and revisions of all finished assignments of a project. A value that was
cached for another revision is never used, so several servers can share one database.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from sqlalchemy import Connection, select

from coindex.annotate.store.lifecycle import in_state
from coindex.annotate.store.tables import assignments, documents

CACHE_SIZE = 64
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RevisionCache(Generic[Key, Value]):
    """A least-recently-used cache of values, each with the revision it was computed for."""

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._entries: OrderedDict[Key, tuple[Hashable, Value]] = OrderedDict()
        self._size = size
        self._lock = Lock()

    def pop(self, key: Key, revision: Hashable) -> Value | None:
        """Remove a value and return it; None if it is not cached for this revision."""
        with self._lock:
            entry = self._entries.pop(key, None)
        return entry[1] if entry is not None and entry[0] == revision else None

    def put(self, key: Key, revision: Hashable, value: Value) -> None:
        """Store a value and drop the least recently used one if the cache is full."""
        with self._lock:
            self._entries[key] = (revision, value)
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def get(self, key: Key, revision: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value for this revision, computed if it is not cached.

        The value is shared: callers must not change it.
        """
        with self._lock:
            entry = self._entries.get(key)
        value = entry[1] if entry is not None and entry[0] == revision else compute()
        self.put(key, revision, value)
        return value


def project_revision(connection: Connection, project: int) -> str:
    """Return a digest of the ids and revisions of a project's finished assignments.

    Read it before the assignments: what changes in between is computed again next time.
    """
    own = (documents.c.project == project) & (assignments.c.purpose == "annotate")
    rows = connection.execute(
        select(assignments.c.id, assignments.c.revision)
        .join(documents, documents.c.id == assignments.c.document)
        .where(own & assignments.c.done & in_state(documents))
        .order_by(assignments.c.id)
    )
    revisions = ",".join(f"{row.id}:{row.revision}" for row in rows)
    return hashlib.sha256(revisions.encode()).hexdigest()
