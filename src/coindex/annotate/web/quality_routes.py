"""Routes of quality: agreement, consensus, adjudication, gold."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, select

from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.export import judgements
from coindex.annotate.projects import annotators_per_document, settings_of
from coindex.annotate.quality import adjudication, adjudication_queue, consensus
from coindex.annotate.quality.adjudication_start import adoption_events
from coindex.annotate.quality.agreement import agreement
from coindex.annotate.quality.dashboard import dashboard
from coindex.annotate.quality.leaderboard import finished_documents
from coindex.annotate.store.events import load_records
from coindex.annotate.store.lifecycle import in_state
from coindex.annotate.store.tables import documents, users
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema
from coindex.builders.consensus import consensus as consensus_of


def _require_kind(request: ApiRequest, kind: str) -> None:
    if request.row.kind != kind:
        raise ApiError(409, "kind", f"this is for projects of {kind}s")


def show_agreement(services: Services, request: ApiRequest) -> Json:
    """Return the agreement on chains."""
    _require_kind(request, "document")
    project = request.row.id
    with services.database.read() as connection:
        figures = services.cached(
            connection, "agreement", project, lambda: _agreement(connection, project)
        )
        named = {row.id: row.name for row in connection.execute(select(users.c.id, users.c.name))}
        own = select(documents.c.name, documents.c.id).where(documents.c.project == project)
        numbers = {row.name: row.id for row in connection.execute(own)}
    people = [{"id": id, "name": named[id]} for id in figures["ids"]]
    rows = [{**row, "name": named[row["id"]]} for row in figures["by_annotator"]]
    texts = [{**row, "id": numbers[row["name"]]} for row in figures["documents"]]
    rest = {name: figures[name] for name in ("pairs", "overall", "signature")}
    return {"annotators": people, **rest, "by_annotator": rows, "documents": texts}


def _agreement(connection: Connection, project: int) -> dict[str, Any]:
    annotations = finished_documents(connection, project)
    ids = sorted({user for own in annotations.values() for user in own})
    return {"ids": ids, **agreement(annotations)}


def show_consensus(services: Services, request: ApiRequest) -> Json:
    """Return the judgements of problems, their consensus and Fleiss' kappa."""
    _require_kind(request, "problem")
    settings, project = settings_of(request.row), request.row.id
    protocol = consensus.PROTOCOLS[settings.protocol]
    with services.database.read() as connection:
        labels, kappa = services.cached(
            connection, "kappa", project, lambda: _judgements(connection, project)
        )
        rows = connection.execute(
            select(documents.c.id, documents.c.name, documents.c.body)
            .where((documents.c.project == project) & in_state(documents))
            .order_by(documents.c.position)
        ).all()
        sheets = _rated_sheets(connection, project)
    items = []
    for row in rows:
        own = labels.get(row.id, [])
        label = consensus_of(row.name, own, settings.raters, settings.agree)
        values = {"document": row.id, "name": row.name, "judgements": own, "consensus": label}
        shown = {**_shown_problem(row.body), "sheets": sheets.get(row.id, [])}
        items.append({**values, "kept": label in protocol.accepted, **shown})
    counts = Counter(each["consensus"] for each in items)
    return {"items": items, "counts": counts, "kappa": kappa}


def _shown_problem(body: str) -> dict[str, Any]:
    """Return what a page shows of a problem: its passage, pronoun, names and source."""
    problem = conversion.parse_problem(body)
    target = [problem.target.start, problem.target.end]
    names = [each.text for each in problem.candidates]
    return {"text": problem.text, "target": target, "candidates": names, "source": problem.source}


def _rated_sheets(connection: Connection, project: int) -> dict[int, list[dict[str, Any]]]:
    """Return the finished assignments of each problem: their ids and raters."""
    rated: dict[int, list[dict[str, Any]]] = {}
    for assignment, document, records in conversion.finished_assignments(connection, project):
        label = consensus.judgement(records)
        if label is not None:
            row = {"id": assignment.id, "by": assignment.user_name, "judgement": label}
            rated.setdefault(document.id, []).append(row)
    return rated


def show_dashboard(services: Services, request: ApiRequest) -> Json:
    """Return progress by day, time per document and agreement over time."""
    with services.database.read() as connection:
        return dashboard(connection, request.row, services.database.clock())


