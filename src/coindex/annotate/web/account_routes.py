"""Routes of accounts: sessions, invitations, tokens, users, the audit log, backups."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, select, update

from coindex.annotate import projects
from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people.access import ROLES, Person
from coindex.annotate.people.accounts import Login, log_action
from coindex.annotate.store import backup
from coindex.annotate.store.tables import audit, sessions, tokens, users
from coindex.annotate.store.tables import projects as project_table
from coindex.annotate.web.routing import ApiRequest, ApiResponse, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema

_PASSWORD = string_schema(200)
_ROLE = one_of(*ROLES)
_DAYS = integer_schema(1, 365)


def me(services: Services, request: ApiRequest) -> Json:
    """Return the person who is logged in, with their projects."""
    with services.database.read() as connection:
        own = projects.projects_of(connection, request.user)
    return {"user": request.user.as_json(), "csrf": request.user.csrf or "", "projects": own}


def _logged_in(services: Services, login: Login) -> ApiResponse:
    with services.database.read() as connection:
        row = connection.execute(select(users).where(users.c.id == login.user)).one()
    body = {"user": Person.of(row).as_json(), "csrf": login.csrf}
    return ApiResponse(body, session=login.secret)


def log_in(services: Services, request: ApiRequest) -> ApiResponse:
    """Open a session."""
    login = services.accounts.log_in(
        request.json["name"], request.json["password"], request.address
    )
    return _logged_in(services, login)


def log_out(services: Services, request: ApiRequest) -> ApiResponse:
    """End the session."""
    if request.user.secret:
        services.accounts.log_out(request.user.secret)
    return ApiResponse({}, log_out=True)


def show_invitation(services: Services, request: ApiRequest) -> Json:
    """Return the role and the project of an invitation."""
    with services.database.read() as connection:
        invitation = services.accounts.invitation(connection, request.path["token"])
        project = None
        if invitation.project is not None:
            row = connection.execute(
                select(project_table.c.name).where(project_table.c.id == invitation.project)
            ).one()
            project = row.name
    role = "administrator" if invitation.administrator else invitation.role
    return {"role": role, "name": None, "project": project}


def accept_invitation(services: Services, request: ApiRequest) -> ApiResponse:
    """Create an account with an invitation."""
    login = services.accounts.accept(
        request.path["token"], request.json["name"], request.json["password"]
    )
    return _logged_in(services, login)


def change_password(services: Services, request: ApiRequest) -> Json:
    """Change the password of the person who is logged in."""
    session = request.user.secret if request.user.csrf else None
    services.accounts.change_password(
        request.user.id, request.json["old"], request.json["new"], session
    )
    return {}


def change_me(services: Services, request: ApiRequest) -> Json:
    """Change the name on the leaderboard, or the keyboard shortcuts."""
    values = dict(request.json)
    if len(str(values.get("keys"))) > 8192:
        raise ApiError(422, "invalid", "keys: expected no more than 8 kB")
    with services.database.write() as connection:
        if values:
            connection.execute(update(users).where(users.c.id == request.user.id).values(**values))
        row = connection.execute(select(users).where(users.c.id == request.user.id)).one()
    return {"user": Person.of(row).as_json()}


def my_tokens(services: Services, request: ApiRequest) -> Json:
    """Return the tokens of the person who is logged in, without secrets."""
    columns = (tokens.c.id, tokens.c.name, tokens.c.created, tokens.c.expires)
    with services.database.read() as connection:
        rows = connection.execute(
            select(*columns).where(tokens.c.user == request.user.id)
        ).mappings()
        return {"tokens": [dict(row) for row in rows]}


def new_token(services: Services, request: ApiRequest) -> Json:
    """Create a token, whose secret is shown once."""
    id, secret = services.accounts.new_token(
        request.user.id, request.json["name"], request.json.get("days", 90)
    )
    return {"id": id, "token": secret}


def delete_token(services: Services, request: ApiRequest) -> Json:
    """Delete a token."""
    own = (tokens.c.id == request.path["token"]) & (tokens.c.user == request.user.id)
    with services.database.write() as connection:
        if not connection.execute(delete(tokens).where(own)).rowcount:
            raise not_found("token")
    return {}


def list_users(services: Services, request: ApiRequest) -> Json:
    """Return all accounts."""
    with services.database.read() as connection:
        rows = connection.execute(select(users).order_by(users.c.name)).all()
    return {"users": [_account(row) for row in rows]}


def _account(row: Any) -> dict[str, Any]:
    names = ("id", "name", "administrator", "disabled", "created")
    return {name: getattr(row, name) for name in names}


def change_user(services: Services, request: ApiRequest) -> Json:
    """Disable an account, or make somebody an administrator."""
    id = request.path["user"]
    if id == request.user.id:
        raise ApiError(409, "self", "another administrator must change your account")
    with services.database.write() as connection:
        if request.json:
            connection.execute(update(users).where(users.c.id == id).values(**request.json))
        row = connection.execute(select(users).where(users.c.id == id)).first()
        if row is None:
            raise not_found("person")
        if request.json.get("disabled"):
            connection.execute(delete(sessions).where(sessions.c.user == id))
        now = services.database.clock()
        log_action(connection, now, request.user.id, "account changed", row.name, **request.json)
    return {"user": _account(row)}


def invite(services: Services, request: ApiRequest) -> Json:
    """Create an invitation."""
    options = dict(request.json)
    if (options.get("project") is None) != (options.get("role") is None):
        raise ApiError(422, "invalid", "expected project and role together")
    if options.get("project") is not None:
        with services.database.read() as connection:
            own = project_table.c.id == options["project"]
            if connection.execute(select(project_table.c.id).where(own)).first() is None:
                raise not_found("project")
    secret, expires = services.accounts.invite(request.user.id, **options)
    return {"link": f"/welcome/{secret}", "expires": expires}


def invite_to_project(services: Services, request: ApiRequest) -> Json:
    """Create an invitation to a project."""
    project, role = request.path["project"], request.json["role"]
    secret, expires = services.accounts.invite(request.user.id, project=project, role=role)
    return {"link": f"/welcome/{secret}", "expires": expires}


def audit_log(services: Services, request: ApiRequest) -> Json:
    """Return entries of the audit log, the newest first."""
    limit = int(request.query.get("limit", 100))
    query = select(audit, users.c.name).join(users, users.c.id == audit.c.user, isouter=True)
    if "before" in request.query:
        query = query.where(audit.c.id < int(request.query["before"]))
    with services.database.read() as connection:
        rows = connection.execute(query.order_by(audit.c.id.desc()).limit(limit)).all()
    columns = ("id", "at", "action", "target", "detail")
    return {"entries": [{**{n: getattr(r, n) for n in columns}, "user": r.name} for r in rows]}


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


_ENTRY = object_schema("name password", name=string_schema(100, 1), password=_PASSWORD)
_KEYS = {"type": ["object", "null"]}
_SHOWN = {"type": ["string", "null"], "maxLength": 100}

ROUTES = (
    Route("GET", "/api/me", "user", me, "Who is logged in"),
    Route("POST", "/api/login", "public", log_in, "Log in", _ENTRY),
    Route("POST", "/api/logout", "user", log_out, "Log out", object_schema()),
    Route("GET", "/api/welcome/{token}", "public", show_invitation, "The role and project of an invitation"),
    Route("POST", "/api/welcome/{token}", "public", accept_invitation, "Create an account with an invitation", _ENTRY),
    Route("POST", "/api/me/password", "user", change_password, "Change the password",
          object_schema("old new", old=_PASSWORD, new=_PASSWORD)),
    Route("PATCH", "/api/me", "user", change_me, "Change your account",
          object_schema(shown_name=_SHOWN, keys=_KEYS)),
    Route("GET", "/api/me/tokens", "user", my_tokens, "Your tokens"),
    Route("POST", "/api/me/tokens", "user", new_token, "Create a token",
          object_schema("name", name=string_schema(100, 1), days=_DAYS)),
    Route("DELETE", "/api/me/tokens/{token:int}", "user", delete_token, "Delete a token"),
    Route("GET", "/api/users", "administrator", list_users, "All accounts"),
    Route("PATCH", "/api/users/{user:int}", "administrator", change_user, "Change an account",
          object_schema(disabled={"type": "boolean"}, administrator={"type": "boolean"})),
    Route("POST", "/api/invitations", "administrator", invite, "Invite somebody",
          object_schema(administrator={"type": "boolean"}, project=integer_schema(1), role=_ROLE, days=_DAYS)),
    Route("POST", "/api/projects/{project:int}/invitations", "manager", invite_to_project,
          "Invite somebody to a project", object_schema("role", role=_ROLE)),
    Route("GET", "/api/audit", "administrator", audit_log, "The audit log",
          query={"before": integer_schema(1), "limit": integer_schema(1, 1000)}),
    Route("GET", "/api/backups", "administrator", list_backups, "List the backups"),
    Route("POST", "/api/backups", "administrator", make_backup, "Make a backup", object_schema()),
)  # fmt: skip
