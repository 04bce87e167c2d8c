"""The routes of the API: what each one takes and answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from coindex import __version__
from coindex.annotate.errors import ApiError
from coindex.annotate.web.schema import validate
from coindex.integrations.service import measurements
from coindex.integrations.service.batch_lines import MEDIA_TYPES, BatchResponse
from coindex.integrations.service.request_bodies import check_media_type, parse_json, read_body
from coindex.integrations.service.request_values import (
    FORMS,
    ResolveRequest,
    resolve_request,
    text_formats,
)
from coindex.integrations.service.service import Service, unless_disconnected

JSON = "application/json"
LOG = "coindex.log"
"""Where a request's scope has what the log says of it, beside its method, path and status."""

Handler = Callable[[Service, Request], Awaitable[ASGIApp]]


def json_response(value: Any, status: int = 200) -> Response:
    """A JSON response; half characters, which UTF-8 cannot hold, are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        content = text.encode()
    except UnicodeEncodeError:
        content = json.dumps(value, separators=(",", ":")).encode()
    return Response(content, status, media_type=JSON)


def error_response(error: ApiError) -> Response:
    """The response for an error, with the headers that belong to its status."""
    response = json_response(error.body(), error.status)
    if "retry_after" in error.more:
        response.headers["Retry-After"] = str(error.more["retry_after"])
    if error.status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="coindex"'
    if error.status in (408, 413):
        response.headers["Connection"] = "close"  # what is left of the body is not read
    return response


async def resolve(service: Service, request: Request) -> ASGIApp:
    """Resolve one text, several, or documents in a format."""
    check_media_type(request, JSON)
    with service.place():
        content = await read_body(request, service.limits)
        parsed = await run_in_threadpool(_resolve_request, service, content)
        request.scope[LOG]["documents"] = len(parsed.documents)
        request.scope[LOG]["characters"] = sum(len(each.text) for each in parsed.documents)
        answer = await unless_disconnected(service.resolve(parsed), request.receive)
        return _answered(answer)


def _resolve_request(service: Service, content: bytes) -> ResolveRequest:
    schema, default = service.schemas.resolve, service.pool.names[0]
    return resolve_request(parse_json(content), schema, service.limits, default)


def _answered(answer: Any) -> Response:
    """The response with an answer; the client is gone if there is none."""
    return Response(status_code=499) if answer is None else json_response(answer)


async def batch(service: Service, request: Request) -> ASGIApp:
    """Resolve JSON lines; each is answered by a line, with its result or its own error."""
    check_media_type(request, *MEDIA_TYPES)
    response = BatchResponse(service, request)

    async def respond(scope: Any, receive: Any, send: Any) -> None:
        with service.place():
            await response(scope, receive, send)
        request.scope[LOG] |= {"documents": response.documents, "errors": response.errors}

    if service.running >= service.limits.requests:
        with service.place():  # raises the error before anything is sent
            pass
    return respond


async def score(service: Service, request: Request) -> ASGIApp:
    """Score a response against a key, both in any document format."""
    check_media_type(request, JSON)
    with service.place():
        content = await read_body(request, service.limits)
        body = await run_in_threadpool(parse_json, content)
        validate(service.schemas.score, body)
        answer = await unless_disconnected(service.score(body), request.receive)
        return _answered(answer)


async def models(service: Service, request: Request) -> ASGIApp:
    """The models, forms and limits of this service."""
    limits = service.limits
    return json_response(
        {
            "version": __version__,
            "models": service.pool.describe(),
            "forms": [*FORMS, *text_formats()],
            "token": bool(service.settings.tokens),
            "limits": {
                "body": limits.body, "batch": limits.batch, "text": limits.text,
                "documents": limits.documents, "seconds": limits.seconds,
            },
        }
    )  # fmt: skip


async def health(service: Service, request: Request) -> ASGIApp:
    """Whether the service answers, and how busy it is."""
    if not service.queue.alive:
        raise ApiError(503, "stopping", "the service is stopping", retry_after=5)
    return json_response(
        {
            "status": "ok",
            "version": __version__,
            "running": service.running,
            "waiting": service.queue.waiting,
        }
    )


async def metrics(service: Service, request: Request) -> ASGIApp:
    """Counts and times in the text format of Prometheus."""
    content = await run_in_threadpool(service.measurements.text)
    return Response(content, media_type=measurements.MEDIA_TYPE)
