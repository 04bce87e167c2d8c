"""Export: gold, imported documents, assignments with their history, judgements of problems."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex import formats, io
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.import_context import ASSIGNMENT_KEY, DOCUMENT_KEY, Item
from coindex.annotate.projects import settings_of
from coindex.annotate.quality import consensus
from coindex.annotate.store.events import load_records
from coindex.annotate.store.tables import assignments, events, projects, users
from coindex.builders.consensus import consensus as consensus_of
from coindex.errors import UsageError
from coindex.formats import ConversionLosses
from coindex.formats.writing import unused_name
from coindex.types.document import Document

WHICH = ("gold", "documents", "sheets", "judgements")
"""What can be exported; `sheets` is the name of assignments since version 0.1."""

SUFFIXES = {
    "conll2012": "conll", "semeval2010": "conll", "conllua": "conllua", "corefud": "conllu",
    "document-jsonl": "jsonl", "problem-jsonl": "jsonl", "jsonlines": "jsonl", "wl-coref": "jsonl",
    "fastcoref": "jsonl", "preco": "jsonl", "doccano": "jsonl", "prodigy": "jsonl",
    "ontonotes-rows": "jsonl", "winogrande": "jsonl", "allennlp": "json", "maverick": "json",
    "stanza": "json", "corenlp-json": "json", "label-studio": "json", "knowref": "json",
    "corenlp-xml": "xml", "wsc": "xml", "gap": "tsv", "winogender": "tsv", "wnli": "tsv",
    "docbin": "spacy",
}  # fmt: skip
"""The usual suffix of a format's files; `txt` for all others."""


def export_items(
    connection: Connection, project: int, which: str
) -> tuple[list[Item], dict[str, int]]:
    """Return the items to export, and the number of those left out by reason."""
    row = connection.execute(select(projects).where(projects.c.id == project)).one()
    texts = conversion.project_documents(connection, project)
    if which == "documents":
        return [_item(row, each) for each in texts], {}
    if which == "sheets":
        return list(_assignments(connection, row)), {}
    if row.kind == "problem":
        return _judged(connection, row, which)
    if which == "judgements":
        raise UsageError("judgements are of problems; this project holds documents")
    gold = conversion.gold_documents(connection, project)
    work = [each.id for each in texts if not each.training]
    missing = sum(id not in gold for id in work)
    exported: list[Item] = [gold[id] for id in work if id in gold]
    return exported, {"no gold yet": missing} if missing else {}


def _item(project: Row[Any], row: Row[Any]) -> Item:
    if project.kind == "document":
        return conversion.parse_document(row.body)
    return conversion.parse_problem(row.body)


def _judged(
    connection: Connection, project: Row[Any], which: str
) -> tuple[list[Item], dict[str, int]]:
    """Return problems with the raters' judgements, or with the consensus as answer."""
    rated = judgements(connection, project.id)
    settings = settings_of(project)
    exported: list[Item] = []
    left_out: Counter[str] = Counter()
    for row in conversion.project_documents(connection, project.id):
        problem = conversion.parse_problem(row.body)
        own = [label for _, label in rated.get(row.id, [])]
        if which == "judgements":
            meta = tuple(pair for pair in problem.meta if pair[0] != "judgements")
            added = (("judgements", " ".join(own)),) if own else ()
            exported.append(replace(problem, meta=meta + added))
            continue
        label = consensus_of(row.name, own, settings.raters, settings.agree)
        answered = consensus.with_consensus(problem, label, settings.protocol)
        if answered is None:
            left_out[label] += 1
        else:
            exported.append(answered)
    return exported, dict(left_out)


def judgements(connection: Connection, project: int) -> dict[int, list[tuple[int, str]]]:
    """Return the raters' judgements of each problem: `(user, label)` by the problem's id."""
    rated: dict[int, list[tuple[int, str]]] = {}
    for assignment, document, records in conversion.finished_assignments(connection, project):
        label = consensus.judgement(records)
        if label is not None:
            rated.setdefault(document.id, []).append((assignment.user, label))
    return rated


def _assignments(connection: Connection, project: Row[Any]) -> Iterator[Item]:
    for row in conversion.project_documents(connection, project.id):
        item = _item(project, row)
        values = {"training": row.training, "gold": row.gold, "suggestions": row.suggestions}
        yield _with_metadata(item, DOCUMENT_KEY, values)
        for assignment in connection.execute(
            select(assignments, users.c.name)
            .join(users, users.c.id == assignments.c.user)
            .where(assignments.c.document == row.id)
            .order_by(users.c.name, assignments.c.purpose)
        ).all():
            annotated = item
            if isinstance(item, Document):
                records = load_records(connection, assignment.id)
                annotated = conversion.annotated_document(item, records)
            yield _with_metadata(annotated, ASSIGNMENT_KEY, _history(connection, assignment))


def _with_metadata(item: Item, name: str, value: Any) -> Item:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return replace(item, meta=(*item.meta, (name, text)))


def _history(connection: Connection, assignment: Row[Any]) -> dict[str, Any]:
    """Return all that is needed to import an assignment again, under the names of 0.1."""
    names = ("id", "revision", "base", "client", "kind", "payload", "changes", "at")
    rows = connection.execute(
        select(events, users.c.name)
        .join(users, users.c.id == events.c.user)
        .where(events.c.assignment == assignment.id)
        .order_by(events.c.revision)
    )
    log = []
    for row in rows:
        by = {"by": row.name} if row.user != assignment.user else {}
        log.append({**{n: getattr(row, n) for n in names}, "told": row.client_time, **by})
    columns = ("purpose", "order", "spent", "why", "created")
    values = {name: getattr(assignment, name) for name in columns}
    looks = assignment.accuracy_checks
    return {"user": assignment.name, **values, "looks": looks, "events": log}


def export_file(items: list[Item], format: str) -> tuple[str, bytes, ConversionLosses]:
    """Return a file of a format: its suffix, its bytes, and what the format could not hold."""
    losses = ConversionLosses(format)
    if formats.is_binary(format):
        return SUFFIXES.get(format, "bin"), formats.write_binary(items, format, losses), losses
    if formats.is_single(format):
        return "zip", _zipped_singles(items, format, losses), losses
    if not formats.is_two_file(format):
        text = "".join(formats.write_lines(items, format, losses))
        return SUFFIXES.get(format, "txt"), text.encode("utf-8", "surrogatepass"), losses
    return "zip", _zipped(items, format, losses), losses


def _zipped_singles(items: list[Item], format: str, losses: ConversionLosses) -> bytes:
    """Return a zip archive with a file for each document, named by its id."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zip:
        taken: set[str] = set()
        for item in items:
            stem = unused_name(io.file_name(item.id), taken)
            text = "".join(formats.write_lines([item], format, losses))
            zip.writestr(zipfile.ZipInfo(f"{stem}.{format}"), text.encode("utf-8", "surrogatepass"))
    return buffer.getvalue()


def _zipped(items: list[Item], format: str, losses: ConversionLosses) -> bytes:
    """Return the files of a two-file format as a zip archive."""
    buffer = BytesIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zip,
    ):
        formats.write(Path(folder) / "out", items, format, losses)
        for path in sorted((Path(folder) / "out").iterdir()):
            zip.writestr(zipfile.ZipInfo(path.name), io.read_bytes(path))
    return buffer.getvalue()
