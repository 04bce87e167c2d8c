"""The checks of every request before its handler is called.

The host name, authentication (a session or a token), the origin and CSRF token of requests by
browsers, authorisation, and that query and body fit the route's schema.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Row
from starlette.requests import Request

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people import access
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services
from coindex.annotate.web.schema import Schema, validate

COOKIE = "coindex_session"
SAFE = ("GET", "HEAD", "OPTIONS")


def check_host(services: Services, request: Request) -> None:
    """Refuse a host name that is not allowed."""
    given = request.headers.get("host", "")
    name = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() else given
    if "*" not in services.options.hosts and name.lower() not in services.options.hosts:
        raise ApiError(
            400, "host", f"this server does not answer to {name[:100]!r} (see --allow-host)"
        )


def authenticate(services: Services, request: Request) -> access.Person | None:
    """Return the person of a token or of a session cookie; None if there is neither."""
    header = request.headers.get("authorization", "")
    if header.lower().startswith("bearer "):
        row = services.accounts.token(header[7:].strip())
        if row is None:
            raise ApiError(401, "login", "the token is not valid")
        return access.Person.of(row, scope=row.scope)
    secret = request.cookies.get(COOKIE)
    row = services.accounts.session(secret) if secret else None
    if row is None:
        return None
    return access.Person.of(row, row.csrf, secret)


def check_origin(request: Request) -> None:
    """Refuse requests that a browser sends for another site."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site in ("cross-site", "same-site"):
        raise ApiError(403, "origin", "this request comes from another site")


def check_csrf(person: access.Person, request: Request) -> None:
    """Require the session's CSRF token in a header that only our own pages can set."""
    given = request.headers.get("x-csrf-token", "")
    if person.csrf is not None and not hmac.compare_digest(given.encode(), person.csrf.encode()):
        raise ApiError(403, "csrf", "expected the session's X-CSRF-Token; load the page again")


def check_scope(person: access.Person | None, route: Route, method: str) -> None:
    """Refuse what a token may not do: routes of sessions, and those beyond its scope."""
    scope = person.scope if person else None
    if scope is None or route.rule == "public":
        return
    if route.session:
        raise ApiError(403, "scope", "a token cannot do this: log in with the browser")
    if scope == "all" or method in SAFE:
        return
    if scope != "annotate" or route.rule not in ("owner", "annotator"):
        raise ApiError(403, "scope", f"the scope of this token is {scope!r}: it cannot do this")


def path_parameters(request: Request) -> dict[str, Any]:
    """Return the parameters of the path; 404 for numbers that are too large."""
    parameters = dict(request.path_params)
    if any(isinstance(value, int) and not 0 < value < 10**9 for value in parameters.values()):
        raise not_found("number")
    return parameters


def authorize(
    services: Services, person: access.Person | None, rule: str, path: Mapping[str, Any],
    deleted: bool = False,
) -> Row[Any] | None:  # fmt: skip
    """Return the project, document or assignment of the path if the rule allows access."""
    if rule == "public":
        return None
    if person is None:
        raise ApiError(401, "login", "log in first")
    if rule == "administrator" and not person.administrator:
        raise ApiError(403, "forbidden", "this is for administrators")
    if rule in ("user", "administrator"):
        return None
    with services.database.read() as connection:
        if "sheet" in path:
            return access.assignment_row(connection, person, path["sheet"], own=rule == "owner")
        if "document" in path:
            document = path["document"]
            return access.document_row(connection, person, document, rule, deleted=deleted)
        return access.project_row(connection, person, path["project"], rule, deleted=deleted)


def parse_query(route: Route, request: Request) -> dict[str, str]:
    """Return the query's values, each checked with its schema."""
    values: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in route.query:
            raise ApiError(422, "invalid", f"query: unexpected {name[:60]!r}")
        schema: Schema = route.query[name]
        whole = schema.get("type") == "integer"
        if whole and not (value.isascii() and value.isdigit() and len(value) < 16):
            raise ApiError(422, "invalid", f"query.{name}: expected a whole number")
        validate(schema, int(value) if whole else value, f"query.{name}")
        values[name] = value
    return values


def parse_body(route: Route, request: Request, content: bytes) -> Json | bytes | None:
    """Return the body: JSON that fits the schema, or the bytes of an upload."""
    if route.upload:
        return content
    if route.body is None:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError(415, "type", "expected Content-Type: application/json")
    try:
        body: Json = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "malformed", "the body is not JSON") from error
    validate(route.body, body)
    return body


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def checked_request(
    services: Services, route: Route, request: Request, content: bytes
) -> ApiRequest:
    """Return a request that has passed all checks."""
    person = authenticate(services, request)
    if request.method not in SAFE and (person is None or person.csrf is not None):
        check_origin(request)
        if person is not None and route.rule != "public":
            check_csrf(person, request)
    check_scope(person, route, request.method)
    path = path_parameters(request)
    row = authorize(services, person, route.rule, path, route.deleted)
    address = request.client.host if request.client else ""
    given = parse_body(route, request, content)
    return ApiRequest(person, path, parse_query(route, request), given, row, address)
