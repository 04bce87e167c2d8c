"""Routes of accounts: sessions, passwords, the second factor, invitations, tokens."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from coindex.annotate import projects
from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people import invitations
from coindex.annotate.people.access import ROLES, Person
from coindex.annotate.people.accounts import SCOPES, Login, log_action
from coindex.annotate.people.credentials import new_secret, setup_image, setup_link
from coindex.annotate.people.resets import reset_owner, use_reset_link
from coindex.annotate.store.tables import projects as project_table
from coindex.annotate.store.tables import tokens, users
from coindex.annotate.web.routing import ApiRequest, ApiResponse, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema

_PASSWORD = string_schema(200)
_ROLE = one_of(*ROLES)
_DAYS = integer_schema(1, 365)
_CODE = string_schema(20)


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
    body = request.json
    login = services.accounts.log_in(
        body["name"], body["password"], request.address, body.get("code")
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
    columns = (tokens.c.id, tokens.c.name, tokens.c.created, tokens.c.expires, tokens.c.scope)
    with services.database.read() as connection:
        rows = connection.execute(
            select(*columns).where(tokens.c.user == request.user.id)
        ).mappings()
        return {"tokens": [dict(row) for row in rows]}


def new_token(services: Services, request: ApiRequest) -> Json:
    """Create a token, whose secret is shown once."""
    days, scope = request.json.get("days", 90), request.json.get("scope", "all")
    id, secret = services.accounts.new_token(request.user.id, request.json["name"], days, scope)
    return {"id": id, "token": secret}


def delete_token(services: Services, request: ApiRequest) -> Json:
    """Delete a token."""
    own = (tokens.c.id == request.path["token"]) & (tokens.c.user == request.user.id)
    with services.database.write() as connection:
        name = connection.execute(select(tokens.c.name).where(own)).scalar()
        if name is None:
            raise not_found("token")
        connection.execute(delete(tokens).where(own))
        log_action(connection, services.database.clock(), request.user.id, "token deleted", name)
    return {}


def show_reset(services: Services, request: ApiRequest) -> Json:
    """Return whose password a link sets."""
    with services.database.read() as connection:
        row = reset_owner(connection, request.path["token"], services.database.clock())
    return {"name": row.name}


def reset_password(services: Services, request: ApiRequest) -> Json:
    """Set a new password by a link."""
    use_reset_link(services.database, request.path["token"], request.json["password"])
    return {}


def show_second_factor(services: Services, request: ApiRequest) -> Json:
    """Return whether the second factor is on; if not, a secret to turn it on with."""
    if request.user.second_factor:
        return {"on": True}
    secret = new_secret()
    link = setup_link(secret, request.user.name)
    return {"on": False, "secret": secret, "link": link, "image": setup_image(link)}


def turn_second_factor_on(services: Services, request: ApiRequest) -> Json:
    """Turn the second factor on, with a code of its secret."""
    body = request.json
    user = request.user.id
    services.accounts.turn_second_factor_on(user, body["password"], body["secret"], body["code"])
    return {"on": True}


def turn_second_factor_off(services: Services, request: ApiRequest) -> Json:
    """Turn the second factor off."""
    services.accounts.turn_second_factor_off(request.user.id, request.json["password"])
    return {"on": False}


def invite(services: Services, request: ApiRequest) -> Json:
    """Create an invitation."""
    options = dict(request.json)
    if options.get("administrator") and request.user.scope is not None:
        raise ApiError(
            403, "scope", "a token cannot invite administrators: log in with the browser"
        )
    if (options.get("project") is None) != (options.get("role") is None):
        raise ApiError(422, "invalid", "expected project and role together")
    if options.get("project") is not None:
        with services.database.read() as connection:
            own = project_table.c.id == options["project"]
            if connection.execute(select(project_table.c.id).where(own)).first() is None:
                raise not_found("project")
    secret, expires = services.accounts.invite(request.user.id, **options)
    return {"link": f"/welcome/{secret}", "expires": expires}


def list_invitations(services: Services, request: ApiRequest) -> Json:
    """Return the invitations to no project, those of administrators among them."""
    now = services.database.clock()
    with services.database.read() as connection:
        return {"invitations": invitations.list_invitations(connection, None, now)}


def revoke_invitation(services: Services, request: ApiRequest) -> Json:
    """End an invitation to no project that nobody has used."""
    with services.database.write() as connection:
        role = invitations.revoke(connection, None, request.path["invitation"])
        now = services.database.clock()
        log_action(connection, now, request.user.id, "invitation revoked", role)
    return {}


_ENTRY = object_schema("name password", name=string_schema(100, 1), password=_PASSWORD)
_KEYS = {"type": ["object", "null"]}
_SHOWN = {"type": ["string", "null"], "maxLength": 100}

ROUTES = (
    Route("GET", "/api/me", "user", me, "Who is logged in"),
    Route("POST", "/api/login", "public", log_in, "Log in",
          object_schema("name password", name=string_schema(100, 1), password=_PASSWORD, code=_CODE)),
    Route("POST", "/api/logout", "user", log_out, "Log out", object_schema()),
    Route("GET", "/api/welcome/{token}", "public", show_invitation, "The role and project of an invitation"),
    Route("POST", "/api/welcome/{token}", "public", accept_invitation, "Create an account with an invitation", _ENTRY),
    Route("GET", "/api/reset/{token}", "public", show_reset, "Whose password a link sets"),
    Route("POST", "/api/reset/{token}", "public", reset_password, "Set a new password by a link",
          object_schema("password", password=_PASSWORD)),
    Route("POST", "/api/me/password", "user", change_password, "Change the password",
          object_schema("old new", old=_PASSWORD, new=_PASSWORD), session=True),
    Route("GET", "/api/me/totp", "user", show_second_factor, "Your second factor", session=True),
    Route("POST", "/api/me/totp", "user", turn_second_factor_on, "Turn the second factor on",
          object_schema("password secret code", password=_PASSWORD, secret=string_schema(64), code=_CODE), session=True),
    Route("POST", "/api/me/totp/off", "user", turn_second_factor_off, "Turn the second factor off",
          object_schema("password", password=_PASSWORD), session=True),
    Route("PATCH", "/api/me", "user", change_me, "Change your account",
          object_schema(shown_name=_SHOWN, keys=_KEYS)),
    Route("GET", "/api/me/tokens", "user", my_tokens, "Your tokens"),
    Route("POST", "/api/me/tokens", "user", new_token, "Create a token",
          object_schema("name", name=string_schema(100, 1), days=_DAYS, scope=one_of(*SCOPES)), session=True),
    Route("DELETE", "/api/me/tokens/{token:int}", "user", delete_token, "Delete a token", session=True),
    Route("GET", "/api/invitations", "administrator", list_invitations, "The invitations to no project"),
    Route("DELETE", "/api/invitations/{invitation}", "administrator", revoke_invitation,
          "Revoke an invitation to no project"),
    Route("POST", "/api/invitations", "administrator", invite, "Invite somebody",
          object_schema(administrator={"type": "boolean"}, project=integer_schema(1), role=_ROLE, days=_DAYS)),
)  # fmt: skip
