"""Conversion between rows of the database and documents, problems and annotations.

A mention becomes one `Mention` in each of its groups. The name of a group becomes the id of
its entity. Notes and flags become attributes. Empty groups are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate.store.lifecycle import in_state
from coindex.annotate.store.records import (
    DOCUMENT,
    Record,
    Records,
    empty_document,
    new_group,
    new_mention,
    records_in,
)
from coindex.annotate.store.tables import assignments, documents, records, users
from coindex.errors import CoindexError
from coindex.formats.builtin import document_jsonl, problem_jsonl
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention, Pairs
from coindex.types.problem import Problem
from coindex.types.source import Source
from coindex.types.span import Span

NOTE, UNSURE = "annotate.note", "annotate.unsure"


def serialise(item: Document | Problem) -> str:
    """Return the text that is stored for a document or problem."""
    if isinstance(item, Document):
        return "".join(document_jsonl.write([item]))
    return "".join(problem_jsonl.write([item]))


def parse_document(text: str) -> Document:
    """Return a stored document."""
    return next(iter(document_jsonl.read([text], Source("<database>"))))


def parse_problem(text: str) -> Problem:
    """Return a stored problem."""
    return next(iter(problem_jsonl.read([text], Source("<database>"))))


def same_text(text: str, item: Document | Problem) -> bool:
    """Return whether a stored item has the same text and tokens, or candidates, as another."""
    try:
        if isinstance(item, Document):
            one = parse_document(text)
            return (one.text, one.starts, one.ends) == (item.text, item.starts, item.ends)
        other = parse_problem(text)
    except (CoindexError, StopIteration):
        return False
    return (other.text, other.target, other.candidates) == (item.text, item.target, item.candidates)


def annotated_document(
    document: Document, records: Mapping[str, Record], *, notes: bool = True
) -> Document:
    """Return a document with the entities of an assignment's records."""
    groups = records_in(records, "groups")
    mentions: dict[str, list[Mention]] = {id: [] for id in groups}
    for record in records_in(records, "mentions").values():
        for group in record["groups"]:
            mentions[group].append(_mention(record, group, notes))
    used = {id: groups[id] for id, own in mentions.items() if own}
    names = _entity_ids(used)
    entities = tuple(
        Entity(tuple(mentions[id]), names[id], group["kind"], _pairs(group["attrs"]))
        for id, group in used.items()
    )
    return replace(document, entities=entities)


def _mention(record: Record, group: str, notes: bool) -> Mention:
    values = {**record, **record.get("others", {}).get(group, {})}
    attrs = list(_pairs(values["attrs"]))
    if notes and values["note"]:
        attrs.append((NOTE, values["note"]))
    if notes and values["unsure"]:
        attrs.append((UNSURE, "yes"))
    spans = tuple(Span(start, end) for start, end in values["spans"])
    return Mention(spans, values["head"], values["kind"], values.get("id"), tuple(attrs))


def _entity_ids(groups: Mapping[str, Record]) -> dict[str, str | None]:
    """Return the entities' ids: the names of groups, numbered where two are equal."""
    used: set[str] = set()
    names: dict[str, str | None] = {}
    for id, record in sorted(groups.items(), key=lambda pair: pair[1]["order"]):
        name, number = record["name"], 1
        while name and name in used:
            number += 1
            name = f"{record['name']}-{number}"
        used.add(name)
        names[id] = name or None
    return names


def _pairs(rows: Iterable[Any]) -> Pairs:
    return tuple((str(name), str(value)) for name, value in rows)


def entity_records(document: Document, *, done: bool = True) -> Records:
    """Return the records of a document's entities, the inverse of `annotated_document`."""
    made: Records = {DOCUMENT: {**empty_document(), "done": done}}
    ids: dict[tuple[Span, ...], str] = {}
    for order, entity in enumerate(document.entities):
        group = f"g{order + 1}"
        attrs = [list(pair) for pair in entity.attrs]
        values = {"kind": entity.kind, "attrs": attrs}
        made[f"groups/{group}"] = {**new_group(order, entity.id or ""), **values}
        for mention in entity.mentions:
            id = ids.setdefault(mention.spans, f"m{len(ids) + 1}")
            _add_mention(made, f"mentions/{id}", mention, group)
    return made


