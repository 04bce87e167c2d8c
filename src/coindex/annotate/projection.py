"""The records of sheets, read from the database or kept from the last request.

A sheet's revision says exactly which records it has, so what was kept for another revision
is simply not used: several servers can work on one database.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from sqlalchemy import Connection, delete, insert, select, update

from coindex.annotate.records import Change, Records, apply
from coindex.annotate.tables import records

KEPT = 64
"""How many sheets are kept."""


class Projection:
    """The records of the sheets that were used last."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept: OrderedDict[int, tuple[int, Records]] = OrderedDict()
        self._size = kept
        self._lock = Lock()

    def take(self, connection: Connection, sheet: int, revision: int) -> Records:
        """The records of a sheet, the caller's own; give them back with `keep` when stored."""
        with self._lock:
            found = self._kept.pop(sheet, None)
        if found is not None and found[0] == revision:
            return found[1]
        return load(connection, sheet)

    def keep(self, sheet: int, revision: int, found: Records) -> None:
        """Keep the records of a sheet whose transaction is done."""
        with self._lock:
            self._kept[sheet] = (revision, found)
            self._kept.move_to_end(sheet)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def load(connection: Connection, sheet: int) -> Records:
    """The records of a sheet from the database."""
    rows = connection.execute(
        select(records.c.key, records.c.value).where(records.c.sheet == sheet)
    )
    return {row.key: row.value for row in rows}


def save(connection: Connection, sheet: int, found: Records, changed: Iterable[Change]) -> None:
    """Write what changed, in the database and in the records at hand."""
    own = list(changed)
    new = [
        {"sheet": sheet, "key": change.key, "value": change.after}
        for change in own
        if change.before is None and change.after is not None
    ]
    if new:
        connection.execute(insert(records), new)
    for change in own:
        here = (records.c.sheet == sheet) & (records.c.key == change.key)
        if change.after is None:
            connection.execute(delete(records).where(here))
        elif change.before is not None:
            connection.execute(update(records).where(here).values(value=change.after))
    apply(found, own)
