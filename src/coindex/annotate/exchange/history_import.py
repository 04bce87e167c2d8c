"""Importing an assignment with all its events, as `export` wrote it, after checking it.

A history is accepted if this app could have written it: revisions from 1 on without gaps; ids
that are not used twice; each event, applied again, makes the changes stored with it; only the
top of the undo stack is undone; and the result is the entities in the same line of the file.
A file cannot prove who wrote it: those who import it vouch for it, and the audit log names them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from coindex.annotate.errors import InvalidAction
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.import_context import (
    ImportedAnnotators,
    ImportSummary,
    Item,
    is_account_name,
    parse_metadata,
)
from coindex.annotate.store.database import insert_row
from coindex.annotate.store.doctor import replay
from coindex.annotate.store.events import insert_records
from coindex.annotate.store.records import Records, TextBounds, is_done
from coindex.annotate.store.tables import assignments, events
from coindex.annotate.store.undo import SEED
from coindex.annotate.store.validation import is_count, is_id
from coindex.types.document import Document
from coindex.types.mention import Entity

PURPOSES = ("annotate", "adjudicate")
ASSIGNMENT_KEYS = {"user", "purpose", "order", "spent", "looks", "why", "created", "events"}
EVENT_KEYS = {"id", "revision", "base", "client", "kind", "payload", "changes", "at", "told"}


class LoggedEvent:
    """An event of a history; `by` is its author if that is not the assignment's annotator."""

    def __init__(self, values: dict[str, Any], by: str | None) -> None:
        self.values, self.by = values, by
        self.id, self.kind = values["id"], values["kind"]
        self.payload, self.changes = values["payload"], values["changes"]


def import_history(
    connection: Connection, annotators: ImportedAnnotators, old: Row[Any] | None, item: Item,
    text: str, summary: ImportSummary,
) -> None:  # fmt: skip
    """Store an assignment with all its events; `InvalidAction` if its history is not valid."""
    history = parse_metadata(text, item)
    if old is None:
        summary.skip(item, "expected its document before it, found none")
        return
    if not conversion.same_text(old.body, item):
        summary.skip(item, "another text of that name is there")
        return
    candidates = 0 if isinstance(item, Document) else len(item.candidates)
    log, records = check_history(history, old.tokens, candidates)
    if isinstance(item, Document):
        _check_entities(item, records)
    user = annotators.id_of(history["user"])
    same = (assignments.c.document == old.id) & (assignments.c.user == user)
    same &= assignments.c.purpose == history["purpose"]
    if connection.execute(select(assignments.c.id).where(same)).first():
        summary.skip(item, f"{history['user']!r} has an assignment of this document already")
        return
    _store(connection, annotators, old.id, user, history, log, records)
    summary.counts.update(sheets=1, events=len(log))


def check_history(
    history: dict[str, Any], tokens: int, candidates: int
) -> tuple[list[LoggedEvent], Records]:
    """Return the events of a history and the records after them."""
    _check_assignment(history, tokens, candidates)
    ids: set[str] = set()
    log = []
    for at, row in enumerate(history["events"], 1):
        log.append(_checked_event(row, at))
        if log[-1].id in ids:
            raise InvalidAction(f"event {at}: its id {log[-1].id!r} is that of another")
        ids.add(log[-1].id)
    order = None if history["order"] is None else tuple(history["order"])
    problems, records = replay(log, TextBounds(tokens, order), strict=True)
    if problems:
        raise InvalidAction(problems[0])
    return log, records


def _check_assignment(history: dict[str, Any], tokens: int, candidates: int) -> None:
    if set(history) != ASSIGNMENT_KEYS:
        odd = ", ".join(sorted(map(str, set(history) ^ ASSIGNMENT_KEYS)))
        raise InvalidAction(
            f"expected the values of an assignment; missing or unknown: {odd[:200]}"
        )
    order, checks = history["order"], history["looks"]
    expected = sorted(map(str, range(candidates)))
    permuted = isinstance(order, list) and sorted(map(str, order)) == expected
    valid = {
        "user": is_account_name(history["user"]), "purpose": history["purpose"] in PURPOSES,
        "order": order is None if tokens else permuted,
        "spent": is_count(history["spent"]), "looks": is_count(checks) and checks < 2**31,
        "why": history["why"] is None or isinstance(history["why"], dict),
        "created": is_count(history["created"]), "events": isinstance(history["events"], list),
    }  # fmt: skip
    invalid = [name for name, fine in valid.items() if not fine]
    if invalid:
        value = history[invalid[0]]
        raise InvalidAction(f"{invalid[0]}: not a value of an assignment: {value!r:.80}")


def _checked_event(row: Any, at: int) -> LoggedEvent:
    if not isinstance(row, dict) or not EVENT_KEYS <= set(row) <= EVENT_KEYS | {"by"}:
        raise InvalidAction(f"event {at}: expected {', '.join(sorted(EVENT_KEYS))}")
    if row["revision"] != at or not is_count(row["revision"], 1):
        raise InvalidAction(f"event {at}: expected revision {at}, found {row['revision']!r:.40}")
    seed = isinstance(row["id"], str) and row["id"].startswith("seed-")
    valid = {
        "id": is_id(row["id"]) and seed == (row["kind"] == SEED),
        "base": is_count(row["base"]) and row["base"] < at,
        "client": is_id(row["client"]), "kind": isinstance(row["kind"], str),
        "payload": isinstance(row["payload"], dict), "changes": _are_changes(row["changes"]),
        "at": is_count(row["at"]), "told": row["told"] is None or is_count(row["told"]),
        "by": "by" not in row or is_account_name(row["by"]),
    }  # fmt: skip
    invalid = [name for name, fine in valid.items() if not fine]
    if invalid:
        value = row.get(invalid[0])
        raise InvalidAction(f"event {at}: {invalid[0]}: not a value of an event: {value!r:.80}")
    return LoggedEvent({name: row[name] for name in EVENT_KEYS}, row.get("by"))


def _are_changes(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and set(each) == {"key", "before", "after"} for each in value
    )


def _check_entities(item: Document, records: Records) -> None:
    """Check that the entities in the file are those of its events."""
    replayed = conversion.annotated_document(replace(item, entities=()), records)
    if set(map(_comparable, replayed.entities)) != set(map(_comparable, item.entities)):
        raise InvalidAction("its entities are not what its events add up to")


def _comparable(entity: Entity) -> Any:
    return frozenset(entity.mentions), entity.id, entity.kind, entity.attrs


def _store(
    connection: Connection, annotators: ImportedAnnotators, document: int, user: int,
    history: dict[str, Any], log: list[LoggedEvent], records: Records,
) -> None:  # fmt: skip
    columns = {name: history[name] for name in ("purpose", "order", "spent", "why", "created")}
    assignment = insert_row(
        connection, assignments, document=document, user=user, revision=len(log),
        done=is_done(records), accuracy_checks=history["looks"], **columns,
    )  # fmt: skip
    rows = []
    for event in log:
        author = user if event.by is None else annotators.id_of(event.by)
        values = {name: value for name, value in event.values.items() if name != "told"}
        more = {"assignment": assignment, "user": author, "client_time": event.values["told"]}
        rows.append({**values, **more})
    if rows:
        connection.execute(insert(events), rows)
    insert_records(connection, assignment, records)
