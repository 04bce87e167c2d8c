"""Whether a sheet's history can be true: what an imported file says of somebody's work.

A history is believed when it is one that this app could have written: revisions from 1 on,
without gaps; ids that are new; each event does again what is stored with it; only what was
done last is undone; and it adds up to the entities that stand in the file beside it. Who
made it cannot be seen from a file: who imports it vouches for it, and is on the audit log.
"""

from __future__ import annotations

from typing import Any

from coindex.annotate._payload import NAME
from coindex.annotate.doctor import rebuild
from coindex.annotate.fail import Invalid
from coindex.annotate.history import SEED
from coindex.annotate.records import Ground, Records
from coindex.annotate.shapes import number

PURPOSES = ("annotate", "adjudicate")
SHEET = {"user", "purpose", "order", "spent", "looks", "why", "created", "events"}
EVENT = {"id", "revision", "base", "client", "kind", "payload", "changes", "at", "told"}


class Logged:
    """An event of a history; its values are also attributes, as those of a database's row."""

    def __init__(self, values: dict[str, Any], by: str | None) -> None:
        self.values, self.by = values, by
        self.id, self.revision, self.kind = values["id"], values["revision"], values["kind"]
        self.payload, self.changes = values["payload"], values["changes"]


def believed(told: dict[str, Any], tokens: int, candidates: int) -> tuple[list[Logged], Records]:
    """The events of a history and the records they add up to; `Invalid` says what is wrong."""
    _sheet(told, tokens, candidates)
    ids: set[str] = set()
    log = []
    for at, row in enumerate(told["events"], 1):
        log.append(_event(row, at))
        if log[-1].id in ids:
            raise Invalid(f"event {at}: its id {log[-1].id!r} is that of another")
        ids.add(log[-1].id)
    order = None if told["order"] is None else tuple(told["order"])
    wrong, found = rebuild(log, Ground(tokens, order), strict=True)
    if wrong:
        raise Invalid(wrong[0])
    return log, found


def _sheet(told: dict[str, Any], tokens: int, candidates: int) -> None:
    """The facts of a sheet beside its events."""
    if set(told) != SHEET:
        odd = ", ".join(sorted(map(str, set(told) ^ SHEET)))
        raise Invalid(f"expected the facts of a sheet, found a difference in: {odd[:200]}")
    order = told["order"]
    fits = order is None if tokens else _permutation(order, candidates)
    good = {
        "user": name_like(told["user"]), "purpose": told["purpose"] in PURPOSES, "order": fits,
        "spent": number(told["spent"]), "looks": number(told["looks"]) and told["looks"] < 2**31,
        "why": told["why"] is None or isinstance(told["why"], dict),
        "created": number(told["created"]), "events": isinstance(told["events"], list),
    }  # fmt: skip
    wrong = [name for name, fine in good.items() if not fine]
    if wrong:
        raise Invalid(f"{wrong[0]}: not one of a sheet: {told[wrong[0]]!r:.80}")


def _permutation(order: Any, count: int) -> bool:
    return isinstance(order, list) and sorted(map(str, order)) == sorted(map(str, range(count)))


def name_like(value: Any) -> bool:
    """Whether this can be the name of an account."""
    return isinstance(value, str) and 0 < len(value.strip()) <= 100 and value.isprintable()


def _event(row: Any, at: int) -> Logged:
    """One event by itself: all values there, each of its kind."""
    if not isinstance(row, dict) or not EVENT <= set(row) <= EVENT | {"by"}:
        raise Invalid(f"event {at}: expected {', '.join(sorted(EVENT))}")
    if row["revision"] != at or not number(row["revision"], 1):
        raise Invalid(f"event {at}: expected revision {at}, found {row['revision']!r:.40}")
    seed = isinstance(row["id"], str) and row["id"].startswith("seed-")
    good = {
        "id": _named(row["id"]) and seed == (row["kind"] == SEED),
        "base": number(row["base"]) and row["base"] < at,
        "client": _named(row["client"]), "kind": isinstance(row["kind"], str),
        "payload": isinstance(row["payload"], dict), "changes": _changes(row["changes"]),
        "at": number(row["at"]), "told": row["told"] is None or number(row["told"]),
        "by": "by" not in row or name_like(row["by"]),
    }  # fmt: skip
    wrong = [name for name, fine in good.items() if not fine]
    if wrong:
        raise Invalid(f"event {at}: {wrong[0]}: not one of an event: {row.get(wrong[0])!r:.80}")
    return Logged({name: row[name] for name in EVENT}, row.get("by"))


def _named(value: Any) -> bool:
    return isinstance(value, str) and NAME.match(value) is not None


def _changes(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and set(each) == {"key", "before", "after"} for each in value
    )
