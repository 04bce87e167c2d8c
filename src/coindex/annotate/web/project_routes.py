"""Routes of projects: settings, members, progress, import and export, background work."""

from __future__ import annotations

import json

from coindex import formats
from coindex.annotate import projects
from coindex.annotate.assignments import ranking as rankings
from coindex.annotate.assignments.resolver_choices import choices_json
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import export, importer, tool_projects, uploads
from coindex.annotate.people.access import LEVELS, role_in
from coindex.annotate.people.accounts import log_action
from coindex.annotate.quality.consensus import PROTOCOLS
from coindex.annotate.quality.leaderboard import leaderboard, tally_work
from coindex.annotate.store.lifecycle import STATES, set_state
from coindex.annotate.store.tables import projects as project_table
from coindex.annotate.web.guidelines import render_guidelines
from coindex.annotate.web.routing import (
    ApiRequest,
    ApiResponse,
    FileDownload,
    Json,
    Route,
    Services,
)
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema


def list_projects(services: Services, request: ApiRequest) -> Json:
    """Return the projects of the person who is logged in."""
    state = request.query.get("state", "active")
    with services.database.read() as connection:
        return {"projects": projects.projects_of(connection, request.user, state)}


def create(services: Services, request: ApiRequest) -> Json:
    """Create a project."""
    body = request.json
    id = projects.create(services.database, body["name"], body["kind"], body.get("settings", {}))
    services.log(request.user, "project made", body["name"])
    return _project(services, request, id)


def _project(services: Services, request: ApiRequest, id: int) -> Json:
    with services.database.read() as connection:
        project = projects.describe(connection, request.user, id)
    return {"project": {**project, "guidelines": render_guidelines(project["settings"]["guide"])}}


def show(services: Services, request: ApiRequest) -> Json:
    """Return a project."""
    return _project(services, request, request.row.id)


def change(services: Services, request: ApiRequest) -> Json:
    """Rename a project, or change settings; a new resolver starts to make suggestions."""
    old = request.row.settings.get("suggestions")
    new = request.json.get("settings", {}).get("suggestions", old)
    projects.change(services.database, request.row.id, request.json)
    if new != old:
        services.suggestions.change(request.row.id, new)
    before = {**projects.DEFAULT_SETTINGS, **request.row.settings}
    changed = {k: v for k, v in request.json.get("settings", {}).items() if before.get(k) != v}
    renamed = {"name": request.json["name"]} if "name" in request.json else {}
    if changed or renamed:
        more = {"settings": changed} if changed else {}
        services.log(request.user, "project changed", request.row.name, **renamed, **more)
    return _project(services, request, request.row.id)


def change_state(services: Services, request: ApiRequest) -> Json:
    """Archive, delete or restore a project; a deleted one can be restored for a week."""
    state, now = request.json["state"], services.database.clock()
    with services.database.write() as connection:
        set_state(connection, project_table, [request.row.id], state, now)
        action = "project restored" if state == "active" else f"project {state}"
        log_action(connection, now, request.user.id, action, request.row.name)
    return {"id": request.row.id, "state": state}


def progress(services: Services, request: ApiRequest) -> Json:
    """Return the progress of a project."""
    with services.database.read() as connection:
        role = role_in(connection, request.user, request.row.id) or "annotator"
        everybody = LEVELS.index(role) >= LEVELS.index("manager")
        return projects.progress(connection, request.row.id, request.user, everybody)


def show_leaderboard(services: Services, request: ApiRequest) -> Json:
    """Return the leaderboard."""
    with services.database.read() as connection:
        row = request.row
        tallied = services.cached(connection, "tally", row.id, lambda: tally_work(connection, row))
        return {"rows": leaderboard(connection, tallied)}


def rank(services: Services, request: ApiRequest) -> ApiResponse:
    """Rank the documents in the background."""
    state = rankings.start_ranking(
        services.database, services.ranker, request.row.id, services.presence.id
    )
    return ApiResponse({"state": state}, 202)


def ranking(services: Services, request: ApiRequest) -> Json:
    """Return the current ranking."""
    return rankings.latest_ranking(services.database, request.row.id)


def suggest(services: Services, request: ApiRequest) -> ApiResponse:
    """Make suggestions for all documents or problems in the background."""
    services.log(request.user, "suggestions asked for", request.row.name, **request.json)
    return ApiResponse(services.suggestions.start(request.row.id, request.json["resolver"]), 202)


