"""Routes of quality: agreement, consensus, adjudication, gold."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, select

from coindex.annotate import adjudicate, consensus, gold
from coindex.annotate.accounts import note
from coindex.annotate.agreement import agreement
from coindex.annotate.board import collected
from coindex.annotate.fail import Fail
from coindex.annotate.outgoing import judgements
from coindex.annotate.projection import load
from coindex.annotate.projects import DEFAULTS
from coindex.annotate.tables import documents, users
from coindex.annotate.web.route import Ask, Route
from coindex.annotate.web.schema import integer, obj, one_of
from coindex.annotate.web.services import Services


def _needs(ask: Ask, kind: str) -> None:
    if ask.row.kind != kind:
        raise Fail(409, "kind", f"this is for projects of {kind}s")


def agree(services: Services, ask: Ask) -> Any:
    """How far annotators agree on chains."""
    _needs(ask, "document")
    with services.database.read() as connection:
        found = services.kept.get(
            connection, ask.row.id, "agreement", lambda: _agreement(connection, ask.row.id)
        )
        named = {row.id: row.name for row in connection.execute(select(users.c.id, users.c.name))}
        own = select(documents.c.name, documents.c.id).where(documents.c.project == ask.row.id)
        numbers = {row.name: row.id for row in connection.execute(own)}
    people = [{"id": id, "name": named[id]} for id in found["ids"]]
    rows = [{**row, "name": named[row["id"]]} for row in found["by_annotator"]]
    texts = [{**row, "id": numbers[row["name"]]} for row in found["documents"]]
    rest = {name: found[name] for name in ("pairs", "overall", "signature")}
    return {"annotators": people, **rest, "by_annotator": rows, "documents": texts}


def _agreement(connection: Connection, project: int) -> dict[str, Any]:
    made = collected(connection, project)
    return {"ids": sorted({user for own in made.values() for user in own}), **agreement(made)}


def rated(services: Services, ask: Ask) -> Any:
    """What raters said of problems, and how well they agree."""
    _needs(ask, "problem")
    settings = {**DEFAULTS, **ask.row.settings}
    rules = consensus.PROTOCOLS[settings["protocol"]]
    with services.database.read() as connection:
        said, kappa = services.kept.get(
            connection, ask.row.id, "kappa", lambda: _said(connection, ask.row.id)
        )
        rows = connection.execute(
            select(documents.c.id, documents.c.name)
            .where(documents.c.project == ask.row.id)
            .order_by(documents.c.position)
        ).all()
    items = []
    for row in rows:
        own = said.get(row.id, [])
        label = consensus.consensus(own, settings["raters"], settings["agree"])
        told = {"document": row.id, "name": row.name, "judgements": own, "consensus": label}
        items.append({**told, "kept": label in rules.kept})
    counts = Counter(each["consensus"] for each in items)
    return {"items": items, "counts": counts, "kappa": kappa}


def _said(connection: Connection, project: int) -> tuple[dict[int, list[str]], Any]:
    """What raters said of each problem, and Fleiss' kappa."""
    found = judgements(connection, project)
    said = {id: [label for _, label in found[id]] for id in sorted(found)}
    kappa = consensus.fleiss(list(said.values()))
    return said, asdict(kappa) if kappa else None


def by_rule(services: Services, ask: Ask) -> Any:
    """Open sheets to verify for documents that a rule takes."""
    _needs(ask, "document")
    rule, least = ask.body["rule"], ask.body.get("least", 4)
    limit = float(ask.body.get("similarity", 60))
    rows = gold.by_rule(services.events, ask.row.id, ask.user.id, rule, least, limit)
    with services.database.write() as connection:
        now = services.database.clock()
        note(connection, now, ask.user.id, "gold by rule", ask.row.name, **ask.body)
    return {"documents": rows}


def queue(services: Services, ask: Ask) -> Any:
    """Documents to adjudicate."""
    _needs(ask, "document")
    with services.database.read() as connection:
        now = services.database.clock()
        return {"documents": gold.waiting(connection, ask.row.id, ask.user.id, now)}


def begin(services: Services, ask: Ask) -> Any:
    """Adjudicate a document."""
    if not ask.row.tokens:
        raise Fail(409, "kind", "this is for projects of documents")
    return {"sheet": gold.begin(services.events, ask.row, ask.user.id)}


def differences(services: Services, ask: Ask) -> Any:
    """Where annotators differ."""
    if ask.row.purpose != "adjudicate":
        raise Fail(409, "purpose", "this is no sheet of adjudication")
    names = ask.query.get("names") == "1"
    with services.database.read() as connection:
        own = gold.collected(connection, ask.row.project).get(ask.row.document, [])
        found = adjudicate.disagreements(own, load(connection, ask.row.id))
    if names:
        with services.database.write() as connection:
            note(connection, services.database.clock(), ask.user.id, "names shown", ask.row.name)
    told = [{"alias": each.alias, "name": each.name if names else None} for each in own]
    return {"annotators": told, "disagreements": found}


_P = "/api/projects/{project:int}"

ROUTES = (
    Route("GET", f"{_P}/agreement", "manager", agree, "Agreement on chains"),
    Route("GET", f"{_P}/consensus", "manager", rated, "Agreement and consensus on problems"),
    Route("POST", f"{_P}/gold", "adjudicator", by_rule, "Gold by a rule, to be verified",
          obj("rule", rule=one_of("paper", "majority"), least=integer(1, 100),
              similarity={"type": "number", "minimum": 0, "maximum": 100})),
    Route("GET", f"{_P}/adjudication", "adjudicator", queue, "Documents to adjudicate"),
    Route("POST", "/api/documents/{document:int}/adjudicate", "adjudicator", begin,
          "Adjudicate a document", obj()),
    Route("GET", "/api/sheets/{sheet:int}/disagreements", "reader", differences,
          "Where annotators differ", query={"names": one_of("0", "1")}),
)  # fmt: skip
