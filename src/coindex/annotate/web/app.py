"""The ASGI app: routes, pages and static files, with the same headers on every answer."""

from __future__ import annotations

import json
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

from coindex.annotate.fail import Fail
from coindex.annotate.web import guard
from coindex.annotate.web.pages import page_routes
from coindex.annotate.web.route import Answer, File, Route
from coindex.annotate.web.services import Services
from coindex.annotate.web.table import ROUTES
from coindex.errors import CoindexError

STATIC = Path(__file__).parent.parent / "static"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_LOG = logging.getLogger("coindex.annotate")

Endpoint = Callable[[Request], Awaitable[Response]]


class Headers:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
                if scope["path"].startswith("/api"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def create_app(services: Services) -> Starlette:
    """The app over a database."""
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = route
    routes: list[Any] = [
        StarletteRoute(path, _endpoint(services, methods), methods=[*methods])
        for path, methods in by_path.items()
    ]
    routes += page_routes(services)
    routes.append(Mount("/static", StaticFiles(directory=STATIC, check_dir=False)))

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        services.ranker.close()
        services.suggestions.close()

    handlers: dict[Any, Any] = {404: _not_there, 405: _not_so, 500: _bug}
    app = Starlette(routes=routes, lifespan=life, exception_handlers=handlers)
    app.add_middleware(Headers)
    return app


def _endpoint(services: Services, methods: dict[str, Route]) -> Endpoint:
    async def answer(request: Request) -> Response:
        route = methods.get(request.method) or methods["GET"]
        try:
            guard.host(services, request)
            if route.upload:  # nobody may make us hold what they may not send
                await run_in_threadpool(guard.ask, services, route, request, b"")
            content = await _content(request, services, route)
            return await run_in_threadpool(_answer, services, route, request, content)
        except ClientDisconnect:
            return Response(status_code=400)
        except Fail as fail:
            return failed(fail)
        except CoindexError as error:
            return failed(Fail(422, "invalid", str(error)))

    return answer


async def _content(request: Request, services: Services, route: Route) -> bytes:
    """The body, as long as it is within the limit."""
    limits = services.options.limits
    most = limits.upload if route.upload else limits.body
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Fail(413, "large", f"expected no more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


def _answer(services: Services, route: Route, request: Request, content: bytes) -> Response:
    found = route.handler(services, guard.ask(services, route, request, content))
    if isinstance(found, File):
        told = {**found.headers, "Content-Disposition": f'attachment; filename="{found.name}"'}
        return Response(found.content, media_type=found.kind, headers=told)
    answer = found if isinstance(found, Answer) else Answer(found)
    response = as_json(answer.body, answer.status)
    if answer.session is not None:
        secure, age = services.options.secure, 14 * 86_400
        response.set_cookie(
            guard.COOKIE, answer.session, max_age=age, httponly=True, secure=secure, samesite="lax"
        )
    if answer.leave:
        response.delete_cookie(guard.COOKIE)
    return response


def as_json(value: Any, status: int = 200) -> Response:
    """JSON, in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    content = text.encode("utf-8", "surrogatepass")
    return Response(content, status, media_type="application/json")


def failed(fail: Fail) -> Response:
    """The answer that says why not."""
    response = as_json(fail.body(), fail.status)
    if fail.status in (429, 503):
        response.headers["Retry-After"] = "300" if fail.status == 429 else "2"
    return response


async def _not_there(request: Request, error: Exception) -> Response:
    return failed(Fail(404, "missing", "there is nothing here"))


async def _not_so(request: Request, error: Exception) -> Response:
    response = failed(Fail(405, "method", f"{request.method} does nothing here"))
    response.headers.update(getattr(error, "headers", None) or {})
    return response


async def _bug(request: Request, error: Exception) -> Response:
    _LOG.error("an error in %s %s", request.method, request.url.path, exc_info=error)
    return failed(Fail(500, "bug", "an error of the server; it has been logged"))
