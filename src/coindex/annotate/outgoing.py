"""Export: gold, documents as they came, people's sheets with history, judgements of problems."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, select

from coindex import formats
from coindex.annotate import consensus, papers
from coindex.annotate.arrivals import ABOUT, SHEET, Item
from coindex.annotate.projection import load
from coindex.annotate.projects import DEFAULTS
from coindex.annotate.tables import documents, events, projects, sheets, users
from coindex.core.document import Document
from coindex.errors import UsageError
from coindex.formats import Losses

WHICH = ("gold", "documents", "sheets", "judgements")


def take_out(connection: Connection, project: int, which: str) -> tuple[list[Item], dict[str, int]]:
    """The items to export, and those left out, counted by reason."""
    row = connection.execute(select(projects).where(projects.c.id == project)).one()
    if which == "documents":
        return [_item(row, each) for each in _texts(connection, project)], {}
    if which == "sheets":
        return list(_sheets(connection, row)), {}
    if row.kind == "problem":
        return _judged(connection, row, which)
    if which == "judgements":
        raise UsageError("judgements are of problems; this project holds documents")
    golds = papers.golds(connection, project)
    texts = _texts(connection, project)
    kept: list[Item] = [golds[each.id] for each in texts if each.id in golds and not each.training]
    missing = sum(1 for each in texts if each.id not in golds and not each.training)
    return kept, {"no gold yet": missing} if missing else {}


def _texts(connection: Connection, project: int) -> Any:
    own = documents.c.project == project
    return connection.execute(select(documents).where(own).order_by(documents.c.position)).all()


def _item(project: Row[Any], row: Row[Any]) -> Item:
    return (
        papers.document_of(row.body) if project.kind == "document" else papers.problem_of(row.body)
    )


def _judged(
    connection: Connection, project: Row[Any], which: str
) -> tuple[list[Item], dict[str, int]]:
    """Problems with what raters said (`judgements`), or with the consensus as answer."""
    said = judgements(connection, project.id)
    settings = {**DEFAULTS, **project.settings}
    kept: list[Item] = []
    left: dict[str, int] = {}
    for row in _texts(connection, project.id):
        problem = papers.problem_of(row.body)
        own = [label for _, label in said.get(row.id, [])]
        if which == "judgements":
            meta = tuple(pair for pair in problem.meta if pair[0] != "judgements")
            told = (("judgements", " ".join(own)),) if own else ()
            kept.append(replace(problem, meta=meta + told))
            continue
        label = consensus.consensus(own, settings["raters"], settings["agree"])
        answered = consensus.answered(problem, label, settings["protocol"])
        if answered is None:
            left[label] = left.get(label, 0) + 1
        else:
            kept.append(answered)
    return kept, left


def judgements(connection: Connection, project: int) -> dict[int, list[tuple[int, str]]]:
    """What each rater said of each problem: `(user, label)` by the problem's number."""
    found: dict[int, list[tuple[int, str]]] = {}
    for sheet, document, told in papers.finished(connection, project):
        label = consensus.judgement(told)
        if label is not None:
            found.setdefault(document.id, []).append((sheet.user, label))
    return found


def _sheets(connection: Connection, project: Row[Any]) -> Iterator[Item]:
    for row in _texts(connection, project.id):
        item = _item(project, row)
        about = {"training": row.training, "gold": row.gold, "suggestions": row.suggestions}
        yield _with(item, ABOUT, about)
        own = sheets.c.document == row.id
        for sheet in connection.execute(
            select(sheets, users.c.name)
            .join(users, users.c.id == sheets.c.user)
            .where(own)
            .order_by(users.c.name, sheets.c.purpose)
        ).all():
            told = load(connection, sheet.id)
            made = papers.made(item, told) if isinstance(item, Document) else item
            yield _with(made, SHEET, _history(connection, sheet))


def _with(item: Item, name: str, value: Any) -> Item:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return replace(item, meta=(*item.meta, (name, text)))


def _history(connection: Connection, sheet: Row[Any]) -> dict[str, Any]:
    """All of a sheet that importing it again needs."""
    names = ("id", "revision", "base", "client", "kind", "payload", "changes", "at", "told")
    rows = connection.execute(
        select(events, users.c.name)
        .join(users, users.c.id == events.c.user)
        .where(events.c.sheet == sheet.id)
        .order_by(events.c.revision)
    ).mappings()
    log = []
    for row in rows:
        by = {"by": row["name"]} if row["user"] != sheet.user else {}
        log.append({**{name: row[name] for name in names}, **by})
    columns = ("purpose", "order", "spent", "looks", "why", "created")
    return {"user": sheet.name, **{name: getattr(sheet, name) for name in columns}, "events": log}


def packed(items: list[Item], format: str) -> tuple[str, bytes, Losses]:
    """A file of a format: its ending, its bytes, and what it could not hold."""
    losses = Losses(format)
    module = formats.load(format)
    if not hasattr(module, "PARTS"):
        text = "".join(formats.lines(items, format, losses))
        ending = "jsonl" if format.endswith("jsonl") else "txt"
        return ending, text.encode("utf-8", "surrogatepass"), losses
    return "zip", _zipped(items, format, losses), losses


def _zipped(items: list[Item], format: str, losses: Losses) -> bytes:
    """A two-file format as a zip, through the one writer of such folders."""
    import tempfile
    from pathlib import Path

    buffer = io.BytesIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zip,
    ):
        formats.write(Path(folder) / "out", items, format, losses)
        for path in sorted((Path(folder) / "out").iterdir()):
            zip.writestr(zipfile.ZipInfo(path.name), path.read_bytes())
    return buffer.getvalue()
