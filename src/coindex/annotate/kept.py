"""Figures that are kept as long as they are true: agreement, the leaderboard, kappa.

They follow from the finished sheets of a project, and a sheet's revision says exactly what
is in it. So a figure is kept with the numbers and revisions of those sheets: when one is
finished, taken up again or changed, it is made anew, and what was kept is never shown. The
revisions are read before the sheets are: what changes between is made anew next time.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from sqlalchemy import Connection, select

from coindex.annotate.tables import documents, sheets

MOST = 64
"""How many figures are kept."""


class Kept:
    """The figures of projects."""

    def __init__(self, most: int = MOST) -> None:
        self._found: OrderedDict[tuple[str, int], tuple[str, Any]] = OrderedDict()
        self._most = most
        self._lock = Lock()

    def get(
        self, connection: Connection, project: int, name: str, make: Callable[[], Any],
        beside: Any = None,
    ) -> Any:  # fmt: skip
        """A figure as it is now: kept, or made; `beside` is what else it depends on.

        It is shared: whoever gets it does not change it.
        """
        state = f"{revisions(connection, project)} {beside!r}"
        with self._lock:
            found = self._found.get((name, project))
        if found is not None and found[0] == state:
            return found[1]
        value = make()
        with self._lock:
            self._found[name, project] = (state, value)
            self._found.move_to_end((name, project))
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        return value


def revisions(connection: Connection, project: int) -> str:
    """What says which finished sheets a project has, and what is in them."""
    rows = connection.execute(
        select(sheets.c.id, sheets.c.revision)
        .join(documents, documents.c.id == sheets.c.document)
        .where((documents.c.project == project) & (sheets.c.purpose == "annotate") & sheets.c.done)
        .order_by(sheets.c.id)
    )
    told = ",".join(f"{row.id}:{row.revision}" for row in rows)
    return hashlib.sha256(told.encode()).hexdigest()
