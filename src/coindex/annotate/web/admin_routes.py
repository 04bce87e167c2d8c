"""Routes of administrators: accounts, links for a new password, the audit log, backups, health."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, select, text, update

from coindex import __version__
from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people import audit_log as log
from coindex.annotate.people.accounts import log_action
from coindex.annotate.people.resets import make_reset_link
from coindex.annotate.store import backup
from coindex.annotate.store.migrate import current_version
from coindex.annotate.store.tables import projects, rankings, servers, sessions, users
from coindex.annotate.web.routing import ApiRequest, FileDownload, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema

_BOOLEAN = {"type": "boolean"}
_TIME = integer_schema(0, 10**15)
_FILTERS = {
    "person": string_schema(100), "action": string_schema(60), "target": string_schema(200),
    "since": _TIME, "until": _TIME,
}  # fmt: skip


def list_users(services: Services, request: ApiRequest) -> Json:
    """Return all accounts."""
    with services.database.read() as connection:
        rows = connection.execute(select(users).order_by(users.c.name)).all()
    return {"users": [_account(row) for row in rows]}


def _account(row: Any) -> dict[str, Any]:
    names = ("id", "name", "administrator", "disabled", "created")
    own = {name: getattr(row, name) for name in names}
    return {**own, "second_factor": row.totp is not None}


def change_user(services: Services, request: ApiRequest) -> Json:
    """Disable an account, make somebody an administrator, or remove a second factor."""
    id = request.path["user"]
    if id == request.user.id:
        raise ApiError(409, "self", "another administrator must change your account")
    columns = {name: request.json[name] for name in request.json if name != "second_factor"}
    if "second_factor" in request.json:
        columns |= {"totp": None, "totp_step": None}
    with services.database.write() as connection:
        if columns:
            connection.execute(update(users).where(users.c.id == id).values(**columns))
        row = connection.execute(select(users).where(users.c.id == id)).first()
        if row is None:
            raise not_found("person")
        if request.json.get("disabled"):
            connection.execute(delete(sessions).where(sessions.c.user == id))
        now = services.database.clock()
        log_action(connection, now, request.user.id, "account changed", row.name, **request.json)
    return {"user": _account(row)}


def make_reset(services: Services, request: ApiRequest) -> Json:
    """Create a one-time link for a new password."""
    link, expires = make_reset_link(services.database, request.user.id, request.path["user"])
    return {"link": link, "expires": expires}


def _filter(request: ApiRequest) -> log.AuditFilter:
    values: dict[str, Any] = {
        name: value or None
        for name, value in request.query.items()
        if name in ("person", "action", "target")
    }
    for name in ("since", "until", "before"):
        values[name] = int(request.query[name]) if name in request.query else None
    return log.AuditFilter(**values)


def audit_log(services: Services, request: ApiRequest) -> Json:
    """Return entries of the audit log, the newest first."""
    limit = int(request.query.get("limit", 100))
    with services.database.read() as connection:
        entries = log.read_entries(connection, _filter(request), limit)
        return {"entries": entries, "actions": log.known_actions(connection)}


def export_audit_log(services: Services, request: ApiRequest) -> FileDownload:
    """Export the entries of the audit log that a filter lets pass."""
    form = request.query.get("format", "csv")
    with services.database.read() as connection:
        entries = log.read_entries(connection, _filter(request), None)
    written = log.as_csv(entries) if form == "csv" else log.as_json_lines(entries)
    content = written.encode("utf-8", "surrogatepass")
    return FileDownload(f"audit.{form}", content, "application/octet-stream")


def list_backups(services: Services, request: ApiRequest) -> Json:
    """Return the backups."""
    folder = services.options.backups
    return {"backups": [asdict(each) for each in backup.list_backups(folder)] if folder else []}


def make_backup(services: Services, request: ApiRequest) -> Json:
    """Make a backup."""
    if services.options.backups is None:
        raise ApiError(409, "backups", "the server was started without a folder of backups")
    created = backup.back_up(services.database, services.options.backups)
    services.log(request.user, "backup", created.name)
    return asdict(created)


def status(services: Services, request: ApiRequest) -> Json:
    """Return the health of the server: its database, servers, background work and backups."""
    database, folder = services.database, services.options.backups
    with database.read() as connection:
        running = connection.execute(
            select(projects.c.name, rankings.c.strategy, rankings.c.made, servers.c.name.label("server"))
            .join(projects, projects.c.id == rankings.c.project)
            .join(servers, servers.c.id == rankings.c.server, isouter=True)
            .where(rankings.c.state == "running")
        ).mappings().all()  # fmt: skip
        listed = connection.execute(select(servers).order_by(servers.c.started)).mappings().all()
        if database.sqlite:
            size = connection.execute(text("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")).scalar()  # fmt: skip
        else:
            size = connection.execute(text("SELECT pg_database_size(current_database())")).scalar()
        named = connection.execute(select(projects.c.id, projects.c.name)).all()
    jobs = [{"project": row.name, **services.suggestions.status(row.id)} for row in named]
    backups = backup.list_backups(folder) if folder else []
    return {
        "version": __version__, "time": database.clock(),
        "database": {"kind": "SQLite" if database.sqlite else "PostgreSQL", "size": int(size or 0), "tables": current_version(database)},
        "servers": [dict(row) for row in listed],
        "rankings": [dict(row) for row in running],
        "suggestions": [job for job in jobs if job["state"] != "never"],
        "backup": asdict(backups[0]) if backups else None,
        "backup_failure": services.backup_failure(),
    }  # fmt: skip


ROUTES = (
    Route("GET", "/api/users", "administrator", list_users, "All accounts"),
    Route("PATCH", "/api/users/{user:int}", "administrator", change_user, "Change an account",
          object_schema(disabled=_BOOLEAN, administrator=_BOOLEAN, second_factor=one_of(False)), session=True),
    Route("POST", "/api/users/{user:int}/reset", "administrator", make_reset, "Create a link for a new password",
          object_schema(), session=True),
    Route("GET", "/api/audit", "administrator", audit_log, "The audit log",
          query={"before": integer_schema(1), "limit": integer_schema(1, 1000), **_FILTERS}),
    Route("GET", "/api/audit/export", "administrator", export_audit_log, "Export the audit log",
          query={"format": one_of("csv", "jsonl"), **_FILTERS}),
    Route("GET", "/api/status", "administrator", status, "Health of the server"),
    Route("GET", "/api/backups", "administrator", list_backups, "List the backups"),
    Route("POST", "/api/backups", "administrator", make_backup, "Make a backup", object_schema()),
)  # fmt: skip
