"""Routes of personal data: exported for its person or an administrator, and erased."""

from __future__ import annotations

import json

from coindex.annotate.errors import ApiError
from coindex.annotate.people import personal_data
from coindex.annotate.web.routing import (
    ApiRequest,
    ApiResponse,
    FileDownload,
    Json,
    Route,
    Services,
)
from coindex.annotate.web.schema import object_schema, string_schema


def _export(services: Services, request: ApiRequest, user: int) -> FileDownload:
    with services.database.read() as connection:
        found = personal_data.export_person(connection, user)
    services.log(request.user, "person exported", found["account"]["name"])
    content = json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    return FileDownload("my-data.json", content, "application/json")


def export_me(services: Services, request: ApiRequest) -> FileDownload:
    """Return all that is stored about you, as a file of JSON."""
    return _export(services, request, request.user.id)


def export_user(services: Services, request: ApiRequest) -> FileDownload:
    """Return all that is stored about somebody, as a file of JSON."""
    return _export(services, request, request.path["user"])


def erase_me(services: Services, request: ApiRequest) -> ApiResponse:
    """Erase your account and your name everywhere; the password is asked for."""
    services.accounts.confirm_password(request.user.id, request.json["password"])
    with services.database.write() as connection:
        now = services.database.clock()
        personal_data.erase_person(connection, request.user.id, request.user.id, now)
    return ApiResponse({}, log_out=True)


def erase_user(services: Services, request: ApiRequest) -> Json:
    """Erase somebody's account and their name everywhere; their work remains without a name."""
    user = request.path["user"]
    if user == request.user.id:
        raise ApiError(409, "self", "erase your own account on your account page")
    with services.database.write() as connection:
        now = services.database.clock()
        return {"name": personal_data.erase_person(connection, user, request.user.id, now)}


ROUTES = (
    Route("GET", "/api/me/export", "user", export_me, "Export your data"),
    Route("POST", "/api/me/erase", "user", erase_me, "Erase your account and your name",
          object_schema("password", password=string_schema(200)), session=True),
    Route("GET", "/api/users/{user:int}/export", "administrator", export_user,
          "Export a person's data", session=True),
    Route("POST", "/api/users/{user:int}/erase", "administrator", erase_user,
          "Erase a person's account and name", object_schema(), session=True),
)  # fmt: skip