def _judgements(connection: Connection, project: int) -> tuple[dict[int, list[str]], Any]:
    """Return the labels of each problem, and Fleiss' kappa."""
    rated = judgements(connection, project)
    labels = {id: [label for _, label in rated[id]] for id in sorted(rated)}
    kappa = consensus.fleiss(list(labels.values()))
    return labels, asdict(kappa) if kappa else None


def by_rule(services: Services, request: ApiRequest) -> Json:
    """Open adjudications, to be verified, for documents that a rule accepts."""
    _require_kind(request, "document")
    rule = request.json["rule"]
    least = request.json.get("least", annotators_per_document(request.row))
    threshold = float(request.json.get("similarity", 60))
    rows = adjudication_queue.gold_by_rule(
        services.events, request.row.id, request.user.id, rule, least, threshold
    )
    services.log(request.user, "gold by rule", request.row.name, **request.json)
    return {"documents": rows}


def queue(services: Services, request: ApiRequest) -> Json:
    """Return the documents to adjudicate."""
    _require_kind(request, "document")
    with services.database.read() as connection:
        now = services.database.clock()
        return {
            "documents": adjudication_queue.adjudication_queue(
                connection, request.row.id, request.user.id, now
            )
        }


def begin(services: Services, request: ApiRequest) -> Json:
    """Begin or take over the adjudication of a document."""
    if not request.row.tokens:
        raise ApiError(409, "kind", "this is for projects of documents")
    return {
        "sheet": adjudication_queue.begin_adjudication(
            services.events, request.row, request.user.id
        )
    }


def differences(services: Services, request: ApiRequest) -> Json:
    """Return the disagreements of annotators."""
    if request.row.purpose != "adjudicate":
        raise ApiError(409, "purpose", "this is not an adjudication")
    names = request.query.get("names") == "1"
    with services.database.read() as connection:
        own = adjudication_queue.annotations_of(connection, request.row.project).get(
            request.row.document, []
        )
        listed = adjudication.disagreements(own, load_records(connection, request.row.id))
    if names:
        services.log(request.user, "names shown", request.row.name)
    annotators = [{"alias": each.alias, "name": each.name if names else None} for each in own]
    return {"annotators": annotators, "disagreements": listed}


def start(services: Services, request: ApiRequest) -> Json:
    """Return the events that turn an adjudication into one annotator's version."""
    if request.row.purpose != "adjudicate":
        raise ApiError(409, "purpose", "this is not an adjudication")
    with services.database.read() as connection:
        own = adjudication_queue.annotations_of(connection, request.row.project).get(
            request.row.document, []
        )
        records = load_records(connection, request.row.id)
    chosen = [each for each in own if each.alias == request.query.get("annotator")]
    if not chosen:
        known = ", ".join(each.alias for each in own)
        raise ApiError(422, "invalid", f"annotator: expected one of {known}")
    return {"events": adoption_events(chosen[0].document, records)}


_P = "/api/projects/{project:int}"

ROUTES = (
    Route("GET", f"{_P}/agreement", "manager", show_agreement, "Agreement on chains"),
    Route("GET", f"{_P}/consensus", "manager", show_consensus, "Agreement and consensus on problems"),
    Route("GET", f"{_P}/dashboard", "manager", show_dashboard, "Progress, time and agreement by day"),
    Route("POST", f"{_P}/gold", "adjudicator", by_rule, "Gold by a rule, to be verified",
          object_schema("rule", rule=one_of("paper", "majority"), least=integer_schema(1, 100),
              similarity={"type": "number", "minimum": 0, "maximum": 100})),
    Route("GET", f"{_P}/adjudication", "adjudicator", queue, "Documents to adjudicate"),
    Route("POST", "/api/documents/{document:int}/adjudicate", "adjudicator", begin,
          "Adjudicate a document", object_schema()),
    Route("GET", "/api/sheets/{sheet:int}/disagreements", "reader", differences,
          "Disagreements of annotators", query={"names": one_of("0", "1")}),
    Route("GET", "/api/sheets/{sheet:int}/start", "reader", start,
          "Events that adopt one annotator's version", query={"annotator": string_schema(4, 1)}),
)  # fmt: skip