def _add_mention(made: Records, key: str, mention: Mention, group: str) -> None:
    attrs = [list(pair) for pair in mention.attrs if pair[0] not in (NOTE, UNSURE)]
    metadata = {"head": mention.head, "kind": mention.kind, "attrs": attrs}
    metadata |= {"id": mention.id} if mention.id is not None else {}
    old = made.get(key)
    if old is None:
        flags = dict(mention.attrs)
        made[key] = {
            **new_mention([[span.start, span.end] for span in mention.spans], group),
            "note": flags.get(NOTE, ""), "unsure": flags.get(UNSURE) == "yes", **metadata,
        }  # fmt: skip
        return
    old["groups"].append(group)
    if any(old.get(name) != metadata.get(name) for name in ("head", "kind", "attrs", "id")):
        old.setdefault("others", {})[group] = {"id": None, **metadata}


def project_documents(connection: Connection, project: int) -> Sequence[Row[Any]]:
    """Return the active documents of a project in order."""
    own = (documents.c.project == project) & in_state(documents)
    return connection.execute(select(documents).where(own).order_by(documents.c.position)).all()


def finished_assignments(
    connection: Connection, project: int, purpose: str = "annotate"
) -> list[tuple[Row[Any], Row[Any], Records]]:
    """Return every finished assignment of a project with its document and records, in order."""
    own = (documents.c.project == project) & (assignments.c.purpose == purpose)
    own &= in_state(documents)
    rows = connection.execute(
        select(assignments, users.c.name.label("user_name"))
        .join(documents, documents.c.id == assignments.c.document)
        .join(users, users.c.id == assignments.c.user)
        .where(own & assignments.c.done)
        .order_by(documents.c.position, assignments.c.id)
    ).all()
    texts = {row.id: row for row in project_documents(connection, project)}
    loaded = _load_all(connection, [row.id for row in rows])
    return [(row, texts[row.document], loaded.get(row.id, {})) for row in rows]


def _load_all(connection: Connection, ids: list[int]) -> dict[int, Records]:
    loaded: dict[int, Records] = {}
    for start in range(0, len(ids), 500):
        part = records.c.assignment.in_(ids[start : start + 500])
        for row in connection.execute(select(records).where(part)):
            loaded.setdefault(row.assignment, {})[row.key] = row.value
    return loaded


def finished_annotations(
    connection: Connection, project: int, purpose: str = "annotate"
) -> list[tuple[Row[Any], Row[Any], Document]]:
    """Return every finished assignment of a project with its document's row and annotation."""
    return [
        (row, text, annotated_document(parse_document(text.body), own, notes=False))
        for row, text, own in finished_assignments(connection, project, purpose)
    ]


def gold_documents(connection: Connection, project: int) -> dict[int, Document]:
    """Return the gold by document: a finished adjudication, or what was imported as gold."""
    rows = project_documents(connection, project)
    gold = {row.id: parse_document(row.gold) for row in rows if row.gold is not None}
    for _, text, annotation in finished_annotations(connection, project, "adjudicate"):
        gold[text.id] = annotation
    return gold


def ranking_pool(connection: Connection, project: int) -> tuple[list[Document], list[Document]]:
    """Return the documents that nobody has finished, and the annotated ones.

    An annotated document has its gold, or else the annotation of who finished it first.
    """
    known = gold_documents(connection, project)
    for _, text, annotation in finished_annotations(connection, project):
        known.setdefault(text.id, annotation)
    rows = project_documents(connection, project)
    rest = [parse_document(r.body) for r in rows if r.id not in known and not r.training]
    annotated = [known[row.id] for row in rows if row.id in known]
    return [replace(d, entities=()) for d in rest], [d for d in annotated if d.entities]
