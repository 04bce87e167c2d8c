"""Routes of webhooks: add one, list them with their last requests, test one, remove one."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, Row, delete, select

from coindex.annotate.errors import ApiError, not_found
from coindex.annotate.people.accounts import log_action
from coindex.annotate.store.database import insert_row
from coindex.annotate.store.tables import deliveries, webhooks
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services
from coindex.annotate.web.schema import object_schema, one_of, string_schema
from coindex.annotate.webhooks.deliveries import KINDS, add_delivery
from coindex.annotate.webhooks.requests import parse_target

LISTED = 20
MOST = 20
"""How many webhooks a project may have."""


def add(services: Services, request: ApiRequest) -> Json:
    """Add a webhook; its secret, with which requests are signed, is shown once."""
    url, now = request.json["url"].strip(), services.database.clock()
    parse_target(url)
    secret = secrets.token_urlsafe(32)
    kinds = sorted(set(request.json.get("kinds", KINDS)))
    with services.database.write() as connection:
        own = select(webhooks.c.id).where(webhooks.c.project == request.row.id)
        if len(connection.execute(own).all()) >= MOST:
            raise ApiError(409, "many", f"a project has no more than {MOST} webhooks")
        id = insert_row(
            connection, webhooks, project=request.row.id, url=url, secret=secret, kinds=kinds,
            created=now,
        )  # fmt: skip
        log_action(connection, now, request.user.id, "webhook added", request.row.name, url=url)
    return {"id": id, "secret": secret}


def list_webhooks(services: Services, request: ApiRequest) -> Json:
    """Return the webhooks of a project, each with its last requests."""
    with services.database.read() as connection:
        own = select(webhooks).where(webhooks.c.project == request.row.id).order_by(webhooks.c.id)
        rows = connection.execute(own).all()
        return {"webhooks": [_described(connection, row) for row in rows]}


def _described(connection: Connection, hook: Row[tuple[object, ...]]) -> Json:
    columns = ("id", "kind", "state", "attempts", "message", "created", "due")
    sent = connection.execute(
        select(*(deliveries.c[name] for name in columns))
        .where(deliveries.c.webhook == hook.id)
        .order_by(deliveries.c.id.desc())
        .limit(LISTED)
    ).mappings()
    named = {"id": hook.id, "url": hook.url, "kinds": hook.kinds, "created": hook.created}
    return {**named, "deliveries": [dict(row) for row in sent]}


def _own_hook(connection: Connection, request: ApiRequest) -> Row[tuple[object, ...]]:
    own = (webhooks.c.id == request.path["webhook"]) & (webhooks.c.project == request.row.id)
    row = connection.execute(select(webhooks).where(own)).first()
    if row is None:
        raise not_found("webhook")
    return row


def test(services: Services, request: ApiRequest) -> Json:
    """Send a request of the kind `test` to a webhook."""
    now = services.database.clock()
    project = {"id": request.row.id, "name": request.row.name}
    with services.database.write() as connection:
        hook = _own_hook(connection, request)
        add_delivery(
            connection, hook.id, "test", {"kind": "test", "at": now, "project": project}, now
        )
    return {}


def remove(services: Services, request: ApiRequest) -> Json:
    """Remove a webhook; what waits to be sent is dropped."""
    with services.database.write() as connection:
        hook = _own_hook(connection, request)
        connection.execute(delete(deliveries).where(deliveries.c.webhook == hook.id))
        connection.execute(delete(webhooks).where(webhooks.c.id == hook.id))
        now = services.database.clock()
        log_action(connection, now, request.user.id, "webhook removed", request.row.name,
                   url=hook.url)  # fmt: skip
    return {}


_W = "/api/projects/{project:int}/webhooks"
_KINDS = {"type": "array", "items": one_of(*KINDS), "minItems": 1, "maxItems": len(KINDS)}

ROUTES = (
    Route("GET", _W, "manager", list_webhooks, "The webhooks of a project"),
    Route("POST", _W, "manager", add, "Add a webhook",
          object_schema("url", url=string_schema(500, 1), kinds=_KINDS)),
    Route("POST", f"{_W}/{{webhook:int}}/test", "manager", test, "Test a webhook", object_schema()),
    Route("DELETE", f"{_W}/{{webhook:int}}", "manager", remove, "Remove a webhook"),
)  # fmt: skip
