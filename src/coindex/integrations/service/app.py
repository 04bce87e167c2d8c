"""The ASGI app: routes and pages, tokens, security headers, one log line for each request."""

from __future__ import annotations

import hmac
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coindex import io
from coindex.annotate.errors import ApiError
from coindex.errors import CoindexError
from coindex.integrations.service import openapi
from coindex.integrations.service.request_log import log_event, log_failure
from coindex.integrations.service.request_values import invalid
from coindex.integrations.service.routes import LOG, error_response, json_response
from coindex.integrations.service.service import Service
from coindex.integrations.service.settings import token_digest
from coindex.report.viewer.html import page_hashes

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
STATIC = {"playground.css": "text/css", "playground.js": "text/javascript"}
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def content_policy() -> str:
    """The policy of the pages: own files, and the style and script of the viewer in its frame."""
    style, script = page_hashes()
    return (
        f"default-src 'none'; script-src 'self' {script}; style-src 'self' {style};"
        " img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )


class Observer:
    """Middleware: security headers, counts, and a line in the log for each request."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app and observe what it answers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        scope[LOG] = {}
        start = time.monotonic()
        status, size = 499, 0  # no answer: the client left

        async def observed(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_headers(message.get("headers", []), id)
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, observed)
        finally:
            taken = time.monotonic() - start
            known = scope.get("endpoint") is not None and status != 404
            path = scope["path"] if known else "other"
            self.service.measurements.requests.labels(path, str(status)).inc()
            self.service.measurements.seconds.labels(path).observe(taken)
            log_event(
                "request", id=id, method=scope["method"], path=path, status=status,
                ms=round(1000 * taken, 1), bytes=size,
                client=(scope.get("client") or [None])[0], **scope[LOG],
            )  # fmt: skip


def _with_headers(headers: list[tuple[bytes, bytes]], id: str) -> list[tuple[bytes, bytes]]:
    """The headers of a response with those for security that it does not have itself."""
    known = {name.lower() for name, _ in headers}
    own = {**HEADERS, "Content-Security-Policy": NOTHING, "X-Request-ID": id}
    more = [(name.lower().encode(), value.encode()) for name, value in own.items()]
    return [*headers, *((name, value) for name, value in more if name not in known)]


def create_app(service: Service) -> Starlette:
    """The app of a service; the service starts and ends with it."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.start()
        yield
        service.close()

    routes = [
        Route(each.path, _endpoint(service, each), methods=[each.method]) for each in openapi.API
    ]
    handlers: dict[Any, Any] = {404: _not_found, 405: _wrong_method, 500: _server_error}
    middleware = [Middleware(Observer, service)]
    if service.settings.origins:
        middleware.append(
            Middleware(
                CORSMiddleware, allow_origins=service.settings.origins,
                allow_methods=["GET", "POST"], allow_headers=["authorization", "content-type"],
                expose_headers=["retry-after", "x-request-id"], max_age=600,
            )
        )  # fmt: skip
    app = Starlette(
        routes=[*routes, *_pages(service)],
        lifespan=lifespan,
        exception_handlers=handlers,
        middleware=middleware,
    )
    app.router.redirect_slashes = False  # the address would be wrong behind a proxy's path
    return app


def _pages(service: Service) -> list[Route]:
    headers = {"Content-Security-Policy": content_policy()}
    playground = io.package_text(__package__, "static", "playground.html")
    described, page = openapi.openapi_description(service), openapi.docs_page(service)
    contents = {
        "/": HTMLResponse(playground, headers=headers),
        "/docs": HTMLResponse(page, headers=headers),
        "/openapi.json": json_response(described),
        **{
            f"/static/{name}": Response(
                io.package_text(__package__, "static", name), media_type=media_type
            )
            for name, media_type in STATIC.items()
        },
    }
    return [Route(path, _fixed(response)) for path, response in contents.items()]


def _fixed(response: Response) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose response is always the same."""

    async def respond(request: Request) -> Response:
        return response

    return respond


def _endpoint(
    service: Service, route: openapi.RouteDescription
) -> Callable[[Request], Awaitable[Any]]:
    async def respond(request: Request) -> ASGIApp:
        try:
            if route.token:
                check_token(service, request)
            return await route.handler(service, request)
        except ClientDisconnect:
            return Response(status_code=499)
        except CoindexError as error:
            told = invalid(error)
            request.scope[LOG]["error"] = told.code
            return error_response(told)

    return respond


def check_token(service: Service, request: Request) -> None:
    """An error unless the request has one of the tokens, where there are any."""
    known = service.settings.tokens
    if not known:
        return
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    digest = token_digest(token.strip()) if kind.lower() == "bearer" else b""
    matches = [hmac.compare_digest(digest, each) for each in known]  # all, in the same time
    if not any(matches):
        raise ApiError(401, "token", "expected a known token: Authorization: Bearer TOKEN")


async def _not_found(request: Request, error: Exception) -> Response:
    return error_response(ApiError(404, "missing", "there is nothing here; see /docs"))


async def _wrong_method(request: Request, error: Exception) -> Response:
    response = error_response(ApiError(405, "method", f"{request.method} does nothing here"))
    response.headers.update(getattr(error, "headers", None) or {})
    return response


async def _server_error(request: Request, error: Exception) -> Response:
    log_failure(error)
    return error_response(ApiError(500, "bug", "internal server error; it has been logged"))
