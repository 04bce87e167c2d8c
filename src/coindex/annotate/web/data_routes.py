"""Routes of a project's data: import, export, rankings, suggestions."""

from __future__ import annotations

import json
from typing import Any

from coindex import formats
from coindex.annotate import incoming, outgoing, ranker, transfer
from coindex.annotate.accounts import note
from coindex.annotate.fail import Fail
from coindex.annotate.web.route import Answer, Ask, File, Route
from coindex.annotate.web.schema import obj, one_of, text
from coindex.annotate.web.services import Services


def _log(services: Services, ask: Ask, action: str, target: str, **detail: Any) -> None:
    with services.database.write() as connection:
        note(connection, services.database.clock(), ask.user.id, action, target, **detail)


def rank(services: Services, ask: Ask) -> Any:
    """Rank the documents anew, in the background."""
    return Answer({"state": ranker.start(services.database, services.ranker, ask.row.id)}, 202)


def ranking(services: Services, ask: Ask) -> Any:
    """The ranking that serves."""
    return ranker.latest(services.database, ask.row.id)


def suggest(services: Services, ask: Ask) -> Any:
    """Make a resolver's suggestions for all documents, in the background."""
    if ask.row.kind != "document":
        raise Fail(409, "kind", "this is for projects of documents")
    _log(services, ask, "suggestions asked for", ask.row.name, **ask.body)
    return Answer(services.suggestions.start(ask.row.id, ask.body["resolver"]), 202)


def suggested(services: Services, ask: Ask) -> Any:
    """How far the suggestions are."""
    return services.suggestions.told(ask.row.id)


def bring_in(services: Services, ask: Ask) -> Any:
    """Import a file."""
    format = ask.query.get("format")
    if format is not None and format not in formats.names():
        raise Fail(422, "invalid", f"format: expected one of {', '.join(formats.names())}")
    purpose, name = ask.query.get("purpose", "work"), ask.query.get("name", "upload")
    found = incoming.items(ask.body, name, format)
    done = transfer.bring_in(
        services.events, ask.row, found, purpose, name[:60], everybody=ask.user.administrator
    )
    told = {"purpose": purpose, "people": done.people, **done.counts}
    _log(services, ask, "import", ask.row.name, **told)
    return done.as_json()


def take_out(services: Services, ask: Ask) -> Any:
    """Export to a file."""
    usual = "document-jsonl" if ask.row.kind == "document" else "problem-jsonl"
    format, which = ask.query.get("format", usual), ask.query.get("which", "gold")
    if format not in formats.names(ask.row.kind):
        known = ", ".join(formats.names(ask.row.kind))
        raise Fail(422, "invalid", f"format: expected one of {known}")
    with services.database.read() as connection:
        items, left = outgoing.take_out(connection, ask.row.id, which)
    ending, content, losses = outgoing.packed(items, format)
    _log(services, ask, "export", ask.row.name, which=which, format=format, items=len(items))
    told = {"lost": dict(losses.lost), "refused": dict(losses.refused), "left_out": left}
    return File(f"{which}.{ending}", content, "application/octet-stream",
                {"X-Coindex-Lost": json.dumps(told)})  # fmt: skip


_P = "/api/projects/{project:int}"

ROUTES = (
    Route("POST", f"{_P}/rank", "manager", rank, "Rank the documents anew", obj()),
    Route("GET", f"{_P}/ranking", "manager", ranking, "The ranking that serves"),
    Route("POST", f"{_P}/suggest", "manager", suggest, "Make a resolver's suggestions",
          obj("resolver", resolver=text(60, 1))),
    Route("GET", f"{_P}/suggest", "manager", suggested, "How far the suggestions are"),
    Route("POST", f"{_P}/import", "manager", bring_in, "Import a file", upload=True,
          query={"format": text(40), "purpose": one_of(*transfer.PURPOSES), "name": text(200)}),
    Route("GET", f"{_P}/export", "manager", take_out, "Export to a file",
          query={"format": text(40), "which": one_of(*outgoing.WHICH)}),
)  # fmt: skip
