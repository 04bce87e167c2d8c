"""The HTTP API: the table of all routes, and the OpenAPI description generated from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from coindex import __version__
from coindex.annotate.web import (
    account_routes,
    admin_routes,
    assignment_routes,
    document_routes,
    people_routes,
    personal_routes,
    project_routes,
    quality_routes,
    webhook_routes,
    work_routes,
)
from coindex.annotate.web.routing import ApiRequest, Json, Route, Services

_PARAMETER = re.compile(r"\{(\w+)(:int)?\}")
ERRORS = {
    "400": "malformed", "401": "not logged in", "403": "not allowed", "404": "not there",
    "409": "in conflict with what is there", "413": "too large", "415": "not of this type",
    "422": "not valid", "429": "too often", "503": "busy; nothing was stored",
}  # fmt: skip


def health(services: Services, request: ApiRequest) -> Json:
    """Return whether the server and its database respond."""
    with services.database.read():
        return {"ok": True, "version": __version__}


def describe_api(services: Services, request: ApiRequest) -> Json:
    """Return the OpenAPI description."""
    return openapi_description(ROUTES)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/health", "public", health, "Check that the server responds"),
    Route("GET", "/api/openapi.json", "public", describe_api, "This description"),
    *account_routes.ROUTES,
    *admin_routes.ROUTES,
    *personal_routes.ROUTES,
    *project_routes.ROUTES,
    *people_routes.ROUTES,
    *document_routes.ROUTES,
    *work_routes.ROUTES,
    *assignment_routes.ROUTES,
    *quality_routes.ROUTES,
    *webhook_routes.ROUTES,
)


def openapi_description(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the OpenAPI description of routes."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = _PARAMETER.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    schemes = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "coindex_session"},
    }
    error = {"type": "object", "required": ["code", "message"]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "coindex annotate", "version": __version__},
        "paths": paths,
        "components": {
            "securitySchemes": schemes,
            "schemas": {
                "Error": {"type": "object", "required": ["error"], "properties": {"error": error}}
            },
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    responses: dict[str, Any] = {"200": {"description": "done"}, "202": {"description": "begun"}}
    responses |= {code: {"description": why, "content": error} for code, why in ERRORS.items()}
    name = _PARAMETER.sub(r"\1", route.path).replace("/", "_")
    parameters = [
        *_path(route),
        *(
            {"name": name, "in": "query", "required": False, "schema": dict(schema)}
            for name, schema in route.query.items()
        ),
    ]
    operation: dict[str, Any] = {
        "summary": route.summary,
        "description": f"For: {route.rule}.",
        "operationId": f"{route.method.lower()}{name}",
        "parameters": parameters,
        "responses": responses,
        "security": [] if route.rule == "public" else [{"token": []}, {"session": []}],
    }
    if route.upload:
        schema = {"type": "string", "format": "binary"}
        content = {"application/octet-stream": {"schema": schema}}
        operation["requestBody"] = {"required": True, "content": content}
    elif route.body is not None:
        content = {"application/json": {"schema": dict(route.body)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _path(route: Route) -> list[dict[str, Any]]:
    parameters = []
    for name, number in _PARAMETER.findall(route.path):
        schema: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 100}
        if number:
            schema = {"type": "integer", "minimum": 1, "maximum": 999_999_999}
        parameters.append({"name": name, "in": "path", "required": True, "schema": schema})
    return parameters
