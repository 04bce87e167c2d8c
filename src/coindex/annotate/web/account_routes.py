"""Routes of people: log in and out, accounts by link, tokens, users, the audit log, backups."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, select, update

from coindex.annotate import backup, projects
from coindex.annotate.access import ROLES, Person
from coindex.annotate.accounts import Login, note
from coindex.annotate.fail import Fail, missing
from coindex.annotate.tables import audit, sessions, tokens, users
from coindex.annotate.tables import projects as project_table
from coindex.annotate.web.route import Answer, Ask, Route
from coindex.annotate.web.schema import integer, obj, one_of, text
from coindex.annotate.web.services import Services

_PASSWORD = text(200)
_ROLE = one_of(*ROLES)
_DAYS = integer(1, 365)


def me(services: Services, ask: Ask) -> Any:
    """Who is logged in, and where they work."""
    with services.database.read() as connection:
        own = projects.mine(connection, ask.user)
    return {"user": ask.user.as_json(), "csrf": ask.user.csrf or "", "projects": own}


def _entered(services: Services, login: Login) -> Answer:
    with services.database.read() as connection:
        row = connection.execute(select(users).where(users.c.id == login.user)).one()
    person = Person(row.id, row.name, row.administrator, row.shown_name, row.keys)
    return Answer({"user": person.as_json(), "csrf": login.csrf}, session=login.secret)


def log_in(services: Services, ask: Ask) -> Any:
    """Open a session."""
    login = services.accounts.log_in(ask.body["name"], ask.body["password"], ask.address)
    return _entered(services, login)


def log_out(services: Services, ask: Ask) -> Any:
    """End the session."""
    if ask.user.secret:
        services.accounts.log_out(ask.user.secret)
    return Answer({}, leave=True)


def link(services: Services, ask: Ask) -> Any:
    """What a one-time link is for."""
    with services.database.read() as connection:
        found = services.accounts.invitation(connection, ask.path["token"])
        project = None
        if found.project is not None:
            row = connection.execute(
                select(project_table.c.name).where(project_table.c.id == found.project)
            ).one()
            project = row.name
    role = "administrator" if found.administrator else found.role
    return {"role": role, "name": None, "project": project}


def use_link(services: Services, ask: Ask) -> Any:
    """Make an account by a one-time link."""
    login = services.accounts.accept(ask.path["token"], ask.body["name"], ask.body["password"])
    return _entered(services, login)


def password(services: Services, ask: Ask) -> Any:
    """Change one's own password."""
    keep = ask.user.secret if ask.user.csrf else None
    services.accounts.change_password(ask.user.id, ask.body["old"], ask.body["new"], keep)
    return {}


def change_me(services: Services, ask: Ask) -> Any:
    """The name on the leaderboard, and keys."""
    values = dict(ask.body)
    if len(str(values.get("keys"))) > 8192:
        raise Fail(422, "invalid", "keys: expected no more than 8 kB")
    with services.database.write() as connection:
        if values:
            connection.execute(update(users).where(users.c.id == ask.user.id).values(**values))
        row = connection.execute(select(users).where(users.c.id == ask.user.id)).one()
    person = Person(row.id, row.name, row.administrator, row.shown_name, row.keys)
    return {"user": person.as_json()}


def my_tokens(services: Services, ask: Ask) -> Any:
    """One's own tokens, without their secrets."""
    columns = (tokens.c.id, tokens.c.name, tokens.c.created, tokens.c.expires)
    with services.database.read() as connection:
        rows = connection.execute(select(*columns).where(tokens.c.user == ask.user.id)).mappings()
        return {"tokens": [dict(row) for row in rows]}


def new_token(services: Services, ask: Ask) -> Any:
    """A new token, shown once."""
    id, secret = services.accounts.new_token(
        ask.user.id, ask.body["name"], ask.body.get("days", 90)
    )
    return {"id": id, "token": secret}


def end_token(services: Services, ask: Ask) -> Any:
    """End a token."""
    own = (tokens.c.id == ask.path["token"]) & (tokens.c.user == ask.user.id)
    with services.database.write() as connection:
        if not connection.execute(delete(tokens).where(own)).rowcount:
            raise missing("token")
    return {}


def everybody(services: Services, ask: Ask) -> Any:
    """All accounts."""
    with services.database.read() as connection:
        rows = connection.execute(select(users).order_by(users.c.name)).all()
    return {"users": [_account(row) for row in rows]}


def _account(row: Any) -> dict[str, Any]:
    names = ("id", "name", "administrator", "disabled", "created")
    return {name: getattr(row, name) for name in names}


