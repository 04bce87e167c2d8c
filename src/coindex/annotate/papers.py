"""Between rows of the database and coindex's objects: documents, problems, what people made.

A mention becomes one `Mention` in each of its groups; a group's name is its entity's id;
notes and doubts become attributes. Empty groups are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex.annotate.projection import load
from coindex.annotate.records import DOCUMENT, Record, Records, folder
from coindex.annotate.tables import documents, records, sheets, users
from coindex.core.document import Document
from coindex.core.mention import Entity, Mention, Pairs
from coindex.core.problem import Problem
from coindex.core.source import Source
from coindex.core.span import Span
from coindex.errors import CoindexError
from coindex.formats import document_jsonl, problem_jsonl

NOTE, UNSURE = "annotate.note", "annotate.unsure"


def body(item: Document | Problem) -> str:
    """An item as it is stored."""
    if isinstance(item, Document):
        return "".join(document_jsonl.write([item]))
    return "".join(problem_jsonl.write([item]))


def document_of(text: str) -> Document:
    """A stored document."""
    return next(iter(document_jsonl.read([text], Source("<database>"))))


def problem_of(text: str) -> Problem:
    """A stored problem."""
    return next(iter(problem_jsonl.read([text], Source("<database>"))))


def same_text(text: str, item: Document | Problem) -> bool:
    """Whether a stored item has the words of another, whatever is said about them."""
    try:
        if isinstance(item, Document):
            one = document_of(text)
            return (one.text, one.starts, one.ends) == (item.text, item.starts, item.ends)
        other = problem_of(text)
    except (CoindexError, StopIteration):
        return False
    return (other.text, other.target, other.candidates) == (item.text, item.target, item.candidates)


def made(document: Document, found: Mapping[str, Record], *, notes: bool = True) -> Document:
    """A document with the entities of a sheet."""
    groups: dict[str, list[Mention]] = {id: [] for id in folder(found, "groups")}
    for record in folder(found, "mentions").values():
        for group in record["groups"]:
            groups[group].append(_mention(record, group, notes))
    records_of = folder(found, "groups")
    names = _names({id: records_of[id] for id, own in groups.items() if own})
    entities = tuple(
        Entity(tuple(own), names[id], records_of[id]["kind"], _pairs(records_of[id]["attrs"]))
        for id, own in groups.items()
        if own
    )
    return replace(document, entities=entities)


def _mention(record: Record, group: str, notes: bool) -> Mention:
    told = {**record, **record.get("others", {}).get(group, {})}
    attrs = list(_pairs(told["attrs"]))
    if notes and told["note"]:
        attrs.append((NOTE, told["note"]))
    if notes and told["unsure"]:
        attrs.append((UNSURE, "yes"))
    spans = tuple(Span(start, end) for start, end in told["spans"])
    return Mention(spans, told["head"], told["kind"], told.get("id"), tuple(attrs))


def _names(groups: Mapping[str, Record]) -> dict[str, str | None]:
    """The entities' ids: groups' names, told apart where two are the same."""
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


def records_of(document: Document, *, done: bool = True) -> Records:
    """The records of a document's entities: what `made` gives back."""
    found: Records = {DOCUMENT: {"note": "", "unsure": False, "done": done, "answer": None}}
    places: dict[tuple[Span, ...], str] = {}
    for order, entity in enumerate(document.entities):
        group = f"g{order + 1}"
        found[f"groups/{group}"] = {
            "name": entity.id or "", "order": order, "kind": entity.kind,
            "attrs": [list(pair) for pair in entity.attrs],
        }  # fmt: skip
        for mention in entity.mentions:
            id = places.setdefault(mention.spans, f"m{len(places) + 1}")
            _put(found, f"mentions/{id}", mention, group)
    return found


def _put(found: Records, key: str, mention: Mention, group: str) -> None:
    attrs = [list(p) for p in mention.attrs if p[0] not in (NOTE, UNSURE)]
    told = {"head": mention.head, "kind": mention.kind, "attrs": attrs}
    told |= {"id": mention.id} if mention.id is not None else {}
    old = found.get(key)
    if old is None:
        facts = dict(mention.attrs)
        found[key] = {
            "spans": [[span.start, span.end] for span in mention.spans], "groups": [group],
            "note": facts.get(NOTE, ""), "unsure": facts.get(UNSURE) == "yes", **told,
        }  # fmt: skip
        return
    old["groups"].append(group)
    if any(old.get(name) != told.get(name) for name in ("head", "kind", "attrs", "id")):
        old.setdefault("others", {})[group] = {"id": None, **told}


def finished(
    connection: Connection, project: int, purpose: str = "annotate"
) -> list[tuple[Row[Any], Row[Any], Records]]:
    """Every finished sheet of a project with its document and its records, in order."""
    rows = connection.execute(
        select(sheets, users.c.name.label("user_name"))
        .join(documents, documents.c.id == sheets.c.document)
        .join(users, users.c.id == sheets.c.user)
        .where((documents.c.project == project) & (sheets.c.purpose == purpose) & sheets.c.done)
        .order_by(documents.c.position, sheets.c.id)
    ).all()
    texts = {
        row.id: row
        for row in connection.execute(select(documents).where(documents.c.project == project))
    }
    found = _all_records(connection, [row.id for row in rows])
    return [(row, texts[row.document], found.get(row.id, {})) for row in rows]


def _all_records(connection: Connection, ids: list[int]) -> dict[int, Records]:
    if len(ids) == 1:
        return {ids[0]: load(connection, ids[0])}
    found: dict[int, Records] = {}
    for start in range(0, len(ids), 500):
        part = records.c.sheet.in_(ids[start : start + 500])
        for row in connection.execute(select(records).where(part)):
            found.setdefault(row.sheet, {})[row.key] = row.value
    return found


def golds(connection: Connection, project: int) -> dict[int, Document]:
    """The gold of documents: a finished adjudication, or what was imported as gold."""
    own = (documents.c.project == project) & documents.c.gold.is_not(None)
    given = connection.execute(select(documents.c.id, documents.c.gold).where(own))
    found = {row.id: document_of(row.gold) for row in given}
    for _, document, told in finished(connection, project, "adjudicate"):
        found[document.id] = made(document_of(document.body), told, notes=False)
    return found


def pool(connection: Connection, project: int) -> tuple[list[Document], list[Document]]:
    """For the active queue: documents that nobody has finished, and those annotated.

    An annotated document counts with its gold, or else as the first who finished it made it.
    """
    known = {id: (-1, gold) for id, gold in golds(connection, project).items()}
    for sheet, document, told in finished(connection, project):
        if document.id not in known:
            known[document.id] = (sheet.id, made(document_of(document.body), told, notes=False))
    rows = connection.execute(
        select(documents).where(documents.c.project == project).order_by(documents.c.position)
    ).all()
    rest = [document_of(r.body) for r in rows if r.id not in known and not r.training]
    ordered = [known[row.id][1] for row in rows if row.id in known]
    return [replace(d, entities=()) for d in rest], [d for d in ordered if d.entities]
