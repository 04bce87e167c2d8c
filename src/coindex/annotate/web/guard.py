"""What is checked of every request before a route's function sees it.

Names of hosts, who asks (a session or a token), that a browser's request comes from our own
pages (origin and CSRF token), who may, and that what was sent fits the route's schema.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from coindex.annotate.access import (
    Person,
    demand,
    document_row,
    project_row,
    sheet_row,
)
from coindex.annotate.fail import Fail, missing
from coindex.annotate.web.route import Ask, Route
from coindex.annotate.web.schema import Schema, check
from coindex.annotate.web.services import Services

COOKIE = "coindex_session"
SAFE = ("GET", "HEAD", "OPTIONS")


def host(services: Services, request: Request) -> None:
    """The name in the request must be one of ours."""
    given = request.headers.get("host", "")
    name = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() else given
    if "*" not in services.options.hosts and name.lower() not in services.options.hosts:
        raise Fail(400, "host", f"this server does not answer to {name[:100]!r} (see --allow-host)")


def person(services: Services, request: Request) -> Person | None:
    """Who asks: by a token, or by the cookie of a session."""
    header = request.headers.get("authorization", "")
    if header.lower().startswith("bearer "):
        row = services.accounts.token(header[7:].strip())
        if row is None:
            raise Fail(401, "login", "the token is not valid")
        return Person(row.id, row.name, row.administrator, row.shown_name, row.keys)
    secret = request.cookies.get(COOKIE)
    row = services.accounts.session(secret) if secret else None
    if row is None:
        return None
    told = (row.id, row.name, row.administrator, row.shown_name, row.keys)
    return Person(*told, csrf=row.csrf, secret=secret)


def same_origin(request: Request) -> None:
    """A browser that sends for another site says so; such requests are refused."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site in ("cross-site", "same-site"):
        raise Fail(403, "origin", "this request comes from another site")


def token(who: Person, request: Request) -> None:
    """The CSRF token of the session, in a header that only our own pages can set."""
    given = request.headers.get("x-csrf-token", "")
    if who.csrf is not None and not hmac.compare_digest(given.encode(), who.csrf.encode()):
        raise Fail(403, "csrf", "expected the session's X-CSRF-Token; load the page again")


def numbers(request: Request) -> dict[str, Any]:
    """The path's parameters; numbers that are too large are of nothing."""
    found = dict(request.path_params)
    if any(isinstance(value, int) and not 0 < value < 10**9 for value in found.values()):
        raise missing("number")
    return found


def allowed(services: Services, who: Person | None, rule: str, path: Mapping[str, Any]) -> Any:
    """The project, document or sheet of the path, if this person may do this with it."""
    if rule == "public":
        return None
    if who is None:
        raise Fail(401, "login", "log in first")
    if rule == "administrator" and not who.administrator:
        raise Fail(403, "forbidden", "this is for administrators")
    if rule in ("user", "administrator"):
        return None
    with services.database.read() as connection:
        if "sheet" in path:
            return sheet_row(connection, who, path["sheet"], own=rule == "owner")
        if "document" in path:
            return document_row(connection, who, path["document"], rule)
        row = project_row(connection, who, path["project"], rule)
        demand(connection, who, row.id, rule)
        return row


def query(route: Route, request: Request) -> dict[str, str]:
    """The query's values, each fitting its schema."""
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in route.query:
            raise Fail(422, "invalid", f"query: unexpected {name[:60]!r}")
        schema: Schema = route.query[name]
        whole = schema.get("type") == "integer"
        if whole and not (value.isascii() and value.isdigit() and len(value) < 16):
            raise Fail(422, "invalid", f"query.{name}: expected a whole number")
        check(schema, int(value) if whole else value, f"query.{name}")
        found[name] = value
    return found


def body(route: Route, request: Request, content: bytes) -> Any:
    """What was sent: JSON that fits, or the bytes of an upload."""
    if route.upload:
        return content
    if route.body is None:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Fail(415, "type", "expected Content-Type: application/json")
    try:
        found = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Fail(400, "malformed", "the body is no JSON") from error
    check(route.body, found)
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def ask(services: Services, route: Route, request: Request, content: bytes) -> Ask:
    """A request that has passed all checks."""
    who = person(services, request)
    if request.method not in SAFE and (who is None or who.csrf is not None):
        same_origin(request)
        if who is not None and route.rule != "public":
            token(who, request)
    path = numbers(request)
    row = allowed(services, who, route.rule, path)
    address = request.client.host if request.client else ""
    given = body(route, request, content)
    return Ask(who, path, query(route, request), given, row, address)
