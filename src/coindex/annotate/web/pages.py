"""Pages: shells rendered by Jinja2, escaped, without data; scripts then ask the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, TemplateNotFound, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from coindex import __version__
from coindex.annotate.fail import Fail
from coindex.annotate.web import guard
from coindex.annotate.web.services import Services
from coindex.annotate.web.table import PAGES, Page

TEMPLATES = Path(__file__).parent.parent / "templates"


def page_routes(services: Services) -> list[Route]:
    """A route for each page."""
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(loader=loader, autoescape=select_autoescape(default=True))
    return [Route(page.path, _endpoint(services, environment, page)) for page in PAGES]


def _endpoint(services: Services, environment: Environment, page: Page) -> Any:
    async def answer(request: Request) -> Response:
        try:
            guard.host(services, request)
            return await run_in_threadpool(_page, services, environment, page, request)
        except Fail as fail:
            if fail.status == 401:
                return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
            return PlainTextResponse(fail.message, fail.status)

    return answer


def _page(services: Services, environment: Environment, page: Page, request: Request) -> Response:
    who = guard.person(services, request)
    params = guard.numbers(request)
    row = guard.allowed(services, who, page.rule, params)
    name = page.template
    if name == "editor.html" and row.kind == "problem":
        name = "pronoun.html"
    try:
        template = environment.get_template(name)
    except TemplateNotFound:
        return PlainTextResponse(f"the page {name} is not there", 501)
    context = {
        "user": who.as_json() if who else None, "csrf": (who.csrf if who else None) or "",
        "page": name.removesuffix(".html"), "params": params, "version": __version__,
    }  # fmt: skip
    headers = {"Cache-Control": "no-store"}
    return HTMLResponse(template.render(context), headers=headers)
