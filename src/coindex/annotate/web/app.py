"""The ASGI app: routes, pages and static files, with security headers on every response."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.routing import Route as StarletteRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coindex.annotate.errors import ApiError
from coindex.annotate.people.accounts import SESSION_DAYS
from coindex.annotate.web import request_checks
from coindex.annotate.web.api import ROUTES
from coindex.annotate.web.pages import error_page, page_routes
from coindex.annotate.web.routing import ApiResponse, FileDownload, Json, Route, Services, json_text
from coindex.annotate.web.service_worker import service_worker_route
from coindex.errors import CoindexError

STATIC = Path(__file__).parent / "static"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
    " form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
HTTPS_HEADERS = {"Strict-Transport-Security": "max-age=31536000"}
"""With `--https`: browsers use https for a year, whatever a link says."""
logger = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]


class SecurityHeaders:
    """Middleware that adds the security headers to every response."""

    def __init__(self, app: ASGIApp, secure: bool = False) -> None:
        self.app = app
        named = {**HEADERS, **(HTTPS_HEADERS if secure else {})}
        self.headers = [(k.lower().encode(), v.encode()) for k, v in named.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app, and add headers to its response."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self.headers]
                if scope["path"].startswith("/api"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def create_app(services: Services) -> Starlette:
    """Return the app over a database."""
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = route
    routes: list[Any] = [
        StarletteRoute(path, _endpoint(services, methods), methods=[*methods])
        for path, methods in by_path.items()
    ]
    routes += [*page_routes(services), service_worker_route()]
    routes.append(Mount("/static", StaticFiles(directory=STATIC, check_dir=False)))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        services.ranker.close()
        services.suggestions.close()

    handlers: dict[Any, Any] = {404: _not_found, 405: _wrong_method, 500: _server_error}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    app.add_middleware(SecurityHeaders, secure=services.options.secure)
    return app


def _endpoint(services: Services, methods: dict[str, Route]) -> Endpoint:
    async def respond(request: Request) -> Response:
        route = methods.get(request.method) or methods["GET"]
        try:
            request_checks.check_host(services, request)
            if route.upload:  # refuse before reading what this person may not send
                await run_in_threadpool(
                    request_checks.checked_request, services, route, request, b""
                )
            content = await _content(request, services, route)
            return await run_in_threadpool(_respond, services, route, request, content)
        except ClientDisconnect:
            return Response(status_code=400)
        except ApiError as error:
            return error_response(error)
        except CoindexError as error:
            return error_response(ApiError(422, "invalid", str(error)))

    return respond


async def _content(request: Request, services: Services, route: Route) -> bytes:
    """Return the body, if it is within the limit."""
    limits = services.options.limits
    most = limits.upload if route.upload else limits.body
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise ApiError(413, "large", f"expected no more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


def _respond(services: Services, route: Route, request: Request, content: bytes) -> Response:
    checked = request_checks.checked_request(services, route, request, content)
    result = route.handler(services, checked)
    if isinstance(result, FileDownload):
        disposition = {"Content-Disposition": f'attachment; filename="{result.name}"'}
        headers = {**result.headers, **disposition}
        return Response(result.content, media_type=result.media_type, headers=headers)
    answer = result if isinstance(result, ApiResponse) else ApiResponse(result)
    response = json_response(answer.body, answer.status)
    if answer.session is not None:
        response.set_cookie(
            request_checks.COOKIE, answer.session, max_age=SESSION_DAYS * 86_400, httponly=True,
            secure=services.options.secure, samesite="lax",
        )  # fmt: skip
    if answer.log_out:
        response.delete_cookie(request_checks.COOKIE)
    return response


def json_response(value: Json | str, status: int = 200) -> Response:
    """Return a JSON response in UTF-8, of values or of JSON."""
    text = value if isinstance(value, str) else json_text(value)
    content = text.encode("utf-8", "surrogatepass")
    return Response(content, status, media_type="application/json")


def error_response(error: ApiError) -> Response:
    """Return the response for an error."""
    response = json_response(error.body(), error.status)
    if error.status in (429, 503):
        response.headers["Retry-After"] = "300" if error.status == 429 else "2"
    return response


def _shown_error(request: Request, error: ApiError) -> Response:
    """Return an error as a page for browsers, as JSON for programs."""
    is_page = not request.url.path.startswith(("/api", "/static"))
    if is_page and "text/html" in request.headers.get("accept", ""):
        return error_page(error)
    return error_response(error)


async def _not_found(request: Request, error: Exception) -> Response:
    return _shown_error(request, ApiError(404, "missing", "there is nothing here"))


async def _wrong_method(request: Request, error: Exception) -> Response:
    response = error_response(ApiError(405, "method", f"{request.method} does nothing here"))
    response.headers.update(getattr(error, "headers", None) or {})
    return response


async def _server_error(request: Request, error: Exception) -> Response:
    logger.error("an error in %s %s", request.method, request.url.path, exc_info=error)
    return _shown_error(request, ApiError(500, "bug", "internal server error; it has been logged"))