def change_user(services: Services, ask: Ask) -> Any:
    """Disable an account, or make somebody an administrator."""
    id = ask.path["user"]
    if id == ask.user.id:
        raise Fail(409, "self", "another administrator must change your account")
    with services.database.write() as connection:
        if ask.body:
            connection.execute(update(users).where(users.c.id == id).values(**ask.body))
        row = connection.execute(select(users).where(users.c.id == id)).first()
        if row is None:
            raise missing("person")
        if ask.body.get("disabled"):
            connection.execute(delete(sessions).where(sessions.c.user == id))
        now = services.database.clock()
        note(connection, now, ask.user.id, "account changed", row.name, **ask.body)
    return {"user": _account(row)}


def invite(services: Services, ask: Ask) -> Any:
    """A one-time link for a new account."""
    given = dict(ask.body)
    if (given.get("project") is None) != (given.get("role") is None):
        raise Fail(422, "invalid", "project and role go together")
    if given.get("project") is not None:
        with services.database.read() as connection:
            wanted = project_table.c.id == given["project"]
            if connection.execute(select(project_table.c.id).where(wanted)).first() is None:
                raise missing("project")
    secret, expires = services.accounts.invite(ask.user.id, **given)
    return {"link": f"/welcome/{secret}", "expires": expires}


def invite_to_project(services: Services, ask: Ask) -> Any:
    """A one-time link for a new member."""
    told = {"project": ask.path["project"], "role": ask.body["role"]}
    secret, expires = services.accounts.invite(ask.user.id, **told)
    return {"link": f"/welcome/{secret}", "expires": expires}


def audit_log(services: Services, ask: Ask) -> Any:
    """Who did what, the newest first."""
    limit = int(ask.query.get("limit", 100))
    wanted = select(audit, users.c.name).join(users, users.c.id == audit.c.user, isouter=True)
    if "before" in ask.query:
        wanted = wanted.where(audit.c.id < int(ask.query["before"]))
    with services.database.read() as connection:
        rows = connection.execute(wanted.order_by(audit.c.id.desc()).limit(limit)).all()
    told = ("id", "at", "action", "target", "detail")
    return {"entries": [{**{n: getattr(r, n) for n in told}, "user": r.name} for r in rows]}


def list_backups(services: Services, ask: Ask) -> Any:
    """The copies there are."""
    folder = services.options.backups
    return {"backups": [asdict(each) for each in backup.backups(folder)] if folder else []}


def make_backup(services: Services, ask: Ask) -> Any:
    """A copy, now."""
    if services.options.backups is None:
        raise Fail(409, "backups", "the server was started without a folder of backups")
    made = backup.back_up(services.database, services.options.backups)
    with services.database.write() as connection:
        note(connection, services.database.clock(), ask.user.id, "backup", made.name)
    return asdict(made)


_ENTRY = obj("name password", name=text(100, 1), password=_PASSWORD)
_KEYS = {"type": ["object", "null"]}
_SHOWN = {"type": ["string", "null"], "maxLength": 100}

ROUTES = (
    Route("GET", "/api/me", "user", me, "Who is logged in"),
    Route("POST", "/api/login", "public", log_in, "Log in", _ENTRY),
    Route("POST", "/api/logout", "user", log_out, "Log out", obj()),
    Route("GET", "/api/welcome/{token}", "public", link, "What a one-time link is for"),
    Route("POST", "/api/welcome/{token}", "public", use_link, "Make an account by a link", _ENTRY),
    Route("POST", "/api/me/password", "user", password, "Change the password",
          obj("old new", old=_PASSWORD, new=_PASSWORD)),
    Route("PATCH", "/api/me", "user", change_me, "Change one's own account",
          obj(shown_name=_SHOWN, keys=_KEYS)),
    Route("GET", "/api/me/tokens", "user", my_tokens, "One's tokens"),
    Route("POST", "/api/me/tokens", "user", new_token, "Make a token",
          obj("name", name=text(100, 1), days=_DAYS)),
    Route("DELETE", "/api/me/tokens/{token:int}", "user", end_token, "End a token"),
    Route("GET", "/api/users", "administrator", everybody, "All accounts"),
    Route("PATCH", "/api/users/{user:int}", "administrator", change_user, "Change an account",
          obj(disabled={"type": "boolean"}, administrator={"type": "boolean"})),
    Route("POST", "/api/invitations", "administrator", invite, "Invite somebody",
          obj(administrator={"type": "boolean"}, project=integer(1), role=_ROLE, days=_DAYS)),
    Route("POST", "/api/projects/{project:int}/invitations", "manager", invite_to_project,
          "Invite somebody to a project", obj("role", role=_ROLE)),
    Route("GET", "/api/audit", "administrator", audit_log, "The audit log",
          query={"before": integer(1), "limit": integer(1, 1000)}),
    Route("GET", "/api/backups", "administrator", list_backups, "The backups there are"),
    Route("POST", "/api/backups", "administrator", make_backup, "Make a backup", obj()),
)  # fmt: skip
