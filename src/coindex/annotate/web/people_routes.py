"""Routes of the people of a project: members, invitations, joining, results of the training."""

from __future__ import annotations

from sqlalchemy import func, select, update

from coindex.annotate import projects
from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people import invitations
from coindex.annotate.people.access import ROLES
from coindex.annotate.people.accounts import INVITATION_DAYS, log_action
from coindex.annotate.projects import settings_of
from coindex.annotate.quality.training import training_results
from coindex.annotate.store.tables import members, users
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services
from coindex.annotate.web.schema import integer_schema, object_schema, one_of, string_schema


def list_members(services: Services, request: ApiRequest) -> Json:
    """Return the members of a project."""
    with services.database.read() as connection:
        return {"members": projects.list_members(connection, request.row.id)}


def set_member(services: Services, request: ApiRequest) -> Json:
    """Set the role of a person, by number or by the name of their account, or remove them."""
    body = request.json
    if ("user" in body) == ("name" in body):
        raise ApiError(422, "invalid", "expected the user or the name of an account, one of them")
    with services.database.write() as connection:
        user = body.get("user")
        if user is None:
            same = func.lower(users.c.name) == body["name"].strip().lower()
            active = users.c.disabled.is_(False)
            user = connection.execute(select(users.c.id).where(same & active)).scalar()
            if user is None:
                raise not_found("person: names must be written as they log in")
        projects.set_member(connection, request.row.id, user, body["role"])
        now = services.database.clock()
        values = {"user": user, "role": body["role"]}
        log_action(connection, now, request.user.id, "member set", request.row.name, **values)
        return {"members": projects.list_members(connection, request.row.id)}


def invite(services: Services, request: ApiRequest) -> Json:
    """Create an invitation to a project."""
    project, role = request.path["project"], request.json["role"]
    days = request.json.get("days", INVITATION_DAYS)
    secret, expires = services.accounts.invite(
        request.user.id, project=project, role=role, days=days
    )
    return {"link": f"/welcome/{secret}", "expires": expires}


def list_invitations(services: Services, request: ApiRequest) -> Json:
    """Return the invitations of a project, without their secrets."""
    now = services.database.clock()
    with services.database.read() as connection:
        return {"invitations": invitations.list_invitations(connection, request.row.id, now)}


def revoke(services: Services, request: ApiRequest) -> Json:
    """End an invitation that nobody has used."""
    with services.database.write() as connection:
        role = invitations.revoke(connection, request.row.id, request.path["invitation"])
        now = services.database.clock()
        log_action(connection, now, request.user.id, "invitation revoked", role)
    return {}


def join(services: Services, request: ApiRequest) -> Json:
    """Join a project by an invitation, with the account that is logged in."""
    return {"project": invitations.join(services.accounts, request.path["token"], request.user.id)}


def training(services: Services, request: ApiRequest) -> Json:
    """Return how the members did on the training documents, with their mistakes in words."""
    if request.row.kind != "document":
        raise ApiError(409, "kind", "this is for projects of documents")
    with services.database.read() as connection:
        rows = training_results(connection, request.row)
    return {"wanted": settings_of(request.row).training_score, "people": rows}


def let_pass(services: Services, request: ApiRequest) -> Json:
    """Let a member annotate whatever the score of their training, or no longer."""
    user, now = request.path["user"], services.database.clock()
    own = (members.c.project == request.row.id) & (members.c.user == user)
    value = now if request.json["passed"] else None
    with services.database.write() as connection:
        if not connection.execute(update(members).where(own).values(passed=value)).rowcount:
            raise not_found("member")
        action = "let pass" if value else "not let pass"
        log_action(connection, now, request.user.id, action, request.row.name, user=user)
    return {}


_P = "/api/projects/{project:int}"
_ROLE = one_of(*ROLES, None)

ROUTES = (
    Route("GET", f"{_P}/members", "manager", list_members, "The members"),
    Route("POST", f"{_P}/members", "manager", set_member, "Set a member's role",
          object_schema("role", user=integer_schema(1), name=string_schema(100, 1), role=_ROLE)),
    Route("POST", f"{_P}/invitations", "manager", invite, "Invite somebody to a project",
          object_schema("role", role=one_of(*ROLES), days=integer_schema(1, 365))),
    Route("GET", f"{_P}/invitations", "manager", list_invitations, "The invitations to a project"),
    Route("DELETE", f"{_P}/invitations/{{invitation}}", "manager", revoke, "Revoke an invitation"),
    Route("POST", "/api/welcome/{token}/join", "user", join, "Join a project by an invitation",
          object_schema(), session=True),
    Route("GET", f"{_P}/training", "manager", training, "Results of the training"),
    Route("POST", f"{_P}/training/{{user:int}}", "manager", let_pass,
          "Let a member annotate whatever their training",
          object_schema("passed", passed={"type": "boolean"})),
)  # fmt: skip