def suggestion_status(services: Services, request: ApiRequest) -> Json:
    """Return how far the suggestions are, and the resolvers that can make them here."""
    chosen = request.row.settings.get("suggestions")
    status = services.suggestions.status(request.row.id)
    return {**status, "chosen": chosen, "resolvers": choices_json(request.row.kind)}


def import_file(services: Services, request: ApiRequest) -> Json:
    """Import a file."""
    format = request.query.get("format")
    known = (*formats.names(), *tool_projects.NAMES)
    if format is not None and format not in known:
        raise ApiError(422, "invalid", f"format: expected one of {', '.join(known)}")
    lines = request.query.get("split") == "lines"
    purpose, name = request.query.get("purpose", "work"), request.query.get("name", "upload")
    everybody, row = request.user.administrator, request.row
    limits = services.options.limits.reading
    with uploads.read_upload(request.upload, name, format, limits, lines=lines) as upload:
        summary = importer.import_items(
            services.events, row, upload.items, purpose, name[:60], everybody=everybody
        )
        summary.skipped[:0] = upload.skipped
    detail = {"purpose": purpose, "people": summary.people, **summary.counts}
    services.log(request.user, "import", request.row.name, **detail)
    return {**summary.as_json(), "people": summary.people}


def export_file(services: Services, request: ApiRequest) -> FileDownload:
    """Export to a file."""
    default = "document-jsonl" if request.row.kind == "document" else "problem-jsonl"
    format, which = request.query.get("format", default), request.query.get("which", "gold")
    if format not in formats.names(request.row.kind):
        known = ", ".join(formats.names(request.row.kind))
        raise ApiError(422, "invalid", f"format: expected one of {known}")
    with services.database.read() as connection:
        items, left_out = export.export_items(connection, request.row.id, which)
    suffix, content, losses = export.export_file(items, format)
    services.log(
        request.user, "export", request.row.name, which=which, format=format, items=len(items)
    )
    says = [*(f"{number} left out: {why}" for why, number in left_out.items()), *losses.lines()]
    losses_json = {"lost": dict(losses.lost), "refused": dict(losses.refused), "left_out": left_out,
                   "items": len(items), "says": says}  # fmt: skip
    return FileDownload(f"{which}.{suffix}", content, "application/octet-stream",
                {"X-Coindex-Lost": json.dumps(losses_json)})  # fmt: skip


_SETTINGS = object_schema(
    annotators=integer_schema(1, 100), lease_minutes=integer_schema(1, 10_000), looks=integer_schema(0, 1000),
    strategy=string_schema(60), seed=integer_schema(), suggestions={"type": ["string", "null"], "maxLength": 60},
    protocol=one_of(*PROTOCOLS), raters=integer_schema(1, 100), agree=integer_schema(1, 100), guide=string_schema(20_000),
    training_score=integer_schema(0, 100),
)  # fmt: skip
_KIND = one_of("document", "problem")
_P = "/api/projects/{project:int}"

ROUTES = (
    Route("GET", "/api/projects", "user", list_projects, "Your projects",
          query={"state": one_of(*STATES)}),
    Route("POST", "/api/projects", "administrator", create, "Create a project",
          object_schema("name kind", name=string_schema(100, 1), kind=_KIND, settings=_SETTINGS)),
    Route("GET", _P, "annotator", show, "A project"),
    Route("PATCH", _P, "manager", change, "Change a project",
          object_schema(name=string_schema(100, 1), settings=_SETTINGS)),
    Route("POST", f"{_P}/state", "manager", change_state, "Archive, delete or restore a project",
          object_schema("state", state=one_of(*STATES)), deleted=True),
    Route("GET", f"{_P}/progress", "annotator", progress, "Progress of the project"),
    Route("GET", f"{_P}/leaderboard", "annotator", show_leaderboard, "The leaderboard"),
    Route("POST", f"{_P}/rank", "manager", rank, "Start a ranking of the documents", object_schema()),
    Route("GET", f"{_P}/ranking", "manager", ranking, "The current ranking"),
    Route("POST", f"{_P}/suggest", "manager", suggest, "Start to make suggestions",
          object_schema("resolver", resolver=string_schema(60, 1))),
    Route("GET", f"{_P}/suggest", "manager", suggestion_status, "State of the suggestions, and the resolvers that can make them"),
    Route("POST", f"{_P}/import", "manager", import_file, "Import a file", upload=True,
          query={"format": string_schema(40), "purpose": one_of(*importer.PURPOSES), "name": string_schema(200),
                 "split": one_of("lines")}),
    Route("GET", f"{_P}/export", "manager", export_file, "Export to a file",
          query={"format": string_schema(40), "which": one_of(*export.WHICH)}),
)  # fmt: skip
